import { expect, vi } from 'vitest'
import { recounts } from '../../../scripts/operate/counters.ts'
import { createApp } from '../../../src/app.ts'
import { createCipher } from '../../../src/db/cipher.ts'
import { d1Store } from '../../../src/db/store.ts'
import { atomicExtension } from '../../../src/jsonapi/document.ts'
import { registry } from '../../../src/resources/index.ts'
import { appOptions } from '../http/app-options.ts'
import { migrations } from '../migrations/database.ts'
import { takeDatabase } from './d1/d1.ts'
import { storeOptions } from './store-options.ts'

const scopes = [
  'users.read',
  'users.sensitive.read',
  'users.citizenships.read',
  'users.write',
] as const

/** The service on a D1 database with two hundred users, each of whom has the first three as relatives. */
export async function startPlanned() {
  const sent: string[] = []
  vi.spyOn(console, 'log').mockReturnValue()
  const taken = await takeDatabase({
    name: 'service',
    sql: migrations.map(({ sql }) => sql).join(';'),
    empty: 'DELETE FROM user_relatives; DELETE FROM user_citizenships; DELETE FROM users',
  })
  /** Runs SQL; the rows of its last statement. */
  const run = (sql: string, ...values: readonly unknown[]): Promise<unknown[][]> =>
    taken.d1
      .prepare(sql)
      .bind(...values)
      .raw()
  const people = Array.from({ length: 200 }, (_, index) => {
    const text = (name: string) => `'${name}${String(index).padStart(4, '0')}'`
    return `(${text('id')}, 'ann', ${text('N')}, ${text('n')}, ${text('e')}, ${text('e')}, 'NO')`
  })
  await run(
    `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, place_of_birth) VALUES ${people};
     INSERT INTO user_relatives SELECT a.id, b.id, 'SON' FROM users a JOIN users b ON a.id <> b.id AND b.id < 'id0003';
     INSERT INTO user_citizenships SELECT id, 'NO' FROM users; ${recounts.join(';')}; ANALYZE`,
  )
  const app = createApp({
    ...appOptions,
    registry,
    store: d1Store({
      ...storeOptions,
      registry,
      db: taken.with((texts, run) => {
        sent.push(...texts)
        return run()
      }),
      cipher: createCipher({ current: 'k', keys: new Map([['k', new Uint8Array(32)]]) }),
    }),
    verify: async () => ({ kind: 'user', issuer: 'i', id: 'ann', scopes: new Set(scopes) }),
  })
  // Reference data are in memory from here on.
  await app.request('/countries', { headers: { Authorization: 'Bearer x' } })

  /** Sends a request; the answer's document, and the statements that it took. */
  const statementsOf = async (method: string, path: string, body?: object) => {
    sent.length = 0
    const extension = path === '/operations' ? `;ext="${atomicExtension}"` : ''
    const type = { 'Content-Type': `application/vnd.api+json${extension}` }
    const text = body && JSON.stringify(body)
    const response = await app.request(path, {
      method,
      headers: { Authorization: 'Bearer x', ...type, 'Content-Length': String(text?.length ?? 0) },
      ...(text && { body: text }),
    })
    const answer = await response.text()
    expect(response.status, answer).toBeLessThan(300)
    return { document: answer === '' ? {} : JSON.parse(answer), statements: [...sent] }
  }

  /** What SQLite does for a statement, one step a line. */
  const planOf = async (statement: string): Promise<readonly string[]> => {
    const parameters = statement
      .replace(/'[^']*'/g, '')
      .split('?')
      .slice(1)
    const steps = await run(`EXPLAIN QUERY PLAN ${statement}`, ...parameters.map(() => null))
    return steps.map(([, , , detail]) => String(detail))
  }

  /** Steps of statements that go through a whole table. */
  const scansOf = async (statements: readonly string[]) =>
    (await Promise.all(statements.map(planOf))).flatMap(scansIn)

  return { run, statementsOf, planOf, scansOf }
}

/** Steps that go through a whole table; going through an earlier result, or a list in JSON, is no such step. */
export function scansIn(plan: readonly string[]): readonly string[] {
  const results = plan.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (.*)$/.exec(line)?.[1] ?? [])
  return plan.filter((line) => {
    const [, name = ''] = /^SCAN (.*)$/.exec(line) ?? []
    const isResult = results.includes(name)
    // The same alias may name a result in one place and a table in another.
    if (isResult && name !== 'page' && name !== 'members') {
      results.splice(results.indexOf(name), 1)
    }
    return name !== '' && !isResult && !/^CONSTANT ROW|VIRTUAL TABLE/.test(name)
  })
}
