import { describe, expect, it } from 'vitest'
import { type MemoryPoint, verdictOf } from '../../../../lab/reliability/soak/verdict.ts'

/** A run of an hour whose memory grows by this many MiB in an hour. */
const growing = (mebibytes: number): MemoryPoint[] =>
  Array.from({ length: 61 }, (_, minute) => [minute, 400 + (mebibytes * minute) / 60])

const well = { requests: 1000, errors: 0, database: [], memory: growing(5) }

describe('The verdict of a soak', () => {
  it('says errors, memory at the start and at the end, and its growth in an hour', () => {
    expect(verdictOf(well)).toEqual({
      isWell: true,
      text: [
        'Verdict: well.',
        'Errors: 0 of 1000 requests.',
        'Memory: 400 MiB at the start, 405 MiB at the end; growth in an hour, by the second half: 5.0 MiB.',
      ].join('\n'),
    })
  })

  it.each([
    [{ errors: 3 }, '3 of 1000 requests failed'],
    [{ requests: 0 }, 'no request was sent'],
    [{ database: ['e-mail addresses twice: 1'] }, 'e-mail addresses twice: 1'],
    [{ memory: growing(41) }, 'memory grows'],
  ])('is not well with %o', (findings, fault) => {
    const verdict = verdictOf({ ...well, ...findings })
    expect(verdict.isWell).toBe(false)
    expect(verdict.text).toContain(`Verdict: not well: ${fault}.\n`)
  })

  it('does not judge the growth of a short run', () => {
    const verdict = verdictOf({ ...well, memory: growing(600).slice(0, 20) })
    expect(verdict.isWell).toBe(true)
    expect(verdict.text).toContain('the run is too short to tell its growth (20 minutes tell).')
  })

  it('says nothing of memory where it cannot be seen', () => {
    expect(verdictOf({ ...well, memory: [] }).text).toBe(
      'Verdict: well.\nErrors: 0 of 1000 requests.',
    )
  })
})
