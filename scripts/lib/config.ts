import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { complaint } from './complaint.ts'

/** The two clients of the local authorization server. The secret guards demo data on this machine. */
export const clients = {
  machine: { id: 'local-machine', secret: 'local-machine-secret' },
  app: { id: 'local-app' },
} as const

/** Seconds that an access token lives. */
export const tokenLifetime = 3600

const root = join(import.meta.dirname, '..', '..')

/** Files and folders of the project, absolute. */
export const paths = {
  root,
  wranglerCommand: join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js'),
  wranglerConfig: join(root, 'wrangler.toml'),
  /** The configuration of the Worker that uses PostgreSQL. */
  postgresConfig: join(root, 'wrangler.postgres.toml'),
  migrations: join(root, 'migrations'),
  postgresMigrations: join(root, 'migrations', 'postgres'),
  state: join(root, '.wrangler'),
  signingKey: join(root, '.wrangler', 'dev', 'signing-key.json'),
  /** What was prepared for `wrangler dev`; it goes with that state. */
  prepared: join(root, '.wrangler', 'state', 'prepared'),
} as const

/** The databases that the service can use, as commands call them. */
const engines = ['d1', 'postgres'] as const

/** One of them. */
export type Engine = (typeof engines)[number]

/** The configuration of the Worker that uses a database. */
export const configOf: Readonly<Record<Engine, string>> = {
  d1: paths.wranglerConfig,
  postgres: paths.postgresConfig,
}

/**
 * The engine that an option names; D1 unless it names one.
 *
 * @throws a complaint about a name that is none
 */
export function engineOf(name: string | undefined): Engine {
  const engine = engines.find((each) => each === (name ?? 'd1'))
  if (engine === undefined) {
    throw complaint(`--database must be one of ${engines.join(', ')}, not "${name}".`)
  }
  return engine
}

/** The environments of wrangler.toml that are deployed. Its top level is the local service. */
export const environments = ['staging', 'production'] as const

/** One of them. */
export type Environment = (typeof environments)[number]

/** The file that `wrangler dev` reads secrets from: an environment may have one of its own. */
export function secretsOf(env?: Environment): string {
  const own = join(root, `.dev.vars.${env}`)
  return env !== undefined && existsSync(own) ? own : join(root, '.dev.vars')
}

/** The root path that the local Worker serves, from the configuration of the Worker. */
export function rootPath(): string {
  const [, path] = /^ROOT_PATH\s*=\s*"(.*)"/m.exec(readFileSync(paths.wranglerConfig, 'utf8')) ?? []
  return path ?? '/jsonapi'
}

/** Where the local service and its authorization server are found. */
export type LocalConfig = ReturnType<typeof readConfig>

/**
 * Reads `PORT` and `AUTH_PORT`.
 *
 * @throws a complaint on anything that is not a port, and on two servers for one port
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env) {
  const port = readPort('PORT', env.PORT, 8787)
  const authPort = readPort('AUTH_PORT', env.AUTH_PORT, 9400)
  if (port === authPort) {
    throw complaint(`PORT and AUTH_PORT are both ${port}: they must differ.`)
  }
  return {
    port,
    authPort,
    /** Of the Worker: what comes before the root path. */
    origin: `http://127.0.0.1:${port}`,
    /** Of the tokens: the address of the authorization server. */
    issuer: `http://127.0.0.1:${authPort}`,
  }
}

/** The command that explains how to get a token for the local service. */
export function tokenCommand({ port, authPort }: LocalConfig): string {
  const isUsual = port === 8787 && authPort === 9400
  return `${isUsual ? '' : `PORT=${port} AUTH_PORT=${authPort} `}npm run -s token -- --help`
}

/** The variables of a local service whose tokens come from the local authorization server. */
export function localVariables({ origin, issuer }: LocalConfig): Readonly<Record<string, string>> {
  return {
    AUTH_URL: issuer,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: origin + rootPath(),
    JWKS_URL: `${issuer}/jwks`,
  }
}

function readPort(name: string, text: string | undefined, otherwise: number): number {
  if (!text) {
    return otherwise
  }
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw complaint(`${name} must be a port from 1 to 65535, not "${text}".`)
  }
  return port
}
