import { readOptions } from '../../../../scripts/deploy/options.ts'
import { objectsQuery, type StoredObject } from '../../../../scripts/deploy/schema.ts'
import type { Settings } from '../../../../scripts/deploy/settings.ts'
import { deploy } from '../../../../scripts/deploy/steps.ts'
import type { Tools } from '../../../../scripts/deploy/tools.ts'
import { addressIn } from '../../../../scripts/postgres/address.ts'
import { migratedDatabase, migrations } from '../../migrations/database.ts'

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
  ids: { DB: '0b9b0c5e-3f2e-4d0c-9d7c-2f1f0c3b5a61' },
  placement: undefined,
  reachable: true,
  address: 'https://api.example.com',
  name: 'users-production',
}

/** The same of a Worker that uses PostgreSQL. */
export const postgresSettings: Settings = {
  ...completeSettings,
  ids: { HYPERDRIVE: 'a76a99bc342644c6a3f8a2a5b1f8a0e1' },
  placement: { region: 'aws:eu-central-1' },
}

/** The id of the version that a deployment makes. */
export const newVersion = '11111111-2222-4333-8444-555555555555'

/** The faults of the account or the project: an error is what a command of wrangler ends with. */
export interface Trouble {
  readonly migrations?: Error
  /** SQL that was run on the database after its migrations. */
  readonly ranAfterwards?: string
  /** The type of the binding to the database of the version that is live; `d1` if absent. */
  readonly liveBinding?: string
  /** What Cloudflare says of the configuration of Hyperdrive; one without a cache if absent. */
  readonly hyperdrive?: object
  readonly postgresUrl?: string
  /** What the smoke test finds, or why it cannot be made. */
  readonly smoke?: readonly string[] | Error
  readonly status?: Error
  /** Nothing has been deployed before. */
  readonly first?: boolean
  /** Another version has some of the traffic. */
  readonly rollOut?: boolean
  /** What the version that is live has for `READ_ONLY`. */
  readonly readOnly?: string
}

/** The objects of a database in which all migrations were applied, and then some SQL was run. */
export function storedObjects(sql = ''): readonly StoredObject[] {
  const database = migratedDatabase()
  database.exec(`CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);
    INSERT INTO d1_migrations (name) VALUES ${migrations.map(({ name }) => `('${name}')`).join()}; ${sql}`)
  return database.prepare(objectsQuery).all() as unknown as readonly StoredObject[]
}

/** Tools that reach no account and record what was asked of them. */
export function fakeTools(trouble: Trouble = {}, settings = completeSettings) {
  /** Commands in their order. */
  const calls: string[] = []
  const lines: string[] = []
  const tools: Tools = {
    print: (line) => lines.push(line),
    commit: async () => ({ tag: 'c0ffee123456', message: 'Add a planet' }),
    inCommit: (tag, work) => work(`/${tag}`),
    settingsIn: () => settings,
    postgresUrl: () => addressIn({ POSTGRES_URL: trouble.postgresUrl }),
    async smoke(address, version) {
      calls.push(`smoke ${address} ${version}`)
      const { smoke = [] } = trouble
      if (smoke instanceof Error) {
        throw smoke
      }
      return smoke
    },
    async wrangler(...args) {
      const command = args.join(' ')
      calls.push(command.replace(/--command=.*/s, '--command=…'))
      const [, found] = answers(trouble).find(([start]) => command.startsWith(start)) ?? []
      const answer = typeof found === 'function' ? found() : found
      if (answer instanceof Error) {
        throw answer
      }
      return typeof answer === 'string' ? answer : JSON.stringify(answer ?? {})
    },
  }
  return { calls, lines, ...tools }
}

/** What wrangler answers to a command that begins so. */
function answers(trouble: Trouble): readonly (readonly [start: string, answer: unknown])[] {
  const bindings = [
    { type: 'plain_text', name: 'READ_ONLY', text: trouble.readOnly ?? 'false' },
    { type: trouble.liveBinding ?? 'd1', name: 'DB' },
  ]
  const annotations = { 'workers/tag': 'badcafe12345' }
  const share = trouble.rollOut ? 10 : 0
  const versions = [
    { version_id: 'version-other', percentage: share },
    { version_id: 'version-before', percentage: 100 - share },
  ]
  const first = new Error('This Worker does not exist on your account. [code: 10007]')
  const address = 'Deployed\n  https://users.somebody.workers.dev'
  return [
    ['deploy --dry-run', 'Total Upload: 1 KiB / gzip: 1 KiB'],
    ['d1 time-travel', { bookmark: '0000-restore-here' }],
    ['d1 migrations', trouble.migrations ?? 'applied'],
    ['d1 execute', () => [{ results: storedObjects(trouble.ranAfterwards) }]],
    ['deployments status', trouble.status ?? (trouble.first ? first : { id: 'now', versions })],
    ['versions view', { annotations, resources: { bindings } }],
    ['versions upload', `Uploaded\nWorker Version ID: ${newVersion}`],
    ['hyperdrive get', trouble.hyperdrive ?? { caching: { disabled: true } }],
    ['deploy ', address],
    ['triggers deploy', address],
  ]
}

/** Runs a deployment with a command line; what was asked of its tools, and its complaint, if it had one. */
export async function run(line: string, trouble: Trouble = {}, settings = completeSettings) {
  const tools = fakeTools(trouble, settings)
  const error = await deploy(readOptions(line.split(' ')), settings, tools).catch((error) => error)
  return { ...tools, complaint: error?.message as string | undefined }
}
