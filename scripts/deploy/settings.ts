import { variableNames } from '../../src/config.ts'
import { complaint } from '../lib/complaint.ts'
import type { Environment } from '../lib/config.ts'
import { newRing } from '../lib/secrets.ts'
import { wrongVariables } from '../lib/variables.ts'
import { readWranglerConfig } from '../lib/wrangler-config.ts'

/** What wrangler.toml says about one environment, as far as somebody has to fill it in. */
export interface Settings {
  readonly vars: Readonly<Record<string, string>>
  /** The databases' ids by the name of their binding. */
  readonly databases: Readonly<Record<string, string | undefined>>
  /** The ids of configurations of Hyperdrive by the name of their binding. */
  readonly hyperdrives: Readonly<Record<string, string>>
  /** Where the Worker is to run; undefined where nothing is said of that. */
  readonly placement: object | undefined
  /** Is there an address at which the Worker can be reached? */
  readonly reachable: boolean
  /** The origin of its first route; without one it is known once it is deployed, to workers.dev. */
  readonly address: string | undefined
  /** The Worker's name at Cloudflare. */
  readonly name: string
}

/** The reasons why an environment cannot be deployed, each in one line. */
export interface Faults {
  /** What has not been filled in. */
  readonly missing: readonly string[]
  /** What is filled in, and cannot be right. */
  readonly wrong: readonly string[]
}

/** A binding to a database in wrangler's configuration. */
interface Binding {
  readonly binding: string
  readonly database_id?: string
  readonly id?: string
}

/** Variables without a default: they differ wherever the service runs. */
export const neededVars = ['AUTH_URL', 'TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL'] as const

/** Stands in for what is missing, so that the rest can be validated. */
const standIn = 'https://missing.example'

const hyperdriveId = /^[0-9a-f]{32}$/

/** What stands for a region that nobody has named yet: wrangler allows no empty one. */
const noRegion = '?'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Reads the settings of an environment. */
export function readSettings(configPath: string, env: Environment): Settings {
  const config = readWranglerConfig(configPath, env)
  return {
    vars: Object.fromEntries(
      Object.entries(config.vars).map(([name, value]) => [name, String(value)]),
    ),
    databases: Object.fromEntries(
      config.d1_databases.map(({ binding, database_id = '' }: Binding) => [binding, database_id]),
    ),
    hyperdrives: Object.fromEntries(
      config.hyperdrive.map(({ binding, id = '' }: Binding) => [binding, id]),
    ),
    placement: config.placement,
    reachable: config.workers_dev !== false || (config.routes ?? []).length > 0,
    address: originOf(config.routes?.[0]),
    name: config.name ?? '',
  }
}

/** The origin that a route leads from: what stands before its first slash. */
function originOf(route: string | { readonly pattern: string } | undefined): string | undefined {
  const pattern = typeof route === 'object' ? route.pattern : route
  return pattern === undefined ? undefined : `https://${pattern.split('/')[0]}`
}

/** The names that a var can have: those that the Worker reads. */
const knownVars: ReadonlySet<string> = new Set(variableNames)

/** Checks settings, with the code that reads them in the Worker. */
export function faultsOf(settings: Settings): Faults {
  const { vars, databases, hyperdrives, placement, reachable } = settings
  const region = placement && 'region' in placement ? String(placement.region) : undefined
  const missingVars = neededVars.filter((name) => !vars[name])
  const missingDatabases = Object.keys(databases).filter((binding) => !databases[binding])
  const standIns = Object.fromEntries(missingVars.map((name) => [name, standIn]))
  return {
    missing: [
      ...missingDatabases.map((binding) => `The database ${binding} has no database_id.`),
      ...Object.keys(hyperdrives)
        .filter((binding) => !hyperdrives[binding])
        .map((binding) => `The Hyperdrive ${binding} has no id.`),
      ...(region === noRegion ? ['The placement names no region.'] : []),
      ...missingVars.map((name) => `The var ${name} is empty.`),
      ...(reachable ? [] : ['The Worker has no address: give it routes, or workers_dev = true.']),
    ],
    wrong: [
      ...Object.entries(databases)
        .filter(([, id]) => id && !uuid.test(id))
        .map(([binding, id]) => `The database_id of ${binding} is no UUID: ${id}`),
      ...Object.entries(hyperdrives)
        .filter(([, id]) => id && !hyperdriveId.test(id))
        .map(([binding, id]) => `The id of the Hyperdrive ${binding} is none: ${id}`),
      ...wrongVariables({ ...vars, ...standIns, CARD_KEYS: newRing('k1') }),
      ...Object.keys(vars)
        .filter((name) => !knownVars.has(name))
        .map((name) => `The service knows no var ${name}: docs/configuration.md lists all.`),
      ...Object.entries(vars).flatMap(([name, value]) => localFault(name, String(value))),
    ],
  }
}

/**
 * @param isDry what has not been filled in yet does not matter
 * @throws a complaint about settings with which an environment cannot be deployed
 */
export function demandSettings(settings: Settings, env: string, isDry = false): void {
  const { missing, wrong } = faultsOf(settings)
  if (wrong.length > 0 || (missing.length > 0 && !isDry)) {
    throw complaint([`${env} cannot be deployed.`, ...wrong, ...missing].join('\n  '))
  }
}

/** What is wrong with an address of a deployment, which carries tokens and keys between machines. */
function localFault(name: string, value: string): string[] {
  return /^http:/.test(value) ? [`The var ${name} is not an https address: ${value}`] : []
}
