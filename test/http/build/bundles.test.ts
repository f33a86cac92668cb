import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { paths } from '../../../scripts/lib/config.ts'
import { wrangler } from '../../../scripts/lib/wrangler.ts'

/** Words that stand in statements and in the protocol of one database only. */
const own = {
  d1: ['json_each', 'json_extract', 'json_group_array', 'withSession', 'D1_TYPE_ERROR'],
  postgres: ['json_build_array', 'json_agg', 'connectionTimeoutMillis', 'SCRAM-SHA-256'],
}

let folder = ''
let bundles = { d1: '', postgres: '' }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'))
  const { postgresConfig } = paths
  await wrangler('deploy', '--dry-run', '--config', postgresConfig, '--env', '', '--outdir', folder)
  const bundleIn = (build: string) => readFile(join(build, 'worker.js'), 'utf8')
  bundles = { d1: await bundleIn(inject('build')), postgres: await bundleIn(folder) }
})

afterAll(() => rm(folder, { recursive: true }))

describe('a build', () => {
  it.each([
    ['d1', 'postgres'],
    ['postgres', 'd1'],
  ] as const)('for %s holds nothing of %s', (name, other) => {
    expect(own[name].filter((word) => !bundles[name].includes(word))).toEqual([])
    expect(own[other].filter((word) => bundles[name].includes(word))).toEqual([])
  })

  it.each([
    ['d1', 98],
    ['postgres', 135],
  ] as const)('for %s has at most %d KB after gzip', (name, kilobytes) => {
    expect(gzipSync(bundles[name]).byteLength).toBeLessThan(kilobytes * 1_000)
  })
})

describe('the configuration of the Worker on PostgreSQL', () => {
  it('differs from the local one on D1 in the database alone', async () => {
    const [d1 = '', postgres = ''] = await Promise.all(
      [paths.wranglerConfig, paths.postgresConfig].map(async (path) =>
        (await readFile(path, 'utf8'))
          .split('# Staging: ', 1)
          .join('')
          .replace(/^#.*\n/gm, '')
          .replace(/\n+/g, '\n'),
      ),
    )
    const further = (text: string, other: string): string[] =>
      text.split('\n').filter((line) => !other.split('\n').includes(line))
    expect(further(d1, postgres)).toEqual([
      'compatibility_flags = ["no_nodejs_compat", "no_nodejs_compat_v2"]',
      'command = "node scripts/assets.ts && node scripts/start/dev.ts"',
      '[[d1_databases]]',
      'binding = "DB"',
      'database_name = "users-countries-currencies"',
      'database_id = "local"',
      'D1_REPLICATION = "false"',
    ])
    expect(further(postgres, d1)).toEqual([
      'compatibility_flags = ["nodejs_compat"]',
      'command = "node scripts/assets.ts"',
      '[alias]',
      '"#columns" = "./src/db/postgres/pg-columns.ts"',
      '"#engine" = "./src/db/postgres/pg-engine.ts"',
      '[[hyperdrive]]',
      'binding = "HYPERDRIVE"',
      'id = "local"',
      'localConnectionString = "postgres://postgres@127.0.0.1:5432/users"',
    ])
  })
})
