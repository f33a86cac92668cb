import { describe, expect, it } from 'vitest'
import { countIdentifiers, identifiersIn } from '../../../../src/jsonapi/request/body.ts'
import { article, editors, people, related } from './bodies.ts'

describe('the number of identifiers in a body (contract, section 10)', () => {
  it.each<[what: string, body: unknown, count: number]>([
    ['a list of them', { data: editors(3) }, 3],
    ['an empty list', { data: [] }, 0],
    ['a resource object without relationships', article(), 0],
    [
      'the relationships of a resource object, a to-one as one',
      related({
        author: { data: people('p1')[0] },
        contributors: { data: editors(3) },
        tags: { data: [] },
      }),
      4,
    ],
    ['a relationship that is emptied, as one', related({ author: { data: null } }), 1],
    ['a body without data', {}, 0],
    ['relationships that are no object', related([]), 0],
    ['null', null, 0],
  ])('is counted before the body is validated: of %s', (_, body, count) => {
    expect(identifiersIn(body)).toBe(count)
    expect(countIdentifiers(body)).toBe(count)
  })

  it('makes no price where it is more than a body may hold, because such a body is refused', () => {
    expect(countIdentifiers({ data: editors(100) })).toBe(100)
    expect(countIdentifiers({ data: editors(101) })).toBe(0)
    expect(identifiersIn({ data: editors(101) })).toBe(101)
  })
})
