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

/** Each child leads a process group: wrangler has children of its own, which must not outlive this one. */
const children = new Set<ChildProcess>()
process.on('exit', () => signalAll('SIGKILL'))
// A signal does not reach the groups of the children, and ends this process without `exit`, unless the command listens for it itself.
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.once(signal, () => {
    if (process.listenerCount(signal) === 0) {
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
 * @param vars take the place of those in wrangler.toml; the build finds them in its environment
 * @param options another configuration than wrangler.toml, and what else the environment holds
 */
export function wranglerDev(
  port: number,
  vars: Readonly<Record<string, string>>,
  { config = paths.wranglerConfig, env = {} }: DevOptions = {},
): DevServer {
  const given = Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`)
  const child = launch(
    [
      'dev',
      `--config=${config}`,
      '--ip=127.0.0.1',
      `--port=${port}`,
      '--inspector-port=0',
      '--show-interactive-dev-session=false',
      ...given,
    ],
    { ...vars, ...env },
  )
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

/** Ends all processes: asks them to end, and kills them after three seconds. */
export async function stopAll(): Promise<void> {
  signalAll('SIGINT')
  for (let patience = 30; patience > 0 && children.size > 0; patience--) {
    await sleep(100)
    signalAll(0)
  }
  signalAll('SIGKILL')
}

function launch(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [paths.wranglerCommand, ...args], {
    cwd: paths.root,
    env: { ...process.env, ...wranglerSettings, ...more },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  return child
}

/** Signals every process group, and forgets those that are gone. Signal 0 only looks. */
function signalAll(signal: NodeJS.Signals | 0): void {
  for (const child of children) {
    try {
      process.kill(-(child.pid ?? Number.NaN), signal)
    } catch {
      children.delete(child)
    }
  }
}
