import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

/** A Worker as it would be deployed. */
export interface Bundle {
  readonly script: string
  readonly bytes: number
  readonly gzipped: number
  /** Modules that it expects of the platform. */
  readonly imports: readonly string[]
  /** Bytes by package or folder of the sources, minified, the largest first. */
  readonly parts: readonly (readonly [name: string, bytes: number])[]
}

const root = join(import.meta.dirname, '..', '..')
const require = createRequire(import.meta.url)
const wrangler = join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js')

/**
 * Builds a Worker the way that `wrangler deploy` does.
 *
 * @param config its wrangler.toml
 * @param folder where the bundle is put
 * @throws Error with what Wrangler says when it cannot
 */
export async function buildWorker(config: string, main: string, folder: string): Promise<Bundle> {
  const metafile = join(folder, 'meta.json')
  const child = spawn(
    process.execPath,
    [
      wrangler,
      'deploy',
      '--dry-run',
      '--config',
      config,
      '--env=',
      '--outdir',
      folder,
      '--metafile',
      metafile,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' },
    },
  )
  const [said, complaints, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  if (code !== 0) {
    throw new Error(`wrangler cannot build ${config}:\n${said}${complaints}`)
  }
  const script = join(folder, `${basename(main, '.ts')}.js`)
  const content = await readFile(script)
  const metadata: Metafile = JSON.parse(await readFile(metafile, 'utf8'))
  const output = Object.entries(metadata.outputs).find(
    ([file]) => basename(file) === basename(script),
  )?.[1]
  return {
    script,
    bytes: content.length,
    gzipped: gzipSync(content, { level: 9 }).length,
    imports: [...new Set((output?.imports ?? []).map(({ path }) => path))],
    parts: partsOf(output?.inputs ?? {}),
  }
}

/** What esbuild tells of what it has made. */
interface Metafile {
  readonly outputs: Readonly<Record<string, Output>>
}

interface Output {
  readonly imports: readonly { readonly path: string }[]
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
}

function partsOf(inputs: Output['inputs']): (readonly [string, number])[] {
  const sizes = new Map<string, number>()
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const name = partOf(file)
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
  }
  return [...sizes].filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a)
}

/** The package that a source belongs to, or its folder. */
function partOf(file: string): string {
  const [, dependency] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []
  if (dependency) {
    return dependency
  }
  const [, folder] = /(?:^|\/)(src(?:\/[^/]+(?=\/))?)\//.exec(file) ?? []
  return folder ?? 'other'
}
