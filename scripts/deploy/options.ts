import { basename } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint } from '../lib/complaint.ts'
import { configOf, type Engine, type Environment, engineOf, environments } from '../lib/config.ts'

/** What the command line asks for. */
export interface DeployOptions {
  readonly env: Environment
  /** The database that it uses. */
  readonly engine: Engine
  /** The version that is live may use another one. */
  readonly otherDatabase: boolean
  /** Check and build, and touch no account. */
  readonly dryRun: boolean
  /** Make a version that gets no traffic yet, instead of deploying it to everybody. */
  readonly upload: boolean
  /** Deploy code alone, while the database cannot be reached from here: no migrations, no comparison. */
  readonly codeOnly: boolean
  /** The tests have run already, on this commit. */
  readonly tested: boolean
  /** Roll back without asking when the smoke test fails. */
  readonly rollBack: boolean
  /** Secrets to send along, as JSON or as lines `NAME=value`: the first deployment needs one. */
  readonly secretsFile: string | undefined
}

const help = `Checks, tests, migrates and deploys an environment, then reads from it to see that it works.

  npm run deploy -- --env production --dry-run
  npm run deploy -- --env production --secrets-file secrets.json
  npm run deploy -- --env production
  POSTGRES_URL=… npm run deploy -- --env production --database postgres

  --env <name>           staging or production
  --database <db>        postgres in place of D1: by wrangler.postgres.toml; POSTGRES_URL is the address of the database for the
                         owner of its tables (docs/postgres.md)
  --other-database       yes, this is to take the place of a version that uses the other database
  --dry-run              check and build; touch no account
  --upload               make a version that gets no traffic yet
  --secrets-file <file>  secrets to send along, as JSON or as lines NAME=value: the first deployment needs one
  --code-only            while D1's management API is down, or PostgreSQL out of reach: no migrations, nor anything else that asks
                         it; refuses when migrations have changed since the commit that is live
  --tested               do not run npm test: it has run on this commit
  --roll-back            when the deployed service does not answer as it should, roll back without asking

SMOKE_TOKEN, an access token of a client, lets the smoke test read; or SMOKE_TOKEN_URL and SMOKE_TOKEN_REQUEST, where to
ask for one and the form to send there.
`

/** The arguments of wrangler that tell which Worker: an environment, in the configuration of its database. */
export function workerOf({ env, engine }: Pick<DeployOptions, 'env' | 'engine'>): string[] {
  const config = engine === 'd1' ? [] : ['--config', basename(configOf[engine])]
  return ['--env', env, ...config]
}

/**
 * Reads the command line.
 *
 * @throws a complaint in one line about arguments that make no sense, and the help where it is asked for
 */
export function readOptions(args: readonly string[]): DeployOptions {
  const values = readArguments(
    {
      name: 'deploy',
      help,
      options: {
        env: { type: 'string' },
        database: { type: 'string' },
        'other-database': { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        upload: { type: 'boolean' },
        'code-only': { type: 'boolean' },
        tested: { type: 'boolean' },
        'roll-back': { type: 'boolean' },
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
  const engine = engineOf(values.database)
  return {
    env,
    engine,
    otherDatabase: values['other-database'] ?? false,
    dryRun: values['dry-run'] ?? false,
    upload: values.upload ?? false,
    codeOnly: values['code-only'] ?? false,
    tested: values.tested ?? false,
    rollBack: values['roll-back'] ?? false,
    secretsFile: values['secrets-file'],
  }
}
