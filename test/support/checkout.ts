import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { installed } from '../../scripts/lib/install.ts'
import { freePorts } from './ports.ts'

const project = join(import.meta.dirname, '..', '..')

/** What a clone does not hold: what is installed, built or written while the service runs. */
const leftOut = new Set(
  'node_modules .git .wrangler .dev.vars .stryker dist coverage reports swagger-ui oas.json oas.yaml'.split(
    ' ',
  ),
)

/** A copy of the repository as a new user has it, with the packages of the original. */
export interface Checkout {
  /** The origin of the service, once it is started. */
  readonly service: string
  /** The origin of the authorization server, once it is started. */
  readonly issuer: string
  /** Puts another text in the place of a file, or makes a file of it. */
  change(path: string, changed: (text: string) => string): Promise<void>
  /**
   * Runs commands in a shell. They reach the service at the port that they name, 8787.
   *
   * @returns what they print
   * @throws Error with what they print when one of them fails
   */
  run(commands: string): Promise<string>
  /**
   * Runs `npm start` until the checkout is removed.
   *
   * @throws Error with what the command prints when it ends before it is ready
   */
  start(): Promise<void>
  /** Ends what runs and removes the copy. */
  remove(): Promise<void>
}

/** Copies the repository to a folder outside of it, and finds free ports for its servers. */
export async function checkout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  await cp(project, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !leftOut.has(basename(path)),
  })
  await installed(join(project, 'scripts', 'data'))
  for (const packages of ['node_modules', join('scripts', 'data', 'node_modules')]) {
    await symlink(join(project, packages), join(folder, packages), 'junction')
  }
  const [port, authPort] = await freePorts()
  const options = {
    cwd: folder,
    env: { ...process.env, PORT: String(port), AUTH_PORT: String(authPort) },
  }
  let stop = async (): Promise<void> => {}

  return {
    service: `http://127.0.0.1:${port}`,
    issuer: `http://127.0.0.1:${authPort}`,
    async change(path, changed) {
      const file = join(folder, path)
      const text = await readFile(file, 'utf8').catch(() => '')
      await writeFile(file, changed(text))
    },
    async run(commands) {
      const script = commands.replaceAll(':8787/', `:${port}/`)
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], options).catch(
        ({ stdout, stderr }) => {
          throw new Error(`${commands}\n${stdout}${stderr}`)
        },
      )
      return stdout
    },
    async start() {
      // A process group of its own, since npm passes no signal on to the command that it runs.
      const servers = spawn('npm', ['start'], { ...options, detached: true })
      const ended = once(servers, 'exit')
      stop = async () => {
        if (servers.exitCode === null && servers.signalCode === null) {
          process.kill(-(servers.pid ?? Number.NaN), 'SIGTERM')
          await ended
        }
      }
      const printed: string[] = []
      const ready = new Promise<boolean>((resolve) => {
        for (const input of [servers.stdout, servers.stderr]) {
          createInterface(input).on('line', (line) => {
            printed.push(line)
            if (line.startsWith('Ctrl-C')) {
              resolve(true)
            }
          })
        }
      })
      if (!(await Promise.race([ready, ended.then(() => false)]))) {
        throw new Error(`npm start has ended:\n${printed.join('\n')}`)
      }
    },
    async remove() {
      await stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
