import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { complaint } from '../lib/complaint.ts'
import type { Wrangler } from '../lib/wrangler.ts'

/**
 * The most bytes that the Worker should have after gzip: a larger one starts more slowly. More than this warns, and more
 * than twice this is refused.
 */
export const bundleBudget = 100_000

/** The size of a build, and how long it takes to start. */
export interface Bundle {
  /** Of the script after gzip. */
  readonly bytes: number
  /** Milliseconds of CPU on this machine, from the profile of `wrangler check startup`. */
  readonly startup: string
}

/**
 * Builds the Worker as it would be deployed, and measures it.
 *
 * @param where arguments of wrangler that tell which Worker
 * @throws a complaint when it does not build or does not start
 */
export async function measureBundle(wrangler: Wrangler, where: readonly string[]): Promise<Bundle> {
  const directory = await mkdtemp(join(tmpdir(), 'bundle-'))
  try {
    const upload = join(directory, 'worker.bundle')
    await wrangler('deploy', '--dry-run', ...where, '--outdir', directory, '--outfile', upload)
    const script = await readFile(join(directory, 'worker.js'))
    const profile = join(directory, 'startup.cpuprofile')
    // Without a bundle it would build one of its own: that of the top level of wrangler.toml, whatever Worker is meant.
    const report = await wrangler('check', 'startup', '--worker', upload, '--outfile', profile)
    return { bytes: gzipSync(script).byteLength, startup: startupOf(report) }
  } finally {
    await rm(directory, { recursive: true })
  }
}

/**
 * A warning where the bundle is beyond its budget; undefined where it is within.
 *
 * @throws a complaint when the bundle is beyond twice its budget
 */
export function budgetWarning({ bytes }: Pick<Bundle, 'bytes'>): string | undefined {
  if (bytes > 2 * bundleBudget) {
    throw complaint(
      `The bundle is ${kilobytes(bytes)} compressed, more than twice its budget of ${kilobytes(bundleBudget)}.`,
    )
  }
  return bytes > bundleBudget
    ? `Warning: the bundle is beyond its budget of ${kilobytes(bundleBudget)}. One beyond ${kilobytes(2 * bundleBudget)} is not deployed.`
    : undefined
}

/** A size as people read it. */
export function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}

function startupOf(report: string): string {
  const [, active] = /Active: ([\d.]+ ms)/.exec(report) ?? []
  if (active === undefined) {
    throw complaint(`wrangler check startup tells no figure:\n${report}`)
  }
  return active
}
