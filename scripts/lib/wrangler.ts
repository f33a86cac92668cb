import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** The running `wrangler dev`. It leads a process group: wrangler has children of its own, which must not outlive this process. */
let dev: ChildProcess | undefined
process.on('exit', () => signal('SIGKILL'))
// A signal does not reach that group, and ends this process without `exit`, unless the command listens for it itself.
for (const [name, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.once(name, () => {
    if (process.listenerCount(name) === 0) {
      process.exit(128 + number)
    }
  })
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

/** A running `wrangler dev`. */
export interface DevServer {
  /** What it has said that was not passed on: its information, its warnings, what the Worker logged. */
  readonly kept: readonly string[]
  /** Passes on what the Worker logs and what goes wrong from now on. */
  passOn(): void
  /** Settles when the process has ended, which it does not do by itself. */
  readonly ended: Promise<unknown>
}

/** How `wrangler dev` is run. */
export interface DevOptions {
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs `wrangler dev`.
 *
 * @param vars take the place of those in wrangler.toml
 * @param options another configuration than wrangler.toml, and what else the environment holds
 */
export function wranglerDev(
  port: number,
  vars: Readonly<Record<string, string>>,
  { config = paths.wranglerConfig, env = {} }: DevOptions = {},
): DevServer {
  const given = Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`)
  const child = spawn(
    process.execPath,
    [
      paths.wranglerCommand,
      'dev',
      `--config=${config}`,
      '--ip=127.0.0.1',
      `--port=${port}`,
      '--inspector-port=0',
      '--show-interactive-dev-session=false',
      ...given,
    ],
    {
      cwd: paths.root,
      env: { ...process.env, ...wranglerSettings, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  dev = child
  const kept: string[] = []
  let isPassedOn = false
  for (const name of ['stdout', 'stderr'] as const) {
    createInterface(child[name]).on('line', (line) => {
      // Wrangler colours its warnings wherever they go.
      const plain = stripVTControlCharacters(line)
      if (!isPassedOn) {
        kept.push(plain)
      } else if (plain.trim() && !plain.startsWith('[wrangler:info]')) {
        process[name].write(`${plain}\n`)
      }
    })
  }
  return {
    kept,
    passOn() {
      isPassedOn = true
    },
    ended: once(child, 'exit'),
  }
}

/** Ends `wrangler dev`: asks it to end, and kills it after three seconds. */
export async function stopDev(): Promise<void> {
  signal('SIGINT')
  for (let patience = 30; patience > 0 && signal(0); patience--) {
    await sleep(100)
  }
  signal('SIGKILL')
}

/** Signals the process group; signal 0 only looks. Tells whether there is one. */
function signal(name: NodeJS.Signals | 0): boolean {
  try {
    return dev?.pid !== undefined && process.kill(-dev.pid, name)
  } catch {
    return false
  }
}
