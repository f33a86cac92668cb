import { complaint } from '../lib/complaint.ts'
import type { Engine } from '../lib/config.ts'
import type { Wrangler } from '../lib/wrangler.ts'

/** The version that has most of the traffic. */
export interface LiveVersion {
  readonly id: string
  /** The commit that it was made from, as its deployment has told. */
  readonly tag: string | undefined
  /** The database that it uses, by its bindings. */
  readonly engine: Engine | undefined
}

/** The type of the binding to each database, as Cloudflare calls it. */
const engineOfBinding: Readonly<Record<string, Engine>> = { d1: 'd1', hyperdrive: 'postgres' }

/** The database that a version uses, by its bindings; undefined where it has none. */
export function engineIn(bindings: readonly { readonly type: string }[]): Engine | undefined {
  return bindings.flatMap(({ type }) => engineOfBinding[type] ?? [])[0]
}

/** What wrangler says of a Worker that was never deployed. */
const neverDeployed = /\[code: 10007\]|has no deployments/

/**
 * The version that is live; undefined before the first deployment.
 *
 * @param where arguments of wrangler that tell which Worker
 * @throws what wrangler throws where nobody can tell: a deployment could put one database in the place of another
 */
export async function liveVersion(
  wrangler: Wrangler,
  where: readonly string[],
): Promise<LiveVersion | undefined> {
  const status = await wrangler('deployments', 'status', ...where, '--json').catch(
    (error: Error) => {
      if (!neverDeployed.test(error.message)) {
        throw error
      }
    },
  )
  if (status === undefined) {
    return undefined
  }
  const { versions }: { versions: { version_id: string; percentage: number }[] } =
    JSON.parse(status)
  const id = versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id
  if (id === undefined) {
    return undefined
  }
  const { annotations, resources } = JSON.parse(
    await wrangler('versions', 'view', id, ...where, '--json'),
  ) as {
    readonly annotations?: Readonly<Record<string, string>>
    readonly resources?: { readonly bindings?: readonly { readonly type: string }[] }
  }
  return { id, tag: annotations?.['workers/tag'], engine: engineIn(resources?.bindings ?? []) }
}

/**
 * Sees that a deployment does not put one database in the place of another by mistake: callers would read other data, and writes would
 * go astray.
 *
 * @throws a complaint when the version that is live uses another one
 */
export function demandSameEngine(live: LiveVersion | undefined, engine: Engine): void {
  if (live?.engine !== undefined && live.engine !== engine) {
    throw complaint(
      `The version that is live uses ${live.engine}, and this one ${engine}. Did you mean --database ${live.engine}? To put one database in the place of the other, say --other-database.`,
    )
  }
}
