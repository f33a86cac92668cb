import { readFileSync } from 'node:fs'
import { parser } from '@grafana/lezer-logql'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readSettings } from '../../../../scripts/deploy/settings.ts'
import { paths } from '../../../../scripts/lib/config.ts'
import { readRules } from '../../../../scripts/operate/rules.ts'
import { logLines } from '../../../../src/http/log.ts'

const root = new URL('../../../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')
const service = readSettings(paths.wranglerConfig, 'production').name
const document = textOf('docs/operations.md')
const { alerts, objectives } = await readRules()

/** The errors that the parser of Grafana finds in a query, as the texts where they are. */
function errorsIn(query: string): string[] {
  const errors: string[] = []
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) {
        errors.push(query.slice(from, to + 20))
      }
    },
  })
  return errors
}

/** What a query filters, groups and sums by: all names that the parser takes for names of members. */
function membersIn(query: string): Set<string> {
  const names = new Set<string>()
  parser.parse(query).iterate({
    enter: ({ name, from, to }) => {
      if (name === 'Identifier') {
        names.add(query.slice(from, to))
      }
    },
  })
  return names
}

const known = new Set(Object.values(logLines).flatMap((members) => Object.keys(members)))
/** Names of LogQL's own, of the stream, and of what a query makes itself. */
const others = ['event', 'service_name', 'weight', '__error__', '__error_details__']

function expectQuery(query: string): void {
  // The parser knows no variables of dashboards.
  const filled = query.replaceAll('$__auto', '5m')
  expect({ query, errors: errorsIn(filled) }).toEqual({ query, errors: [] })
  const unknown = [...membersIn(filled)].filter(
    (name) => !known.has(name) && !others.includes(name),
  )
  expect({ query, unknown }).toEqual({ query, unknown: [] })
}

describe('docs/operations.md', () => {
  it('has each alert in its table: whether it wakes somebody, and the first thing to do', () => {
    const plain = (markdown: string) =>
      markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
    const [, table = ''] = /\| Alert \| Wake.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(document) ?? []
    const rows = table
      .trim()
      .split('\n')
      .map((row) => row.slice(2, -2).split(' | ').map(plain))
    const outside = rows.filter(([name]) => name === 'Down' || name === 'Bill')
    expect(outside).toHaveLength(2)
    expect(rows.filter((row) => !outside.includes(row)).toSorted()).toEqual(
      alerts
        .map(({ name, summary, wakes, first }) => {
          expect(summary).toMatch(new RegExp(`^${name}: .+\\.$`))
          return [name, wakes ? 'yes' : 'no', first]
        })
        .toSorted(),
    )
  })

  it('has each objective in its table', () => {
    for (const { name } of objectives) {
      expect(document).toContain(`\n| ${name.replace(': budget left', '')} | `)
    }
  })

  it('explains each member of the lines about requests, and each other line', () => {
    const [, table = ''] = /\| Field \| Meaning \|\n\|[-|]+\n((?:\|.*\n)+)/.exec(document) ?? []
    const explained = [...table.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect(explained.toSorted()).toEqual(Object.keys(logLines.request).toSorted())
    for (const [event, members] of Object.entries(logLines)) {
      expect(document).toContain(`\`${event}\``)
      const row = new RegExp(`^\\| \`${event}\`, .*$`, 'm').exec(document)?.[0] ?? ''
      for (const member of Object.keys(members)) {
        expect({ event, told: table + row }).toEqual({
          event,
          told: expect.stringContaining(`\`${member}\``),
        })
      }
    }
  })
})

describe('docs/monitoring/grafana/alerts.yaml', () => {
  const text = textOf('docs/monitoring/grafana/alerts.yaml')
  const { apiVersion, groups } = parse(text)
  const rules = groups[0].rules

  it('has rules as Grafana provisions them', () => {
    expect(apiVersion).toBe(1)
    expect(groups).toEqual([expect.objectContaining({ orgId: 1, interval: '1m', folder: service })])
    const uids = rules.map(({ uid }: { uid: string }) => uid)
    expect(new Set(uids).size).toBe(alerts.length)
    for (const uid of uids) {
      expect(uid).toMatch(/^[a-z-]{1,40}$/)
    }
  })

  it('asks each query in LogQL that parses, about members that lines have', () => {
    for (const { data, condition } of rules) {
      const [query, fires] = data
      expect(query.model).toMatchObject({ refId: query.refId, queryType: 'instant' })
      expectQuery(query.model.expr)
      expect(fires.model).toMatchObject({ type: 'threshold', expression: query.refId })
      expect(condition).toBe(fires.refId)
    }
    expect(errorsIn('sum by (')).not.toEqual([])
    expect(membersIn('{a="b"} | json | duration > 5')).toContain('duration')
  })

  it('looks back as far as the longest window of its query', () => {
    for (const { title, data } of rules) {
      const windows = [...data[0].model.expr.matchAll(/\[(\d+)m\]/g)].map(([, m]) => Number(m) * 60)
      expect({ title, from: data[0].relativeTimeRange.from }).toEqual({
        title,
        from: Math.max(...windows),
      })
    }
  })

  it('holds no dollar sign: Grafana would put variables of its environment there', () => {
    expect(text).not.toContain('$')
  })
})

describe('docs/monitoring/grafana/dashboard.json', () => {
  const { panels, templating } = JSON.parse(textOf('docs/monitoring/grafana/dashboard.json'))

  it('asks queries in LogQL that parse, about members that lines have, of the service and data source that are chosen', () => {
    const targets = panels.flatMap((panel: { targets?: object[] }) => panel.targets ?? [])
    expect(targets.length).toBeGreaterThan(alerts.length)
    for (const { expr, datasource } of targets) {
      expectQuery(expr)
      expect(expr).toContain('{service_name="$service"}')
      expect(datasource).toEqual({ type: 'loki', uid: '$source' })
    }
    expect(templating.list.map(({ name }: { name: string }) => name)).toEqual(['source', 'service'])
  })

  it('shows each alert as its rule asks it, and says when it fires and what to do first', () => {
    for (const { name, query, wakes, summary, first } of alerts) {
      const title = wakes ? `${name} (wakes)` : name
      const panel = panels.find((each: { title: string }) => each.title === title)
      expect(panel?.description).toBe(`${summary.slice(name.length + 2)} First: ${first}`)
      expect(panel.targets.length).toBeGreaterThan(0)
      for (const { expr } of panel.targets) {
        const [, topmost = expr] = /^topk\(10, (.*)\)$/.exec(expr) ?? []
        expect(query).toContain(topmost.replaceAll('$service', service))
      }
      const [{ color }, { value }] = panel.fieldConfig.defaults.thresholds.steps
      expect(query).toContain(`${color === 'green' ? '>' : '<'} bool ${value}`)
    }
  })
})

describe('docs/monitoring/workers-observability.json', () => {
  const queries = JSON.parse(textOf('docs/monitoring/workers-observability.json'))
  type Filter = {
    kind: string
    key: string
    operation: string
    type: string
    value: unknown
    filters?: Filter[]
  }
  const filtersOf = (filters: readonly Filter[]): Filter[] =>
    filters.flatMap((filter) =>
      filter.kind === 'group' ? filtersOf(filter.filters ?? []) : filter,
    )

  it('has queries of different names, each of which names its alerts; each alert has one', () => {
    const names = queries.map(({ name }: { name: string }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name: string) => !name.startsWith(`${service}: `))).toEqual([])
    const told = queries.map(({ description }: { description: string }) => description)
    for (const { summary } of alerts) {
      expect(told).toContainEqual(expect.stringContaining(summary))
    }
    const left = alerts.reduce(
      (texts, { summary }) => texts.map((text) => text.replace(summary, '').trim()),
      told as string[],
    )
    expect(left.filter(Boolean)).toEqual([])
  })

  it('keeps the bounds of the API: names, descriptions, operations, and types that values have', () => {
    const operations = ['eq', 'neq', 'gt', 'gte', 'lt', 'includes', 'in']
    for (const { name, description, parameters } of queries) {
      expect(name.length).toBeLessThanOrEqual(250)
      expect(description.length).toBeLessThanOrEqual(1000)
      for (const { key, operation, type, value } of filtersOf(parameters.filters)) {
        expect(operations).toContain(operation)
        expect(typeof value).toBe(type)
        expect(known.has(key) || ['event', '$metadata.service'].includes(key)).toBe(true)
      }
      for (const { value, type } of parameters.groupBys) {
        expect(known).toContain(value)
        expect(['string', 'number', 'boolean']).toContain(type)
      }
    }
  })
})
