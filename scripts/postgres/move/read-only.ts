import { currentDeployment, withTraffic } from '../../deploy/live.ts'
import { complaint } from '../../lib/complaint.ts'
import type { Wrangler } from '../../lib/wrangler.ts'

/**
 * Sees that all traffic of a Worker is on versions that use D1 and accept no writes.
 *
 * @param where arguments of wrangler that name the Worker
 * @returns the id of its deployment
 * @throws a complaint where one of them does accept writes or uses another database, and where nothing is deployed
 */
export async function demandReadOnly(
  wrangler: Wrangler,
  where: readonly string[],
): Promise<string> {
  const deployment = await currentDeployment(wrangler, where)
  if (deployment === undefined) {
    throw complaint('The Worker is not deployed: what would be moved?')
  }
  const other = withTraffic(deployment).find(({ engine, readOnly }) => engine !== 'd1' || !readOnly)
  if (other !== undefined) {
    throw complaint(
      other.engine === 'd1'
        ? `The version ${other.id} has traffic and accepts writes: npm run deploy -- ${where.join(' ')} --read-only on`
        : `The version ${other.id} has traffic and does not use D1: what would be moved is not what callers see.`,
    )
  }
  return deployment.id
}
