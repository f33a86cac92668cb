import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { complaint } from './complaint.ts'
import { paths } from './config.ts'

/** No telemetry, no network, and what wrangler keeps stays in `.wrangler`. */
const settings = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_REGISTRY_PATH: join(paths.state, 'registry'),
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
}

/** Each child leads a process group: wrangler has children of its own, which must not outlive this one. */
const children = new Set<ChildProcess>()
process.on('exit', () => signalAll('SIGKILL'))

/** How a wrangler command is run. */
export interface RunOptions {
  /** Ends the command and all that it has started. */
  readonly signal?: AbortSignal
  /** Does it also write what it asks of Cloudflare's API, and the status of each answer? */
  readonly verbose?: boolean
}

/**
 * Runs a wrangler command to its end.
 *
 * @returns what it wrote to stdout
 * @throws a complaint when it fails or is ended, with what it wrote
 */
export function wrangler(...args: readonly string[]): Promise<string> {
  return runWrangler(args)
}

/** The same, with options. */
export async function runWrangler(
  args: readonly string[],
  { signal, verbose = false }: RunOptions = {},
): Promise<string> {
  const child = launch(args, verbose ? { WRANGLER_LOG: 'debug' } : {})
  const end = () => sendSignal(child, 'SIGKILL')
  signal?.addEventListener('abort', end)
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  signal?.removeEventListener('abort', end)
  children.delete(child)
  if (code !== 0) {
    throw complaint(`wrangler ${args.join(' ')} failed:\n${output}${errors}`.trimEnd())
  }
  return output
}

/**
 * Runs `wrangler dev`. Passes on what the Worker logs and what goes wrong, and what wrangler says after it is ready
 * except its own information.
 *
 * @param vars take the place of those in wrangler.toml
 * @returns when the process has ended, which it does not do by itself
 */
export async function wranglerDev(
  port: number,
  vars: Readonly<Record<string, string>>,
): Promise<void> {
  const child = launch([
    'dev',
    '--ip=127.0.0.1',
    `--port=${port}`,
    '--inspector-port=0',
    '--show-interactive-dev-session=false',
    ...Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`),
  ])
  createInterface(child.stderr).on('line', (line) => {
    if (line.trim()) {
      console.error(line)
    }
  })
  let ready = false
  createInterface(child.stdout).on('line', (line) => {
    if (ready && !line.startsWith('[wrangler:info]')) {
      console.log(line)
    }
    ready ||= line.startsWith('[wrangler:info] Ready')
  })
  await once(child, 'exit')
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
    env: { ...process.env, ...settings, ...more },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  return child
}

/** Signals every process group, and forgets those that are gone. Signal 0 only looks. */
function signalAll(signal: NodeJS.Signals | 0): void {
  for (const child of children) {
    sendSignal(child, signal)
  }
}

/** Signals the process group of a child, and forgets a child that is gone. */
function sendSignal(child: ChildProcess, signal: NodeJS.Signals | 0): void {
  try {
    process.kill(-(child.pid ?? Number.NaN), signal)
  } catch {
    children.delete(child)
  }
}
