import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mutate, mutation } from '../../fuzz/mutations.ts'

const body = { data: [{ type: 'users', id: 'x', meta: { note: 'y' } }] }

it('makes no body that takes long to send, whatever is done to it in turn', () => {
  const mutations = fc.array(fc.tuple(fc.nat(), mutation), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(mutations, (each) => {
      const mutated = each.reduce<unknown>((all, [place, one]) => mutate(all, place, one), body)
      expect(JSON.stringify(mutated).length).toBeLessThan(1_000_000)
    }),
    { numRuns: 300 },
  )
})
