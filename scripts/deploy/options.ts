import { basename } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint } from '../lib/complaint.ts'
import { configOf, engineOf, environments } from '../lib/config.ts'

/** What the command line asks for, as the help says. */
export type DeployOptions = ReturnType<typeof readOptions>

const help = `Checks the settings of an environment, migrates its database, uploads a version, reads from it, and gives it all traffic.

  npm run deploy -- --env production --dry-run
  npm run deploy -- --env production --secrets-file secrets.json
  npm run deploy -- --env production
  npm run deploy -- --env production --read-only on
  POSTGRES_URL=… npm run deploy -- --env production --database postgres

  --env <name>           staging or production
  --database <db>        postgres in place of D1: uses wrangler.postgres.toml, and the database that POSTGRES_URL names,
                         as the owner of its tables (docs/postgres.md)
  --other-database       yes, this version replaces one that uses the other database
  --read-only <on|off>   refuse writes, or accept them again, and nothing else: builds the commit that is live, migrates
                         nothing, and gives it all traffic at once. Other deployments leave it as it is
  --dry-run              check and build, without an account
  --upload               give the new version no traffic
  --secrets-file <file>  secrets to upload, as JSON or as lines NAME=value; the first deployment needs them

The smoke test reads with SMOKE_TOKEN, an access token of a client. Without it, it sends the form SMOKE_TOKEN_REQUEST to
SMOKE_TOKEN_URL, and gets one there.
`

/** The arguments of wrangler that name the Worker: an environment, in the configuration of its database. */
export function workerOf({ env, engine }: Pick<DeployOptions, 'env' | 'engine'>): string[] {
  const config = engine === 'd1' ? [] : ['--config', basename(configOf[engine])]
  return ['--env', env, ...config]
}

/**
 * Reads the command line.
 *
 * @throws a complaint in one line about arguments that make no sense
 */
export function readOptions(args: readonly string[]) {
  const values = readArguments(
    {
      name: 'deploy',
      help,
      options: {
        env: { type: 'string' },
        database: { type: 'string' },
        'other-database': { type: 'boolean', default: false },
        'read-only': { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        upload: { type: 'boolean', default: false },
        'secrets-file': { type: 'string' },
      },
    },
    args,
  )
  const env = environments.find((name) => name === values.env)
  if (env === undefined) {
    throw complaint(
      `--env must be one of ${environments.join(', ')}: npm run deploy -- --help lists the options.`,
    )
  }
  const { 'read-only': readOnly } = values
  if (readOnly !== undefined && !/^(?:on|off)$/.test(readOnly)) {
    throw complaint(`--read-only must be on or off, not "${readOnly}".`)
  }
  const beside = (['dry-run', 'upload', 'secrets-file'] as const).find((name) => values[name])
  if (readOnly !== undefined && beside !== undefined) {
    throw complaint(`--read-only changes nothing else: leave out --${beside}.`)
  }
  return {
    env,
    engine: engineOf(values.database),
    readOnly: readOnly === undefined ? undefined : readOnly === 'on',
    otherDatabase: values['other-database'],
    dryRun: values['dry-run'],
    upload: values.upload,
    secretsFile: values['secrets-file'],
  }
}
