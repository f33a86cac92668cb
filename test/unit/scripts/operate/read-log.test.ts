import { describe, expect, it } from 'vitest'
import { readLog } from '../../../../scripts/operate/read-log.ts'
import { readRules, reportOf } from '../../../../scripts/operate/rules.ts'

const rules = await readRules()

const line = '{"level":"info","event":"request","status":401,"method":"GET","share":0.5}'
const failure = '{"level":"error","event":"failure","cause":"Error: a {brace} and \\"quotes\\""}'
const time = Date.UTC(2026, 10, 21, 12)

const tailed = {
  outcome: 'ok',
  logs: [
    { message: [line], level: 'log', timestamp: time },
    { message: ['a text of somebody else', failure], level: 'error', timestamp: time + 1 },
  ],
  eventTimestamp: time,
}

describe('The log that npm run alerts reads', () => {
  it('may be lines of the service as they are, without times', () => {
    const { lines, isTimed, others } = readLog(`${line}\n${failure}\n`)
    expect(lines).toEqual([
      { time: 0, event: 'request', members: JSON.parse(line) },
      { time: 0, event: 'failure', members: JSON.parse(failure) },
    ])
    expect({ isTimed, others }).toEqual({ isTimed: false, others: 0 })
  })

  it('may be what the terminal of npm start shows, with other texts', () => {
    const text = `⎔ Starting local server...\n  ${line}\n\n[31m✘ [ERROR] ${failure}\n{"event":"other"}\n{ broken\n`
    expect(readLog(text)).toMatchObject({
      lines: [{ event: 'request' }, { event: 'failure' }],
      others: 3,
    })
  })

  it.each([
    ['over several lines', JSON.stringify(tailed, null, 2)],
    ['in one line', JSON.stringify(tailed)],
  ])('may be what wrangler tail prints %s', (_, text) => {
    expect(readLog(`${text}\n${text}\n`)).toMatchObject({
      lines: [
        { event: 'request', time },
        { event: 'request', time },
        { event: 'failure', time: time + 1 },
        { event: 'failure', time: time + 1 },
      ],
      isTimed: true,
      others: 0,
    })
  })

  it('counts as without times when one of its lines has none', () => {
    const { lines, isTimed } = readLog(`${JSON.stringify(tailed)}\n${line}\n`)
    expect(isTimed).toBe(false)
    expect(new Set(lines.map((one) => one.time))).toEqual(new Set([0]))
  })

  it.each(['', '\n\n', 'nothing of the service\n'])(
    'may hold no line of the service: %j',
    (text) => {
      const log = readLog(text)
      expect(log.lines).toEqual([])
      expect(reportOf(rules, log)).toMatch(/^Lines of the service: 0[\s\S]*No alert fires\.$/)
    },
  )
})

describe('The report of npm run alerts', () => {
  const report = reportOf(rules, readLog(`${line}\n`.repeat(10)))

  it('tells which alerts fire, with their figures and what to do first', () => {
    expect(report).toContain('Lines of the service: 10, as if written in one minute')
    expect(report).toMatch(/^FIRES, wakes {2}Nobody gets in +100 % and 20 \(.*more than 50 % of/m)
    expect(report).toMatch(/^quiet {9}Failing +0 % and 0 /m)
    expect(report).toMatch(/1 of \d+ alerts fire\. First:\n {2}Nobody gets in: issuer/)
  })

  it('tells of each objective how much of its budget is left', () => {
    expect(report).toContain('Reads: budget left: nothing to judge')
    const failing = line.replace('401', '500')
    const good = line.replace('401', '200')
    expect(reportOf(rules, readLog([failing, ...Array(39).fill(good)].join('\n')))).toContain(
      'Reads: budget left: -2,400 %',
    )
  })
})
