import { describe, expect, it } from 'vitest'
import { anyone, type Principal } from '../../../src/jsonapi/declare/access.ts'
import { endpointName } from '../../../src/jsonapi/declare/endpoint.ts'
import { createRegistry, type Registry } from '../../../src/jsonapi/declare/registry.ts'
import { writesOf } from '../../../src/jsonapi/declare/transaction.ts'
import { operationsReader } from '../../../src/jsonapi/request/operations.ts'
import { openApi } from '../../../src/openapi/document.ts'
import type { Examples } from '../../../src/openapi/examples.ts'
import { registry as service } from '../../../src/resources/index.ts'
import { conformity } from '../../http/description/conformity.ts'
import { contentOf, readDescription } from '../../http/description/read-description.ts'
import { registry as secondDomain } from '../db/second-domain/registry.ts'
import { tags } from '../db/second-domain/tags.ts'
import { about, describeLibrary, headers } from './library.ts'

const atomic = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

/** Describes the transactions of a service. */
function described(registry: Registry = secondDomain, examples?: Examples) {
  const addresses = { server: 'https://service.example/root', authUrl: 'https://login.example' }
  const { document, operationOf } = readDescription(
    openApi(registry, about, { ...addresses, headers, ...(examples && { examples }) }),
  )
  const { requestBody, responses, ...operation } = operationOf('operations')
  return {
    document,
    operation,
    body: contentOf(requestBody?.content ?? {}),
    answer: contentOf(responses[200]?.content ?? {}),
    success: responses[200]?.description,
  }
}

/** A service with these types, of whose resources anyone may make this write. */
function writing(operation: 'create' | 'delete', ...types: string[]): Registry {
  const operations = { ...tags.operations, [operation]: { access: anyone } }
  return createRegistry(
    types.map((type) => ({ ...tags, type, relationships: {}, operations, newId: () => '1' })),
  )
}

describe('The transactions in a description (contract, section 13)', () => {
  it('are one operation, for those who may make at least one of the writes', () => {
    const { operation, body, answer, success } = described()

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
    expect(success).toBe('All operations are done.')
  })

  it('name resources by ids of 64 characters at most (contract, section 6)', () => {
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

  it('are not there where nothing can be written', () => {
    const { paths, tags: groups } = readDescription(
      openApi(createRegistry([tags]), about, { server: '', authUrl: '', headers }),
    ).document

    expect(Object.keys(paths)).not.toContain('/operations')
    expect(groups.map(({ name }: { readonly name: string }) => name)).toEqual(['tags'])
  })
})

describe('The examples of transactions', () => {
  const everything: Principal = {
    kind: 'user',
    issuer: 'i',
    id: 'ann',
    scopes: new Set(['users.write']),
  }
  // The types of the service itself have examples of what they hold.
  const { body, document } = described(service)
  const read = operationsReader(service, '/root')
  const examples = Object.entries(body.examples ?? {})

  it('are one for each write, which the service takes as just that', () => {
    const said = examples.slice(0, -1).map(([name, { summary, value }]) => {
      expect(summary).toBe(name)
      const verdict = read(value as object, everything)
      const operations = verdict.ok ? verdict.value : []
      return operations.map(({ definition, relationship, operation }) =>
        [definition.type, relationship, operation].filter(Boolean).join('.'),
      )
    })

    expect(said).toEqual(writesOf(service).map((endpoint) => [endpointName(endpoint)]))
  })

  it('end with one that adds a resource, and then names it by its lid', () => {
    const [name, { summary, value } = {}] = examples.at(-1) ?? []
    const { 'atomic:operations': operations } = value as {
      readonly 'atomic:operations': readonly unknown[]
    }
    const verdict = read(value as object, everything)
    const [added, then, ...others] = verdict.ok ? verdict.value : []

    expect(name).toBe('lid')
    expect(summary).toContain('by its `lid`')
    expect(operations).toMatchObject([{ op: 'add' }, { op: 'add', ref: { lid: 'new' } }])
    expect([added?.operation, then?.operation, others]).toEqual(['create', 'addMany', []])
    expect(then?.id).toBe(added?.id)
  })

  it('have no lid where no members can be added to what can be created', () => {
    expect(Object.keys(described(writing('create', 'words')).body.examples ?? {})).toEqual([
      'words.create',
    ])
  })

  it.each(examples)('are as described: %s', (name, { value }) => {
    expect(() => conformity(document)(body.schema, value, name)).not.toThrow()
  })
})

describe('The results of a transaction in a description', () => {
  const jsonapi = { version: '1.1', ext: ['https://jsonapi.org/ext/atomic'] }
  const word = { data: { type: 'words', id: '1', links: { self: '/words/1' } } }
  const name = { data: { type: 'names', id: '1', links: { self: '/names/1' } } }

  it.each([
    ['of several types', writing('create', 'words', 'names'), [word, name, {}]],
    ['of the only type', writing('create', 'words'), [word, {}]],
    ['and nothing else where nothing can be added', writing('delete', 'words'), [{}]],
  ])('are added resources %s, and empty objects', (_, registry, results) => {
    const { document, answer } = described(registry)
    const conform = (value: object) => () =>
      conformity(document)(answer.schema, value, 'The answer')

    expect(conform({ jsonapi, 'atomic:results': results })).not.toThrow()
    for (const refused of [
      { jsonapi },
      { 'atomic:results': results },
      { jsonapi, 'atomic:results': [] },
      { jsonapi, 'atomic:results': Array(21).fill({}) },
      { jsonapi, 'atomic:results': {} },
      { jsonapi, 'atomic:results': [{ data: { type: 'others', id: '1' } }] },
    ]) {
      expect(conform(refused), JSON.stringify(refused)).toThrow('not as described')
    }
  })

  it('have the example that was recorded, and without a recording none', () => {
    const example = { jsonapi, 'atomic:results': [{}] }
    const recorded = { answers: { sendOperations: example }, errors: {} }

    expect(described(secondDomain, recorded).answer.example).toEqual(example)
    expect(described().answer).not.toHaveProperty('example')
  })
})
