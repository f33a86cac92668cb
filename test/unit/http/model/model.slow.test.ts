import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { step } from './drafts.ts'
import { runSequence, type Tally } from './run.ts'
import { startService } from './service.ts'

const sequences = 1_000
const mostSteps = 10

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService()
})

/** What sequences must have led to, else little was tried. Each of them happens some dozen times. */
const tried = [
  /^create with a key: replay$/,
  /^create with a key: key of another request$/,
  /^create.*: done, found again$/,
  /^create.*: done, lost$/,
  /^create.*: taken$/,
  /^transaction: done$/,
  /^transaction with a key: replay$/,
  /^transaction.*: done, found again$/,
  /^transaction.*: done, lost$/,
  /^transaction.*: dangling$/,
  /^transaction.*: foreign$/,
  ...['update', 'birth', 'add', 'remove', 'replace', 'delete'].flatMap((kind) => [
    new RegExp(`^${kind} on condition: done`),
    new RegExp(`^${kind} on condition: stale$`),
  ]),
  /on condition: done, found again$/,
  /on condition: not known whether it was done$/,
]

it(`The service and a plain model agree on the answers to ${sequences} sequences of writes by three people, with keys, conditions and lost answers, and on all that is stored after each write (contract, sections 9, 12, 13 and 14)`, async () => {
  const tally: Tally = new Map()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: mostSteps, size: 'max' }), (drafts) =>
      runSequence(service, drafts, tally),
    ),
    { numRuns: sequences },
  )
  const events = [...tally.keys()]
  expect(tried.filter((event) => !events.some((one) => event.test(one)))).toEqual([])
}, 300_000)
