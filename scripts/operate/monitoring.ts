import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { environments, paths } from '../lib/config.ts'

const help = `Writes the alerts as files: saved queries of Workers Observability, a dashboard and alert rules of Grafana, and the
tables of docs/operations.md. Or saves the queries in an account.

  npm run monitoring
  CLOUDFLARE_ACCOUNT_ID=… CLOUDFLARE_API_TOKEN=… npm run monitoring -- --apply --env production

  --apply        save the queries that the account does not have yet; the token needs Workers Observability Edit
  --env <name>   the Worker that they ask for: staging or production; production unless given
`

await runCommand(async () => {
  const { apply = false, env = 'production' } = readArguments({
    name: 'monitoring',
    help,
    options: { apply: { type: 'boolean' }, env: { type: 'string' } },
  })
  const environment = environments.find((name) => name === env)
  if (environment === undefined) {
    throw complaint(`--env must be one of ${environments.join(', ')}, not "${env}".`)
  }
  const { readSettings } = await import('../deploy/settings.ts')
  const service = readSettings(paths.wranglerConfig, environment).name
  await (apply ? applyTo(service) : writeFiles(service))
})

async function applyTo(service: string): Promise<void> {
  const { accountFrom, applyQueries } = await import('./monitoring/apply.ts')
  const { alerts } = await import('./monitoring/alerts.ts')
  const { savedQueries } = await import('./monitoring/cloudflare.ts')
  const { made, there, different } = await applyQueries(
    savedQueries(service, alerts),
    accountFrom(),
  )
  for (const name of made) {
    console.log(`Saved: ${name}`)
  }
  console.log(`${made.length} queries saved, ${there.length} were there.`)
  if (different.length > 0) {
    throw complaint(
      `These ask for something else than here: delete them in the dashboard and apply again: ${different.join(', ')}`,
    )
  }
}

async function writeFiles(service: string): Promise<void> {
  const { documentPath, monitoringFiles } = await import('./monitoring/files.ts')
  const document = await readFile(join(paths.root, documentPath), 'utf8')
  for (const [path, text] of monitoringFiles(service, document)) {
    await mkdir(dirname(join(paths.root, path)), { recursive: true })
    await writeFile(join(paths.root, path), text)
    console.log(path)
  }
}
