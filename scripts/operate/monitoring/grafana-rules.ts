import { stringify } from 'yaml'
import { type Alert, whenOf } from './alert.ts'
import { alertQl } from './logql.ts'
import { plain } from './query.ts'

/** The uid of Loki's data source in Grafana, and how often rules are asked. */
const source = { uid: 'loki', interval: '1m' }

const about = `# Alert rules for Grafana, whose data source of Loki has the uid "${source.uid}": put your own in its place. They are provisioned
# from the folder provisioning/alerting. npm run monitoring writes this file from scripts/operate/monitoring/alerts.ts.
`

/** The rules of all alerts, as Grafana's provisioning reads them. */
export function ruleFile(service: string, alerts: readonly Alert[]): string {
  const group = {
    orgId: 1,
    name: 'alerts',
    folder: service,
    interval: source.interval,
    rules: alerts.map((alert) => ruleOf(service, alert)),
  }
  return (
    about +
    stringify({ apiVersion: 1, groups: [group] }, { lineWidth: 0, aliasDuplicateObjects: false })
  )
}

/** The uid of a rule, of at most 40 characters: `users-nobody-gets-in`. */
function uidOf({ name }: Alert): string {
  return `users-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`
}

function ruleOf(service: string, alert: Alert) {
  const { minutes, wakes, first } = alert
  const [seconds, fires] = [minutes[0] * 60, 'fires']
  const [loki, expression] = [
    { type: 'loki', uid: source.uid },
    { type: '__expr__', uid: '__expr__' },
  ]
  return {
    uid: uidOf(alert),
    title: alert.name,
    condition: fires,
    data: [
      {
        refId: 'query',
        relativeTimeRange: { from: seconds, to: 0 },
        datasourceUid: loki.uid,
        model: {
          refId: 'query',
          expr: alertQl(service, alert),
          queryType: 'instant',
          datasource: loki,
        },
      },
      {
        refId: fires,
        relativeTimeRange: { from: 0, to: 0 },
        datasourceUid: expression.uid,
        model: {
          refId: fires,
          type: 'threshold',
          expression: 'query',
          conditions: [{ evaluator: { type: 'gt', params: [0] } }],
          datasource: expression,
        },
      },
    ],
    // A share of nothing has no value: without requests there is nothing to wake anybody for.
    noDataState: 'OK',
    execErrState: 'Error',
    for: '0s',
    labels: { service, severity: wakes ? 'page' : 'ticket' },
    annotations: { summary: `${alert.name}: ${plain(whenOf(alert))}.`, first: plain(first) },
  }
}
