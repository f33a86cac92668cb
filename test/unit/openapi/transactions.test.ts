import { describe, expect, it } from 'vitest'
import { writesOf } from '../../../src/jsonapi/atomic/extension.ts'
import { operationsReader } from '../../../src/jsonapi/atomic/operations.ts'
import { anyone, type Principal } from '../../../src/jsonapi/declare/access.ts'
import {
  createRegistry,
  endpointName,
  type Registry,
} from '../../../src/jsonapi/declare/registry.ts'
import { openApi } from '../../../src/openapi/document.ts'
import { registry as service } from '../../../src/resources/index.ts'
import { conformity } from '../../http/description/conformity.ts'
import { contentOf, readDescription } from '../../http/description/read-description.ts'
import { people } from '../db/second-domain/people.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'
import { tags } from '../db/second-domain/tags.ts'
import { about, describeLibrary, headers } from './library.ts'

const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/** Describes the transactions of a service. */
function described(registry: Registry = secondDomain) {
  const addresses = { server: 'https://service.example/root', authUrl: 'https://login.example' }
  const { document, operationOf } = readDescription(
    openApi(registry, about, { ...addresses, headers }),
  )
  const { requestBody, responses, ...operation } = operationOf('operations')
  return {
    document,
    operation,
    required: requestBody?.required,
    body: contentOf(requestBody?.content ?? {}),
    answer: contentOf(responses[200]?.content ?? {}),
    success: responses[200]?.description,
  }
}

/** A service with these types, of whose resources anyone may make this write. */
function writing(operation: 'create' | 'delete', ...types: string[]): Registry {
  const rule = { access: anyone, newId: () => '1' }
  const operations = { ...tags.operations, [operation]: rule }
  return createRegistry(types.map((type) => ({ ...tags, type, relationships: {}, operations })))
}

describe('The transactions in a description', () => {
  it('are one operation, for those who may make at least one of the writes', () => {
    const { operation, required, body, answer, success, document } = described()

    expect(operation).toMatchObject({
      operationId: 'sendOperations',
      tags: ['operations'],
      summary: 'Run several writes as one transaction',
      security: ['articles.write', 'articles.admin', 'people.write'].map((scope) => ({
        Authorization_Code_With_PKCE: [scope],
      })),
    })
    expect(operation.description).toMatch(
      /at most 20 in one request\. .*\n\nCallers: a person with `articles\.write`, or a person with `articles\.admin`, or .*\n\nSend an `Idempotency-Key`/s,
    )
    expect([body.name, answer.name]).toEqual([atomic, atomic])
    expect(required).toBe(true)
    expect(success).toBe('All operations are done.')
    expect(document.components.schemas.OperationData.description).toContain('in place of an `id`')
  })

  it('name resources by ids of 64 characters at most', () => {
    const { properties } = described().document.components.schemas.Transaction
    const { ref } = properties['atomic:operations'].items.properties

    expect(ref.properties.id).toEqual({ type: 'string', minLength: 1, maxLength: 64 })
    expect(ref.required).toEqual(['type'])
  })

  it('are for any valid access token where one of the writes is', () => {
    const { description, security } = describeLibrary().operationOf('operations')

    expect(description).toContain('Callers: any valid access token.')
    expect(security).toEqual([{ Client_Credentials: [] }, { Authorization_Code_With_PKCE: [] }])
  })

  it('take what earlier answers gave to send back, where the service has that', () => {
    const pathOf = (session: object) =>
      readDescription(
        openApi(secondDomain, about, {
          server: '',
          authUrl: '',
          headers: { ...headers, session: { ...session } },
        }),
      ).document.paths['/operations']

    expect(pathOf({ 'X-State': 'What was seen.' }).parameters).toEqual([
      { $ref: '#/components/parameters/X-State' },
    ])
    expect(pathOf({})).not.toHaveProperty('parameters')
  })

  it('are not there where nothing can be written', () => {
    const { paths, tags: groups } = readDescription(
      openApi(createRegistry([tags]), about, { server: '', authUrl: '', headers }),
    ).document

    expect(Object.keys(paths)).not.toContain('/operations')
    expect(groups.map(({ name }: { readonly name: string }) => name)).toEqual(['tags'])
  })
})

describe('The examples of transactions', () => {
  /** The writes that a transaction holds, as the service takes it. */
  function taken(transaction: unknown) {
    const scopes = new Set(['users.write'])
    const person: Principal = { kind: 'user', issuer: 'i', id: 'ann', scopes }
    const verdict = operationsReader(service, '/root')(transaction as object, person)
    return verdict.ok ? verdict.value : []
  }

  // The types of the service itself have examples of what they hold.
  it('are one for each write, which the service takes as just that', () => {
    const { body, document } = described(service)
    const conform = conformity(document)
    const examples = Object.entries(body.examples ?? {}).slice(1)
    const said = examples.map(([name, { summary, value }]) => {
      expect(summary).toBe(name)
      expect(() => conform(body.schema, value, name)).not.toThrow()
      return taken(value).map(({ definition, relationship, operation }) =>
        [definition.type, relationship, operation].filter(Boolean).join('.'),
      )
    })

    expect(said).toEqual(
      writesOf(service).map((endpoint) => [
        // What an example removes, it has added: no other one needs it.
        ...(endpoint.operation === 'delete' ? ['users.create'] : []),
        endpointName(endpoint),
      ]),
    )
  })

  it('have data where the write takes it, and a lid only where it is used', () => {
    const { examples = {} } = described(service).body

    expect(examples['users.delete']?.value).toMatchObject({
      'atomic:operations': [
        { op: 'add', data: { type: 'users', lid: 'new' } },
        { op: 'remove', ref: { type: 'users', lid: 'new' } },
      ],
    })
    for (const [name, { value }] of Object.entries(examples)) {
      const needsLid = name === 'lid' || name === 'users.delete'
      expect([name, JSON.stringify(value).includes('"lid"')]).toEqual([name, needsLid])
    }
  })

  it('add a user with another e-mail address each, and another one than a create', () => {
    const { body, document } = described(service)
    const create = document.paths['/users'].post.requestBody.content
    const examples = [body.examples, contentOf(create).example]
    const addresses = JSON.stringify(examples).match(/\w+\.\w+@example\.com/g) ?? []

    expect(addresses).toHaveLength(4)
    expect(new Set(addresses).size).toBe(4)
  })

  it('begin with one that adds a resource, and then names it by its lid', () => {
    const { body, document } = described(service)
    const [[name, { summary, value }] = ['', {}]] = Object.entries(body.examples ?? {})
    const [added, then, ...others] = taken(value)

    expect(name).toBe('lid')
    expect(summary).toBe('Adds a resource, and then names it by its `lid`')
    expect(value).toMatchObject({
      'atomic:operations': [
        { op: 'add', data: { lid: 'new' } },
        { op: 'add', ref: { lid: 'new' } },
      ],
    })
    expect([added?.operation, then?.operation, others]).toEqual(['create', 'addMany', []])
    expect(then?.id).toBe(added?.id)
    expect(() => conformity(document)(body.schema, value, name)).not.toThrow()
  })

  it('have no lid where no members can be added to what can be created', () => {
    const words = { ...tags, relationships: {} }
    const operations = { ...tags.operations, create: { access: anyone, newId: () => '1' } }
    const registry = createRegistry([{ ...words, operations }, people])

    expect(Object.keys(described(registry).body.examples ?? {})).toContain('people.follows.addMany')
    expect(Object.keys(described(registry).body.examples ?? {})).not.toContain('lid')
  })
})

describe('The results of a transaction in a description', () => {
  const jsonapi = { version: '1.1', ext: ['https://jsonapi.org/ext/atomic'] }

  it.each<[what: string, ...Parameters<typeof writing>]>([
    ['of several types', 'create', 'words', 'names'],
    ['of the only type', 'create', 'words'],
    ['nowhere where nothing can be added', 'delete', 'words'],
  ])('are added resources %s, and empty objects', (_, operation, ...types) => {
    const { document, answer } = described(writing(operation, ...types))
    const added = types.map((type) => ({ data: { type, id: '1', links: { self: '/1' } } }))
    const results = operation === 'create' ? [...added, {}] : [{}]
    const conform = (value: object) => () =>
      conformity(document)(answer.schema, value, 'The answer')

    expect(conform({ jsonapi, 'atomic:results': results })).not.toThrow()
    for (const refused of [
      { jsonapi },
      { 'atomic:results': results },
      { jsonapi, 'atomic:results': [] },
      { jsonapi, 'atomic:results': Array(21).fill({}) },
      { jsonapi, 'atomic:results': {} },
      { jsonapi, 'atomic:results': [{ data: { type: 'others', id: '1', links: { self: '/1' } } }] },
      ...(operation === 'create' ? [] : [{ jsonapi, 'atomic:results': added }]),
    ]) {
      expect(conform(refused), JSON.stringify(refused)).toThrow('not as described')
    }
  })

  it('leave no choice where one type can be added', () => {
    const { schemas } = described(writing('create', 'words')).document.components
    const { items, description } = schemas.TransactionResults.properties['atomic:results']

    expect(items.properties.data).toEqual({ $ref: '#/components/schemas/Words' })
    expect(description).toContain('in their order')
  })
})
