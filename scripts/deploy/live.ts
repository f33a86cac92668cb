import { isTrue } from '../../src/lib/variables.ts'
import type { Engine } from '../lib/config.ts'
import type { Wrangler } from '../lib/wrangler.ts'

/** The current deployment of a Worker. */
export type Deployment = NonNullable<Awaited<ReturnType<typeof currentDeployment>>>

/** A version as wrangler shows it. A variable is a binding with a text, or with JSON where it is no text in wrangler.toml. */
interface View {
  readonly annotations?: Readonly<Record<string, string>>
  readonly resources?: {
    readonly bindings?: readonly { type: string; name: string; text?: string; json?: unknown }[]
  }
}

/** The type of the binding to each database, as Cloudflare calls it. */
const engineOfBinding: Readonly<Record<string, Engine>> = { d1: 'd1', hyperdrive: 'postgres' }

/** What wrangler says of a Worker that was never deployed. */
const neverDeployed = /\[code: 10007\]|has no deployments/

/**
 * The current deployment, its versions with the most traffic first; undefined before the first one.
 *
 * @param where arguments of wrangler that name the Worker
 * @throws what wrangler throws where it gets no answer
 */
export async function currentDeployment(wrangler: Wrangler, where: readonly string[]) {
  let status: string
  try {
    status = await wrangler('deployments', 'status', ...where, '--json')
  } catch (error) {
    if (neverDeployed.test((error as Error).message)) {
      return undefined
    }
    throw error
  }
  const { id, versions }: { id: string; versions: { version_id: string; percentage: number }[] } =
    JSON.parse(status)
  const sorted = versions.toSorted((a, b) => b.percentage - a.percentage)
  const all = sorted.map(async ({ version_id, percentage }) => {
    const view = await wrangler('versions', 'view', version_id, ...where, '--json')
    const { annotations, resources }: View = JSON.parse(view)
    const bindings = resources?.bindings ?? []
    const { text, json } = bindings.find(({ name }) => name === 'READ_ONLY') ?? {}
    return {
      id: version_id,
      /** Its share of the traffic; it may be 0. */
      percentage,
      /** The database that it uses; undefined where it has none. */
      engine: bindings.flatMap(({ type }) => engineOfBinding[type] ?? [])[0],
      /** Does it refuse writes? */
      readOnly: isTrue(text ?? String(json)),
      /** The commit that it was made of; undefined where it has none. */
      tag: annotations?.['workers/tag'],
    }
  })
  return { id, versions: await Promise.all(all) }
}

/** The versions of a deployment that have traffic. */
export function withTraffic(deployment: Deployment | undefined) {
  return deployment?.versions.filter(({ percentage }) => percentage > 0) ?? []
}

/** A version with traffic that uses another database than this one; undefined where there is none. */
export function versionOnOther(deployment: Deployment | undefined, engine: Engine) {
  return withTraffic(deployment).find((version) => version.engine !== engine)
}
