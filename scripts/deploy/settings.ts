import { variableNames } from '../../src/config.ts'
import { complaint } from '../lib/complaint.ts'
import type { Environment } from '../lib/config.ts'
import { newRing } from '../lib/secrets.ts'
import { wrongVariables } from '../lib/variables.ts'
import { readWranglerConfig } from '../lib/wrangler-config.ts'

/** Variables without a default: they differ wherever the service runs. */
export const neededVars = ['AUTH_URL', 'TOKEN_ISSUER', 'TOKEN_AUDIENCE', 'JWKS_URL'] as const

/** Stands in for what is missing, so that the rest can be validated. */
const standIn = 'https://missing.example'

/** What stands for a region that nobody has named yet: wrangler allows no empty one. */
const noRegion = '?'

/** What wrangler.toml says about one environment, as far as somebody has to fill it in. */
export type Settings = ReturnType<typeof readSettings>

/** Reads the settings of an environment. */
export function readSettings(configPath: string, env: Environment) {
  const config = readWranglerConfig(configPath, env)
  const bindings: readonly { binding: string; database_id?: string; id?: string }[] = [
    ...config.d1_databases,
    ...config.hyperdrive,
  ]
  const [route] = config.routes ?? []
  const pattern = typeof route === 'object' ? route.pattern : route
  return {
    /** The Worker's name at Cloudflare. */
    name: config.name ?? '',
    vars: Object.fromEntries(
      Object.entries(config.vars).map(([name, value]) => [name, String(value)]),
    ),
    /** The ids of databases of D1, and of configurations of Hyperdrive, by the name of their binding. */
    ids: Object.fromEntries(
      bindings.map(({ binding, database_id, id }) => [binding, database_id ?? id ?? '']),
    ),
    /** Where the Worker is to run; undefined where nothing is said of that. */
    placement: config.placement as { readonly region?: string } | undefined,
    /** Is there an address at which the Worker can be reached? */
    reachable: config.workers_dev !== false || route !== undefined,
    /** The origin of its first route; without one it is known once it is deployed, to workers.dev. */
    address: pattern === undefined ? undefined : `https://${pattern.split('/')[0]}`,
  }
}

/**
 * Checks settings, the vars with the code that reads them in the Worker. Cloudflare knows its own ids.
 *
 * @returns the reasons why an environment cannot be deployed, each in one line: what has not been filled in, and what cannot be right
 */
export function faultsOf(settings: Settings) {
  const { vars, ids, placement, reachable } = settings
  const emptyOf = (texts: Readonly<Record<string, string>>, names = Object.keys(texts)) =>
    names.filter((name) => !texts[name])
  const missingVars = emptyOf(vars, [...neededVars])
  const standIns = Object.fromEntries(missingVars.map((name) => [name, standIn]))
  const names: readonly string[] = variableNames
  return {
    missing: [
      ...emptyOf(ids).map(
        (binding) =>
          `The binding ${binding} has no id: fill in database_id (D1) or id (Hyperdrive).`,
      ),
      ...(placement?.region === noRegion ? ['The placement names no region.'] : []),
      ...missingVars.map((name) => `The var ${name} is empty.`),
      ...(reachable ? [] : ['The Worker has no address: give it routes, or workers_dev = true.']),
    ],
    wrong: [
      ...wrongVariables({ ...vars, ...standIns, CARD_KEYS: newRing('k1') }),
      ...Object.keys(vars)
        .filter((name) => !names.includes(name))
        .map((name) => `The service knows no var ${name}: docs/configuration.md lists all.`),
      // Addresses of a deployment carry tokens and keys between machines.
      ...Object.entries(vars)
        .filter(([, value]) => value.startsWith('http:'))
        .map(([name, value]) => `The var ${name} is not an https address: ${value}`),
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
