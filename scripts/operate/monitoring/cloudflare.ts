import { type LogEvent, logLines, type MemberKind } from '../../../src/http/log.ts'
import { type Alert, linesFor, whenOf } from './alert.ts'
import { type Condition, type Lines, type Member, plain, type Test } from './query.ts'

/** A query that Workers Observability saves. Its window is chosen when it is run. */
export interface SavedQuery {
  readonly name: string
  readonly description: string
  readonly parameters: {
    readonly filterCombination: 'and'
    readonly filters: readonly (Filter | FilterGroup)[]
    readonly calculations: readonly Calculation[]
    readonly groupBys: readonly { readonly type: MemberKind; readonly value: string }[]
  }
}

interface Filter {
  readonly kind: 'filter'
  readonly key: string
  readonly operation: (typeof operations)[Test[1]] | 'in'
  readonly type: MemberKind
  readonly value: string | number
}

interface FilterGroup {
  readonly kind: 'group'
  readonly filterCombination: 'or'
  readonly filters: readonly Filter[]
}

interface Calculation {
  readonly operator: 'count' | 'p99' | 'sum'
  readonly alias: string
  readonly key?: string
  readonly keyType?: MemberKind
}

/** The names of comparisons in the API's queries. */
const operations = {
  '=': 'eq',
  '!=': 'neq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  contains: 'includes',
} as const

/** What a reader looks at first in lines about an event. */
const firstLook: { readonly [Event in LogEvent]: readonly Member<Event>[] } = {
  request: ['operation', 'status'],
  failure: ['cause'],
  unhealthy: ['cause'],
  'old keys removed': ['left'],
  'old keys not removed': ['cause'],
  'limiter degraded': ['cause'],
}

/**
 * The queries of all alerts, one for the lines of each: the API knows no share of two numbers, so that an alert on a share has two.
 *
 * @param service name of the Worker
 */
export function savedQueries(service: string, alerts: readonly Alert[]): readonly SavedQuery[] {
  const queries = new Map(alerts.flatMap(linesFor).map((query) => [query.called, query]))
  return [...queries.values()].map((query) => {
    const of = alerts.filter((alert) =>
      linesFor(alert).some(({ called }) => called === query.called),
    )
    return {
      name: `${service}: ${plain(query.called)}`,
      description: plain(of.map((alert) => `${alert.name}: ${whenOf(alert)}.`).join(' ')),
      parameters: {
        filterCombination: 'and',
        filters: [
          {
            kind: 'filter',
            key: '$metadata.service',
            operation: 'eq',
            type: 'string',
            value: service,
          },
          eventFilter(query.events),
          ...query.where.map(filterOf),
        ],
        calculations: calculationsOf(query),
        groupBys: groupsOf(query, of),
      },
    }
  })
}

function eventFilter(events: readonly LogEvent[]): Filter {
  const operation = events.length === 1 ? 'eq' : 'in'
  return { kind: 'filter', key: 'event', operation, type: 'string', value: events.join(',') }
}

function filterOf(condition: Condition): Filter | FilterGroup {
  return 'anyOf' in condition
    ? { kind: 'group', filterCombination: 'or', filters: condition.anyOf.map(testFilter) }
    : testFilter(condition)
}

function testFilter([key, is, value]: Test): Filter {
  const type = typeof value === 'number' ? 'number' : 'string'
  return { kind: 'filter', key, operation: operations[is], type, value }
}

function calculationsOf({ events, sums }: Lines): readonly Calculation[] {
  const count: Calculation = { operator: 'count', alias: 'lines' }
  if (sums !== undefined) {
    return [count, { operator: 'sum', alias: sums, key: sums, keyType: 'number' }]
  }
  return events.includes('request')
    ? [count, { operator: 'p99', alias: 'p99 of ms', key: 'ms', keyType: 'number' }]
    : [count]
}

/** What the lines are counted by: what an alert or a reader asks for, and what they are weighed by. */
function groupsOf({ events, sums }: Lines, of: readonly Alert[]) {
  const asked = of.flatMap(({ figure }) => ('member' in figure ? [figure.member] : []))
  const looked = events.flatMap((event): readonly string[] => firstLook[event])
  const weighed = events.includes('request') && sums === undefined ? ['share'] : []
  const members = new Set([...asked, ...(asked.length === 0 ? looked : []), ...weighed])
  return [...members].map((value) => ({ type: kindOf(events, value), value }))
}

/** What a member of lines holds. */
function kindOf(events: readonly LogEvent[], member: string): MemberKind {
  const kinds: Readonly<Record<string, MemberKind>> = Object.assign(
    {},
    ...events.map((event) => logLines[event]),
  )
  return kinds[member] ?? 'string'
}
