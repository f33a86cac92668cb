import { readQuery } from '../../src/http/bounds.ts'
import type { Principal } from '../../src/jsonapi/declare/access.ts'
import { isRead, takesBody } from '../../src/jsonapi/declare/operation.ts'
import { readableFaults } from '../../src/jsonapi/declare/readable.ts'
import { type Endpoint, endpointName, endpointsOf } from '../../src/jsonapi/declare/registry.ts'
import type { Faults } from '../../src/jsonapi/errors.ts'
import { bodyLimits, parseBody } from '../../src/jsonapi/json.ts'
import { bodyReader } from '../../src/jsonapi/request/body.ts'
import { accepts, isJsonApi, longestHeader } from '../../src/jsonapi/request/media-type.ts'
import { longestQuery, queryRules } from '../../src/jsonapi/request/parameters.ts'
import { queryReader } from '../../src/jsonapi/request/query.ts'
import { registry } from '../../src/resources/index.ts'
import { sealer } from '../../test/support/sealer.ts'
import { short } from './figures.ts'
import { bodies, headers, type Kinds, queries } from './hostile.ts'

/*
 * Shows that judging a request takes time in proportion to its length (contract, section 5): the longest query string
 * and the longest body of each operation, of many hostile kinds, beside ones of half and a quarter of their length. It takes less
 * than a minute, and fails where twice the length takes more than three times as long, again and again. It runs in Node:
 * what it compares are times of the same code under the same engine.
 */

/** Twice the length takes twice as long; a fault that is quadratic takes four times as long. */
const mostGrowth = 3
/** How often a kind is measured before it is said to grow too fast: other processes disturb one measurement. */
const attempts = 4
const rounds = 5
/** Milliseconds that one round lasts at least, so that the clock is fine enough. */
const leastRound = 2

const caller: Principal = { kind: 'client', issuer: '', id: '', scopes: new Set() }

/** One way to judge, and the texts that it is given. */
interface Subject {
  readonly name: string
  readonly longest: number
  readonly kinds: Kinds
  readonly judge: (text: string) => unknown
}

function queryOf(endpoint: Endpoint): Subject {
  const reader = queryReader(queryRules(registry, endpoint))
  return {
    name: `${endpointName(endpoint)}: query string`,
    longest: longestQuery,
    kinds: queries,
    judge(text) {
      const read = reader.read(readQuery(`?${text}`), '/jsonapi/users', sealer)
      if (read instanceof Promise) {
        throw new Error('No kind of query string has a sealed cursor')
      }
      return [told(read.verdict), told(readableFaults(endpoint.definition, read.uses, caller))]
    },
  }
}

function bodyOf(endpoint: Endpoint): Subject {
  const { definition, operation, relationship } = endpoint
  const read = bodyReader(definition, operation, relationship)
  return {
    name: `${endpointName(endpoint)}: body`,
    longest: bodyLimits.bytes,
    kinds: bodies,
    judge(text) {
      const parsed = parseBody(new TextEncoder().encode(text))
      return parsed.ok ? [told(parsed), told(read(parsed.value, '1'))] : parsed
    },
  }
}

const header: Subject = {
  name: 'Accept and Content-Type',
  longest: longestHeader,
  kinds: headers,
  judge: (text) => [accepts(text), isJsonApi(text)],
}

/** What a caller is told, as it is written into an answer. */
function told(verdict: { readonly ok: true } | Faults): string {
  return JSON.stringify('problems' in verdict ? verdict.problems : [])
}

/** Milliseconds of CPU that this process has used, which other work of the machine hardly changes. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of CPU that a text takes to judge: the least of some rounds. */
function timeOf({ judge }: Subject, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = cpuTime()
    let times = 0
    do {
      judge(text)
      times++
    } while (cpuTime() - start < leastRound)
    least = Math.min(least, (cpuTime() - start) / times)
  }
  return least
}

/** How long the longest text of a kind takes, and how many times as long as one of half its length. */
function growthOf(subject: Subject, kind: (length: number) => string) {
  const [whole, half, quarter] = [1, 2, 4].map((part) => kind(Math.floor(subject.longest / part)))
  let found = { time: 0, growth: Number.POSITIVE_INFINITY, before: Number.POSITIVE_INFINITY }
  for (let attempt = 0; attempt < attempts && found.growth > mostGrowth; attempt++) {
    const [time = 0, middle = 0, least = 0] = [whole, half, quarter].map((text) =>
      timeOf(subject, text ?? ''),
    )
    found = { time, growth: time / middle, before: middle / least }
  }
  return found
}

const endpoints = endpointsOf(registry)
const subjects = [
  header,
  ...endpoints.filter(({ operation }) => isRead(operation) || operation === 'create').map(queryOf),
  ...endpoints.filter(({ operation }) => takesBody(operation)).map(bodyOf),
]
let failed = false
console.log(
  '| Judged | Slowest kind | ms at full length | Full / half | Half / quarter | Greatest growth |',
)
console.log('|---|---|---:|---:|---:|---|')
for (const subject of subjects) {
  const found = Object.entries(subject.kinds).map(([kind, textOf]) => ({
    kind,
    ...growthOf(subject, textOf),
  }))
  const [slowest] = found.toSorted((a, b) => b.time - a.time)
  const [steepest] = found.toSorted((a, b) => b.growth - a.growth)
  if (!slowest || !steepest) {
    throw new Error(`${subject.name} was given nothing`)
  }
  failed ||= steepest.growth > mostGrowth
  console.log(
    `| ${subject.name} | ${slowest.kind} | ${short(slowest.time)} | ${short(slowest.growth)} | ${short(slowest.before)} | ${short(steepest.growth)}: ${steepest.kind} |`,
  )
}
if (failed) {
  console.error(`Twice the length takes more than ${mostGrowth} times as long.`)
  process.exitCode = 1
}
