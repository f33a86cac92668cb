import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { installed } from '../../../scripts/lib/install.ts'
import { freePorts } from '../../support/ports.ts'

const project = join(import.meta.dirname, '..', '..', '..')

/** What git does not hold, or what a copy makes anew. */
const leftOut = new Set(
  'node_modules .git .wrangler .dev.vars .stryker dist coverage reports'.split(' '),
)

/** A copy of the repository outside of it, with the packages of the original. */
export interface Checkout {
  read(path: string): Promise<string>
  write(path: string, text: string): Promise<void>
  /** Runs commands in a shell; what they print. Throws when one of them fails, with what it printed. */
  run(commands: string): Promise<string>
  /** Runs `npm start` until both servers answer; they run until the checkout is removed. */
  start(): Promise<void>
  remove(): Promise<void>
}

/** Copies the repository. Its servers get ports that nothing listens on; {@link Checkout.run} puts them into commands. */
export async function checkout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  await cp(project, folder, {
    recursive: true,
    preserveTimestamps: true,
    filter: (path) => !leftOut.has(basename(path)),
  })
  await installed(join(project, 'scripts', 'data'))
  for (const packages of ['node_modules', 'scripts/data/node_modules']) {
    await symlink(join(project, packages), join(folder, packages), 'junction')
  }
  const [port, authPort] = await freePorts()
  const options = {
    cwd: folder,
    env: { ...process.env, PORT: String(port), AUTH_PORT: String(authPort) },
  }
  const stop: (() => Promise<void>)[] = []

  return {
    read: (path) => readFile(join(folder, path), 'utf8'),
    write: (path, text) => writeFile(join(folder, path), text),
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
      // A process group of its own: npm passes no signal on to the command that it runs.
      const servers = spawn('npm', ['start'], { ...options, detached: true })
      const ended = once(servers, 'exit')
      stop.push(async () => {
        if (servers.exitCode === null) {
          process.kill(-(servers.pid ?? Number.NaN), 'SIGTERM')
          await ended
        }
      })
      const printed: string[] = []
      const heard = [servers.stdout, servers.stderr].map(async (input) => {
        for await (const line of createInterface(input)) {
          printed.push(line)
          if (line.startsWith('Ctrl-C')) {
            return true
          }
        }
        return false
      })
      const isUp = await Promise.race([...heard, ended.then(() => false)])
      if (!isUp) {
        throw new Error(`npm start has ended:\n${printed.join('\n')}`)
      }
    },
    async remove() {
      await Promise.all(stop.map((end) => end()))
      await rm(folder, { recursive: true })
    },
  }
}
