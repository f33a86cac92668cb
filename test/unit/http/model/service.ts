import { vi } from 'vitest'
import { recounts } from '../../../../scripts/operate/counters.ts'
import { createApp } from '../../../../src/app.ts'
import { bearerToken } from '../../../../src/auth/bearer.ts'
import { createCipher } from '../../../../src/db/cipher.ts'
import { d1Store } from '../../../../src/db/store.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { countries } from '../../../../src/resources/countries.ts'
import { currencies } from '../../../../src/resources/currencies.ts'
import { users } from '../../../../src/resources/users.ts'
import { withNewIds } from '../../../support/new-ids.ts'
import { takeDatabase } from '../../db/d1/d1.ts'
import { storeOptions } from '../../db/store-options.ts'
import { migrations } from '../../migrations/database.ts'
import { appOptions } from '../app-options.ts'
import type { Weather } from './answers.ts'
import type { Sent } from './requests.ts'
import { mostOwned } from './world.ts'

const scopes = ['users.read', 'users.citizenships.read', 'users.write']

/**
 * What happens to a round trip that writes, or looks for what an attempt has written: its answer is lost before or after
 * D1 has carried it out, and then it may be sent again or not.
 */
export type Fate = 'fine' | 'lost before' | 'lost after' | 'failed before' | 'failed after'

const lostConnection = 'D1_ERROR: Network connection lost.'
const failure = 'D1_ERROR: internal error'

/** A row of each user, as D1 holds it. */
export type StoredUser = readonly [
  id: string,
  owner: string,
  fullName: string,
  email: string,
  placeOfBirth: string | null,
  revision: string,
]

const empty = 'DELETE FROM users; DELETE FROM idempotency_keys'

/** What D1 holds of users and keys, each table as rows in one JSON text. */
const everything = `SELECT
  (SELECT json_group_array(json_array(id, owner, full_name, email, place_of_birth, revision)) FROM users),
  (SELECT json_group_array(json_array(user_id, country_id, '')) FROM user_citizenships),
  (SELECT json_group_array(json_array(user_id, relative_id, relationship_type)) FROM user_relatives),
  (SELECT json_group_array(created) FROM idempotency_keys),
  (SELECT value FROM counters WHERE name = 'users')`

/** A row of a relationship: the user, the member, and what the member is to the user. */
export type StoredMember = readonly [user: string, member: string, kinship: string]

/** The service in Node on a D1 database of its own, for persons that a token names; the fates of round trips are set for each request. */
export async function startService() {
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
  // So that nothing waits before it is sent again.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const { d1, with: disturbed } = await takeDatabase({
    name: 'service',
    sql: migrations.map(({ sql }) => sql).join(';'),
    empty,
  })
  let fates: Fate[] = []
  let weather: Weather & { readonly trips: number }
  let made: string[] = []
  let count = 0
  const newId = (): string => {
    const id = `u${++count}`
    made.push(id)
    return id
  }
  const registry = createRegistry([withNewIds(users, newId), countries, currencies])
  const db = disturbed(async (texts, run) => {
    weather = { ...weather, trips: weather.trips + 1 }
    const isOfWrite = texts.some((text) => /^(INSERT|UPDATE|DELETE)|AS revision FROM/.test(text))
    const fate = (isOfWrite && fates.shift()) || 'fine'
    if (fate === 'fine') {
      return run()
    }
    const ran = fate.endsWith('after')
    const final = fate.startsWith('failed')
    weather = { ...weather, lost: weather.lost + 1, final, ran: weather.ran || ran }
    await (ran && run().catch(() => undefined))
    throw new Error(final ? failure : lostConnection)
  })
  const app = createApp({
    ...appOptions,
    registry,
    store: d1Store({
      ...storeOptions,
      registry,
      db,
      cipher: createCipher({ current: 'k', keys: new Map([['k', new Uint8Array(32)]]) }),
      quotas: { owned: mostOwned, members: 1_000 },
    }),
    verify: (header) => ({
      kind: 'user',
      issuer: 'i',
      id: bearerToken(header),
      scopes: new Set(scopes),
    }),
  })

  return {
    /** Sends a request in some weather: the answer, the ids made for it, and what became of its round trips. */
    async ask(
      caller: string,
      { method, path, headers, body }: Sent,
      planned: readonly Fate[] = [],
    ) {
      fates = [...planned]
      weather = { lost: 0, final: false, ran: false, trips: 0 }
      made = []
      const text = body && JSON.stringify(body)
      const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) }
      const response = await app.request(`http://service.example${path}`, {
        method,
        headers: { Authorization: `Bearer ${caller}`, ...length, ...headers },
        ...(text !== undefined && { body: text }),
      })
      const answer = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        document: answer === '' ? undefined : JSON.parse(answer),
        made,
        weather,
      }
    },
    /** All that is stored, read past the service. */
    async stored() {
      const [row = []] = await d1.prepare(everything).raw<string[]>()
      const [users = '', citizenships = '', relatives = '', created = '', count] = row
      return {
        users: JSON.parse(users) as StoredUser[],
        citizenships: JSON.parse(citizenships) as StoredMember[],
        relatives: JSON.parse(relatives) as StoredMember[],
        created: JSON.parse(created) as string[],
        count: Number(count),
      }
    },
    /** Takes out all that was written, and puts in some users who have nothing but the columns given. */
    reset: (rows: readonly StoredUser[]) =>
      d1.batch([
        ...empty.split(';').map((sql) => d1.prepare(sql)),
        d1
          .prepare(
            `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, place_of_birth, revision)
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 2, value ->> 3, value ->> 3, value ->> 4, value ->> 5
             FROM json_each(?)`,
          )
          .bind(JSON.stringify(rows)),
        ...recounts.map((sql) => d1.prepare(sql)),
      ]),
  }
}
