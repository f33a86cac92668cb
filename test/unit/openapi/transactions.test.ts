import { describe, expect, it } from 'vitest'
import { createRegistry, type Registry } from '../../../src/jsonapi/declare/registry.ts'
import { anyone } from '../../../src/jsonapi/declare/resource.ts'
import { conformity } from '../../http/description/conformity.ts'
import { contentOf } from '../../http/description/read-description.ts'
import { tags } from '../db/second-domain/tags.ts'
import { describeOther } from './second-domain.ts'

/** A service with these types, of whose resources anyone may make this write. */
function writing(operation: 'create' | 'delete', ...types: string[]): Registry {
  const rule = { access: anyone, newId: () => '1' }
  const operations = { ...tags.operations, [operation]: rule }
  return createRegistry(types.map((type) => ({ ...tags, type, relationships: {}, operations })))
}

describe('The transactions in a description', () => {
  it('are one operation, for those who may make at least one of the writes', () => {
    const { description, security, parameters } = describeOther().operationOf('operations')

    expect(security).toEqual(
      ['articles.write', 'articles.admin', 'people.write'].map((scope) => ({
        Authorization_Code_With_PKCE: [scope],
      })),
    )
    expect(description).toMatch(/\n\nCallers: a person with `articles\.write`, or /)
    expect(parameters.map(({ name }) => name).toSorted()).toEqual(['Idempotency-Key', 'X-State'])
  })

  it('are not there where nothing can be written', () => {
    const { paths } = describeOther(createRegistry([tags])).document
    expect(Object.keys(paths)).not.toContain('/operations')
  })

  it.each<[what: string, ...Parameters<typeof writing>]>([
    ['of several types', 'create', 'words', 'names'],
    ['of the only type', 'create', 'words'],
    ['nowhere where nothing can be added', 'delete', 'words'],
  ])('answer with added resources %s, and empty objects', (_, operation, ...types) => {
    const { document, operationOf } = describeOther(writing(operation, ...types))
    const { schema } = contentOf(operationOf('operations').responses[200]?.content ?? {})
    const jsonapi = { version: '1.1' }
    const resultOf = (type: string) => ({ data: { type, id: '1', links: { self: '/1' } } })
    const added = types.map(resultOf)
    const conform = (value: object) => () => conformity(document)(schema, value, 'The answer')

    const results = operation === 'create' ? [...added, {}] : [{}]
    expect(conform({ jsonapi, 'atomic:results': results })).not.toThrow()
    for (const refused of [
      { jsonapi },
      { 'atomic:results': results },
      { jsonapi, 'atomic:results': [] },
      { jsonapi, 'atomic:results': Array(21).fill({}) },
      { jsonapi, 'atomic:results': [resultOf('others')] },
      ...(operation === 'create' ? [] : [{ jsonapi, 'atomic:results': added }]),
    ]) {
      expect(conform(refused), JSON.stringify(refused)).toThrow('not as described')
    }
  })
})
