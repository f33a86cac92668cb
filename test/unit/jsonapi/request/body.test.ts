import { expect, it } from 'vitest'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { endpointOf, toldInShort, verdictOf } from '../run/readers.ts'

// What is wrong with the body of a user, test/http tells: faults/every-fault.test.ts and api/writes/bodies.test.ts.

/** Judges a body as an endpoint does, with `a1` in the path. */
const judge = (name: string, body: object) =>
  verdictOf((faults) => bodyReader(endpointOf(name))(body, 'a1', faults))

it('an update may not set what the server sets', () => {
  const data = { type: 'folders', id: 'a1', attributes: { label: { colour: 'blue' } } }
  expect(toldInShort(judge('folders.update', { data }))).toEqual(['form /data/attributes/label'])
})

it('no more identifiers are looked at than a body may have', () => {
  let looks = 0
  const identifier = Object.defineProperty({ type: 'people' }, 'id', {
    enumerable: true,
    get: () => `p${++looks}`,
  })
  judge('articles.contributors.addMany', { data: Array(100_000).fill(identifier) })
  expect(looks).toBeLessThan(1_000)
})
