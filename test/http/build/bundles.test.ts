import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, it } from 'vitest'
import { paths } from '../../../scripts/lib/config.ts'
import { buildFolder } from '../../support/service.ts'

/** Words that stand in statements and in the protocol of one database only. */
const own = {
  d1: ['json_each', 'json_extract', 'json_group_array', 'withSession', 'D1_TYPE_ERROR'],
  postgres: ['json_build_array', 'json_agg', 'connectionTimeoutMillis', 'SCRAM-SHA-256'],
}

/** The most kilobytes after gzip. */
const most = { d1: 98, postgres: 135 }

const name = inject('database') === 'D1' ? 'd1' : 'postgres'
const other = name === 'd1' ? 'postgres' : 'd1'

it(`a build for ${name} holds nothing of ${other}, and has at most ${most[name]} KB after gzip`, async () => {
  const bundle = await readFile(join(await buildFolder(), 'worker.js'), 'utf8')
  expect(own[name].filter((word) => !bundle.includes(word))).toEqual([])
  expect(own[other].filter((word) => bundle.includes(word))).toEqual([])
  expect(gzipSync(bundle).byteLength).toBeLessThan(most[name] * 1_000)
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
