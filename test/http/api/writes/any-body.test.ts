import fc from 'fast-check'
import { expect, it } from 'vitest'
import { somebody, targets } from './bad-body.ts'
import { anyWriter, send } from './writers.ts'

const target = fc.constantFrom(...Object.values(targets))

/** Values in places that the service reads: the right name with a wrong type, or the reverse. */
const member = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('users', 'countries', 'NO', '1', somebody, 'SON', 'a@example.com', null, [], {}),
)
const names = [
  'type',
  'id',
  'lid',
  'meta',
  'attributes',
  'relationships',
  'fullName',
  'email',
  'addresses',
  'creditCardNumber',
  'citizenships',
  'placeOfBirth',
  'relatives',
  'data',
  'relationshipType',
  '__proto__',
  'constructor',
]
const { tree } = fc.letrec<{ tree: unknown; object: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    member,
    tie('object'),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 5 }),
}))

/** Sends a body that no operation may accept. */
async function statusOf([method, path]: readonly [string, string], body: unknown): Promise<number> {
  const answer = await send(method, path, await anyWriter(), body)
  expect(answer.document.errors?.length).toBeGreaterThan(0)
  return answer.status
}

it('any bytes for a body are a 400 (contract, section 6: hostile input)', async () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary' }))
  await fc.assert(
    fc.asyncProperty(target, bytes, async (to, body) => {
      expect(await statusOf(to, body)).toBe(400)
    }),
    { numRuns: 100 },
  )
})

it('any JSON for a body is refused with a status of the caller', async () => {
  await fc.assert(
    fc.asyncProperty(target, fc.record({ data: tree }), async (to, body) => {
      expect([400, 403, 404, 409]).toContain(await statusOf(to, JSON.stringify(body)))
    }),
    { numRuns: 200 },
  )
})
