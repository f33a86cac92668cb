import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** The file behind `npm start`. */
export const startFile = 'scripts/start/start.ts'

const project = join(import.meta.dirname, '..', '..')

/** What a clone does not hold: what is installed, built or written while the service runs. */
const leftOut = new Set(
  'node_modules .git .wrangler .dev.vars dist coverage reports swagger-ui oas.3.0.json oas.3.1.json oas.3.0.replicated.json oas.3.1.replicated.json'.split(
    ' ',
  ),
)

/** How a command ended, and what it wrote. */
export type Ended = Awaited<ReturnType<typeof runCommand>>

/** Copies the project with its packages, without any state, into a folder, which whoever asked for it removes. */
export async function makeCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  await cp(project, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !leftOut.has(basename(path)),
  })
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs a command of a checkout to its end, as its package.json says. */
export function runCommand(
  folder: string,
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...env } }
    const line = [join(folder, 'scripts', 'run.js'), file, ...args]
    const child = execFile(process.execPath, line, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

/**
 * Runs `npm start` in a folder, on the ports of the service and of the authorization server.
 *
 * @throws Error with what the command wrote when it ends before it is ready
 */
export async function startIn(folder: string, [port, authPort]: readonly [number, number]) {
  const started = await launchIn(folder, ['scripts/run.js', startFile], /^Ctrl-C ends both/, {
    PORT: String(port),
    AUTH_PORT: String(authPort),
  })
  return {
    ...started,
    service: `http://127.0.0.1:${port}`,
    issuer: `http://127.0.0.1:${authPort}`,
  }
}

/**
 * Runs a program of Node.js in a folder until it is stopped.
 *
 * @param args its file, below the folder, and its arguments
 * @param ready a line that it writes when it is ready
 * @throws Error with what it wrote when it ends before it is ready
 */
export async function launchIn(
  folder: string,
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  /** What it has written so far, line by line. */
  const said: string[] = []
  const isReady = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        said.push(line)
        if (ready.test(line)) {
          resolve()
        }
      })
    }
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${args.join(' ')} has ended:\n${said.join('\n')}`)
  })
  await Promise.race([isReady, ended])
  return {
    said,
    async stop(): Promise<void> {
      ended.catch(() => {})
      if (child.exitCode === null) {
        child.kill('SIGINT')
        await once(child, 'exit')
      }
    },
  }
}

/** Puts another text in the place of a file of a checkout, or makes a file of it. */
export async function edit(
  folder: string,
  file: string,
  changed: (text: string) => string,
): Promise<void> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, changed(await readFile(path, 'utf8').catch(() => '')))
}
