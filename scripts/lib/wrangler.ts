import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { complaint } from './complaint.ts'
import { paths } from './config.ts'
import { outputOf } from './npm.ts'

/** No telemetry, no network, no stored trace of each request, and what wrangler keeps stays in `.wrangler`. */
export const wranglerSettings = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_REGISTRY_PATH: join(paths.state, 'registry'),
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
}

/** Runs a wrangler command; gives what it wrote. Rejects when it fails. */
export type Wrangler = (...args: readonly string[]) => Promise<string>

/**
 * Runs a wrangler command to its end.
 *
 * @returns what it wrote to stdout
 * @throws a complaint when it fails: with what it wrote, or that nobody is signed in
 */
export async function wrangler(...args: readonly string[]): Promise<string> {
  Object.assign(process.env, wranglerSettings)
  try {
    return await outputOf(paths.root, process.execPath, paths.wranglerCommand, ...args)
  } catch (error) {
    const said = stripVTControlCharacters((error as Error).message)
    if (said.includes('set a CLOUDFLARE_API_TOKEN')) {
      throw complaint('Nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN')
    }
    throw complaint(`wrangler ${args.join(' ')} failed:\n${said}`.trimEnd(), error)
  }
}

/** How the Worker is run on this machine. */
export interface DevOptions {
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs the Worker in this process, as `wrangler dev` does. It ends with the process.
 *
 * @param vars take the place of those in wrangler.toml
 * @param log is given what the Worker logs, and why it cannot run
 * @param options another configuration than wrangler.toml, and what else the environment holds
 */
export async function runWorker(
  port: number,
  vars: Readonly<Record<string, string>>,
  log: (line: string) => void,
  { config = paths.wranglerConfig, env = {} }: DevOptions = {},
): Promise<void> {
  Object.assign(process.env, wranglerSettings, env)
  // The command of the build is written for this folder.
  process.chdir(paths.root)
  // Loaded only now, for it takes a second.
  const { unstable_startWorker } = await import('wrangler')
  const bindings = Object.entries(vars).map(([name, value]) => {
    return [name, { type: 'plain_text', value }] as const
  })
  const { raw } = await unstable_startWorker({
    config,
    bindings: Object.fromEntries(bindings),
    dev: {
      server: { hostname: '127.0.0.1', port },
      inspector: false,
      logLevel: 'error',
      watch: true,
      structuredLogsHandler: ({ message }: { readonly message: string }) => log(message),
    },
  })
  // What the runtime fails at. Wrangler prints only what the build fails at.
  raw.on('error', ({ reason, cause }) => log(`${reason}: ${cause.message}`))
}
