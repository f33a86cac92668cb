import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readOptions } from '../../../../scripts/deploy/options.ts'
import { objectsQuery, type StoredObject } from '../../../../scripts/deploy/schema.ts'
import type { Settings } from '../../../../scripts/deploy/settings.ts'
import { deploy, type Tools } from '../../../../scripts/deploy/steps.ts'
import { paths } from '../../../../scripts/lib/config.ts'
import { addressIn } from '../../../../scripts/postgres/address.ts'

/** Settings that nothing is missing from. */
export const completeSettings: Settings = {
  vars: {
    AUTH_URL: 'https://id.example.com',
    TOKEN_ISSUER: 'https://id.example.com/',
    TOKEN_AUDIENCE: 'https://api.example.com/jsonapi',
    JWKS_URL: 'https://id.example.com/jwks.json',
    RATE_LIMIT_BURST_CAPACITY: '100',
    RATE_LIMIT_REPLENISH_RATE: '50',
  },
  databases: { DB: '0b9b0c5e-3f2e-4d0c-9d7c-2f1f0c3b5a61' },
  hyperdrives: {},
  placement: undefined,
  secrets: ['CARD_KEYS'],
  reachable: true,
  address: 'https://api.example.com',
  name: 'users-production',
}

/** The same of a Worker that uses PostgreSQL. */
export const postgresSettings: Settings = {
  ...completeSettings,
  databases: {},
  hyperdrives: { HYPERDRIVE: 'a76a99bc342644c6a3f8a2a5b1f8a0e1' },
  placement: { region: 'aws:eu-central-1' },
}

/** The id of the version that a deployment makes. */
export const newVersion = '11111111-2222-4333-8444-555555555555'

/** The faults of the account or the project. */
export interface Trouble {
  readonly signedOut?: boolean
  readonly secrets?: readonly string[] | Error
  readonly tests?: Error
  readonly migrations?: Error
  /** SQL that was run on the database after its migrations. */
  readonly ranAfterwards?: string
  /** D1's management API does not answer. */
  readonly d1?: Error
  /** The tag of the version that is live; it has none if empty. */
  readonly liveTag?: string
  /** The type of the binding to the database of the version that is live; `d1` if absent. */
  readonly liveBinding?: string
  /** What Cloudflare tells of the configuration of Hyperdrive; one without a cache if absent. */
  readonly hyperdrive?: object | Error
  /** Where the database of PostgreSQL is; nobody has told if absent. */
  readonly postgresUrl?: string
  /** The migrations that are not as they were at the commit that is live. */
  readonly changedMigrations?: readonly string[]
  /** What the smoke test finds, each time it is asked, or why it cannot be made. */
  readonly smoke?: readonly string[] | Error
  /** What whoever sits at the terminal says to a question; nobody does if absent. */
  readonly confirmed?: boolean
  /** Cloudflare does not tell which versions are live. */
  readonly status?: Error
  /** Nothing has been deployed before. */
  readonly first?: boolean
  /** There is no repository. */
  readonly noCommit?: boolean
  /** Bytes of the bundle that gzip can do nothing about. */
  readonly bundleBytes?: number
}

/** The objects of a database in which all migrations were applied, and then some SQL was run. */
export function storedObjects(sql = ''): readonly StoredObject[] {
  const database = new DatabaseSync(':memory:')
  const files = readdirSync(paths.migrations)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const text = files.map((file) => readFileSync(join(paths.migrations, file), 'utf8')).join('\n')
  const names = files.map((file) => `('${file}')`).join()
  database.exec(`${text}; CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
    INSERT INTO d1_migrations (name) VALUES ${names}; ${sql}`)
  return database.prepare(objectsQuery).all() as unknown as readonly StoredObject[]
}

/** Tools that reach no account and record what was asked of them. */
export function fakeTools(trouble: Trouble = {}): Tools & {
  /** Commands in their order; `test` is the project's tests. */
  readonly calls: string[]
  readonly lines: string[]
} {
  const calls: string[] = []
  const lines: string[] = []
  const wrangler: Tools['wrangler'] = async (...args) => answer(args)
  return {
    wrangler,
    ask: wrangler,
    migrationsChangedSince: async (commit, folder) => {
      calls.push(`${folder} since ${commit}`)
      return trouble.changedMigrations ?? []
    },
    calls,
    lines,
    print: (line) => lines.push(line),
    commit: async () =>
      trouble.noCommit ? undefined : { tag: 'c0ffee123456', message: 'Add a planet' },
    postgresUrl: () => addressIn({ POSTGRES_URL: trouble.postgresUrl }),
    async smoke(address, version) {
      calls.push(`smoke ${address} ${version}`)
      const { smoke = [] } = trouble
      if (smoke instanceof Error) {
        throw smoke
      }
      return smoke
    },
    async confirm(question) {
      calls.push(`confirm ${question}`)
      return trouble.confirmed ?? false
    },
    async test() {
      calls.push('test')
      if (trouble.tests) {
        throw trouble.tests
      }
    },
  }

  async function answer(args: readonly string[]): Promise<string> {
    const command = args.join(' ')
    calls.push(
      command
        .replace(/--(outdir|outfile|worker) \S+/g, '--$1 …')
        .replace(/--command=.*/s, '--command=…'),
    )
    const outdir = args[args.indexOf('--outdir') + 1]
    if (command.startsWith('deploy --dry-run') && outdir !== undefined) {
      await writeFile(join(outdir, 'worker.js'), randomBytes(trouble.bundleBytes ?? 1000))
    }
    if (command === 'whoami --json' && trouble.signedOut) {
      throw new Error('Nobody is signed in')
    }
    if (command.startsWith('check startup')) {
      return 'Active: 21.7 ms (including …)'
    }
    if (command.startsWith('d1 ') && trouble.d1) {
      throw trouble.d1
    }
    if (command.startsWith('d1 time-travel')) {
      return '{"bookmark":"0000-restore-here"}'
    }
    if (command.startsWith('d1 migrations') && trouble.migrations) {
      throw trouble.migrations
    }
    if (command.startsWith('d1 execute')) {
      return JSON.stringify([{ results: storedObjects(trouble.ranAfterwards) }])
    }
    if (command.startsWith('secret list')) {
      if (trouble.secrets instanceof Error) {
        throw trouble.secrets
      }
      return JSON.stringify((trouble.secrets ?? ['CARD_KEYS']).map((name) => ({ name })))
    }
    if (command.startsWith('deployments status')) {
      if (trouble.status) {
        throw trouble.status
      }
      if (trouble.first) {
        throw new Error('This Worker does not exist on your account. [code: 10007]')
      }
      return JSON.stringify({
        versions: [
          { version_id: 'small', percentage: 10 },
          { version_id: 'version-before', percentage: 90 },
        ],
      })
    }
    if (command.startsWith('versions view')) {
      const tag = trouble.liveTag ?? 'badcafe12345'
      const bindings = [{ type: 'plain_text' }, { type: trouble.liveBinding ?? 'd1' }]
      const annotations = tag === '' ? {} : { 'workers/tag': tag }
      return JSON.stringify({ annotations, resources: { bindings } })
    }
    if (command.startsWith('hyperdrive get')) {
      if (trouble.hyperdrive instanceof Error) {
        throw trouble.hyperdrive
      }
      return JSON.stringify(trouble.hyperdrive ?? { caching: { disabled: true } })
    }
    return command.startsWith('deploy ')
      ? `Deployed\n  https://users.somebody.workers.dev\nCurrent Version ID: ${newVersion}`
      : `ran ${args[0]}`
  }
}

/** Runs a deployment with a command line; what was asked of its tools, and its complaint, if it had one. */
export async function run(line: string, trouble: Trouble = {}, settings = completeSettings) {
  const tools = fakeTools(trouble)
  const error = await deploy(readOptions(line.split(' ')), settings, tools).catch((error) => error)
  return { ...tools, complaint: error?.message as string | undefined }
}
