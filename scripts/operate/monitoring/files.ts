import { alerts, outsideAlerts } from './alerts.ts'
import { savedQueries } from './cloudflare.ts'
import { dashboard } from './grafana-dashboard.ts'
import { ruleFile } from './grafana-rules.ts'
import { objectives } from './objectives.ts'
import { alertTable, objectiveTable, withTable } from './tables.ts'

/** The document that has the tables. */
export const documentPath = 'docs/operations.md'

/**
 * The files that are made of the alerts: their paths in the repository, and what they hold.
 *
 * @param service name of the Worker
 * @param document the text of {@link documentPath}
 */
export function monitoringFiles(service: string, document: string): ReadonlyMap<string, string> {
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const tables = [
    ['alerts', alertTable(alerts, outsideAlerts)],
    ['objectives', objectiveTable(objectives)],
  ] as const
  return new Map([
    ['docs/monitoring/workers-observability.json', json(savedQueries(service, alerts))],
    ['docs/monitoring/grafana/dashboard.json', json(dashboard(service, alerts, objectives))],
    ['docs/monitoring/grafana/alerts.yaml', ruleFile(service, alerts)],
    [documentPath, tables.reduce((text, [name, rows]) => withTable(text, name, rows), document)],
  ])
}
