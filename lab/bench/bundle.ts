import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { wrangler } from '../../scripts/lib/wrangler.ts'

/** A Worker as it would be deployed. */
export interface Bundle {
  readonly script: string
  readonly bytes: number
  readonly gzipped: number
}

/**
 * Builds a Worker, whose main file is called worker.ts, the way that `wrangler deploy` does.
 *
 * @param config its wrangler.toml
 * @param folder where the bundle is put
 * @throws a complaint with what Wrangler says when it cannot
 */
export async function buildWorker(config: string, folder: string): Promise<Bundle> {
  await wrangler('deploy', '--dry-run', '--config', config, '--env=', '--outdir', folder)
  const script = join(folder, 'worker.js')
  const content = await readFile(script)
  return { script, bytes: content.length, gzipped: gzipSync(content, { level: 9 }).length }
}
