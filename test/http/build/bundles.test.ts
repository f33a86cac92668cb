import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
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
