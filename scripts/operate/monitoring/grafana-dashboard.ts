import { type Alert, timeOf, whenOf } from './alert.ts'
import { figureQl, linesQl, totalQl } from './logql.ts'
import { budgetOf, days, type Objective } from './objectives.ts'
import { lines, plain, sumOf } from './query.ts'
import { failed, refused, requests } from './requests.ts'

/** The variables of the dashboard: which data source of Loki, and which Worker. */
const variables = { source: '$source', service: '$service' }

interface Query {
  readonly expr: string
  readonly legend: string
}

interface PanelOptions {
  readonly title: string
  readonly type: 'stat' | 'timeseries' | 'logs' | 'row'
  readonly description?: string
  readonly queries?: readonly Query[]
  readonly unit?: 'percentunit' | 'short' | 'ms'
  /** Where the figure is bad. */
  readonly bound?: Alert['bound']
  /** Columns of 24, and rows. */
  readonly size: readonly [number, number]
}

/** The dashboard as Grafana imports and provisions it: objectives, traffic, and each alert with its bound. */
export function dashboard(
  service: string,
  alerts: readonly Alert[],
  objectives: readonly Objective[],
) {
  return {
    uid: 'users-countries-currencies',
    title: 'Users, Countries and Currencies',
    tags: ['jsonapi', 'cloudflare-workers'],
    schemaVersion: 39,
    editable: true,
    timezone: 'utc',
    time: { from: 'now-6h', to: 'now' },
    refresh: '1m',
    templating: {
      list: [
        { name: 'source', label: 'Data source', type: 'datasource', query: 'loki' },
        {
          name: 'service',
          label: 'Worker',
          type: 'textbox',
          query: service,
          current: { text: service, value: service },
        },
      ],
    },
    panels: laidOut([
      row('Objectives'),
      ...objectives.map(objectivePanel),
      row('Traffic'),
      ...trafficPanels(),
      row('Alerts'),
      ...alerts.map(alertPanel),
    ]),
  }
}

function row(title: string): PanelOptions {
  return { title, type: 'row', size: [24, 1] }
}

/** The share of the budget that is left: 1 at first, 0 when it is spent, below 0 when it is overdrawn. */
function objectivePanel(objective: Objective): PanelOptions {
  const { name, good, bad, among, target } = objective
  const share = figureQl(variables.service, { kind: 'share', of: bad, among }, `${days}d`)
  return {
    title: `${name}: budget left`,
    description: `${good}: ${target * 100} % in ${days} days`,
    type: 'stat',
    unit: 'percentunit',
    bound: { below: 0 },
    queries: [{ legend: name, expr: `1 - (${share}) / ${budgetOf(objective)}` }],
    size: [8, 5],
  }
}

function trafficPanels(): readonly PanelOptions[] {
  const { service } = variables
  const window = '$__auto'
  const size = [12, 8] as const
  const untold = sumOf('untold refusals', ['request'], 'untold')
  const failures = lines('failures', ['failure', 'unhealthy', 'old keys not removed'])
  const timeAt = (share: number): Query => ({
    legend: `p${share * 100} {{operation}}`,
    expr: `quantile_over_time(${share}, ${linesQl(service, requests)} | unwrap ms [${window}]) by (operation)`,
  })
  return [
    {
      title: 'Requests by status',
      type: 'timeseries',
      queries: [{ legend: '{{status}}', expr: totalQl(service, requests, window, 'status') }],
      size,
    },
    {
      title: 'Time of requests',
      description:
        'With LOG_SHARE, slow requests are told more often than others: read the alert "Slow" instead',
      type: 'timeseries',
      unit: 'ms',
      queries: [timeAt(0.5), timeAt(0.99)],
      size,
    },
    {
      title: 'Failures by operation',
      type: 'timeseries',
      queries: [{ legend: '{{operation}}', expr: totalQl(service, failed, window, 'operation') }],
      size,
    },
    {
      title: 'Refusals of the limiter',
      type: 'timeseries',
      queries: [
        {
          legend: 'all',
          expr: figureQl(service, { kind: 'number', of: refused, and: untold }, window),
        },
      ],
      size,
    },
    {
      title: 'Failures',
      type: 'logs',
      queries: [{ legend: '', expr: linesQl(service, failures) }],
      size: [24, 8],
    },
  ]
}

function alertPanel(alert: Alert): PanelOptions {
  const { name, figure, minutes, bound, wakes } = alert
  return {
    title: wakes ? `${name} (wakes)` : name,
    description: plain(`${whenOf(alert)}. First: ${alert.first}`),
    type: 'timeseries',
    unit: figure.kind === 'share' ? 'percentunit' : 'short',
    bound,
    queries: minutes.map((window) => {
      const expr = figureQl(variables.service, figure, `${window}m`)
      return figure.kind === 'each'
        ? { legend: `{{${figure.member}}}`, expr: `topk(10, ${expr})` }
        : { legend: timeOf(window), expr }
    }),
    size: [8, 7],
  }
}

/** The panels in rows of 24 columns, as Grafana writes them. */
function laidOut(panels: readonly PanelOptions[]) {
  let [x, y, height] = [0, 0, 0]
  return panels.map((panel, index) => {
    const [w, h] = panel.size
    if (x + w > 24) {
      ;[x, y, height] = [0, y + height, 0]
    }
    const gridPos = { x, y, w, h }
    ;[x, height] = [x + w, Math.max(height, h)]
    return { id: index + 1, gridPos, ...panelOf(panel) }
  })
}

function panelOf({ title, type, description, queries, unit = 'short', bound }: PanelOptions) {
  if (type === 'row') {
    return { title, type, collapsed: false, panels: [] }
  }
  const datasource = { type: 'loki', uid: variables.source }
  const thresholds = { mode: 'absolute', steps: bound === undefined ? [] : stepsOf(bound) }
  return {
    title,
    type,
    ...(description !== undefined && { description }),
    datasource,
    targets: (queries ?? []).map(({ expr, legend }, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource,
      expr,
      queryType: type === 'stat' ? 'instant' : 'range',
      legendFormat: legend,
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(bound !== undefined && { thresholds }),
        ...(type === 'timeseries' && bound && { custom: { thresholdsStyle: { mode: 'line' } } }),
      },
      overrides: [],
    },
    options: {},
  }
}

/** The colours of a figure on each side of its bound. */
function stepsOf(bound: Alert['bound']) {
  const [low, high, value] =
    'above' in bound ? ['green', 'red', bound.above] : ['red', 'green', bound.below]
  return [
    { color: low, value: null },
    { color: high, value },
  ]
}
