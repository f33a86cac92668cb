import { describe, expect, it } from 'vitest'
import {
  allScopes,
  change,
  countries,
  newUser,
  relative,
  send,
  userOf,
  type Writer,
  writer,
} from '../../../support/people.ts'
import { clientToken, get } from '../../../support/service.ts'
import { rename, transact } from '../../../support/transactions.ts'
import { rowsOf } from './rows.ts'

/** Every write of a user, with a body that would change it. */
function writesOf(
  id: string,
): readonly (readonly [method: string, path: string, body?: unknown])[] {
  const linkage = (name: string) => `/users/${id}/relationships/${name}`
  return [
    ['PATCH', `/users/${id}`, change(id, { attributes: { fullName: 'Eve' } })],
    ['PATCH', `/users/${id}`, change(id, { relationships: { relatives: { data: [] } } })],
    ['PATCH', `/users/${id}`, change(id, {})],
    ['DELETE', `/users/${id}`],
    ['PATCH', linkage('citizenships'), { data: [] }],
    ['POST', linkage('citizenships'), { data: countries('FI') }],
    ['DELETE', linkage('citizenships'), { data: countries('NO') }],
    ['PATCH', linkage('placeOfBirth'), { data: null }],
    ['PATCH', linkage('relatives'), { data: [] }],
    ['POST', linkage('relatives'), { data: [relative('2', 'WIFE')] }],
    ['DELETE', linkage('relatives'), { data: [{ type: 'users', id: '1' }] }],
  ]
}

/** Everything that a write could take away. */
const everything = {
  attributes: { creditCardNumber: '4242424242424242', addresses: [{ city: 'Oslo' }] },
  relationships: {
    citizenships: { data: countries('NO') },
    placeOfBirth: { data: { type: 'countries', id: 'NO' } },
    relatives: { data: [relative('1', 'SON')] },
  },
}

describe('a write', () => {
  it.each<[who: string, as: () => Promise<Pick<Writer, 'token'>>, challenge?: RegExp]>([
    ['on a user of somebody else', () => writer()],
    [
      'to a client',
      async () => ({ token: await clientToken() }),
      /^Bearer .*error="insufficient_scope"/,
    ],
    [
      'to a person without users.write',
      () => writer(allScopes.replace('users.write', '')),
      /^Bearer .*error="insufficient_scope".*, scope="users.write"/,
    ],
  ])('is refused %s: 403, and nothing changes', async (_, as, challenge) => {
    const caller = await as()
    const id = await userOf(await writer(), everything)
    const before = await rowsOf(id)
    const answers = challenge
      ? [
          await send('POST', '/users', caller, newUser()),
          await transact(caller.token, [rename(id, 'Eve')]),
        ]
      : []
    for (const [method, path, body] of writesOf(id)) {
      answers.push(await send(method, path, caller, body))
    }
    expect(await rowsOf(id)).toEqual(before)
    for (const { headers, faults } of answers) {
      expect(headers['www-authenticate'] ?? '').toMatch(challenge ?? /^$/)
      const place = challenge ? 'header Authorization' : 'path id'
      expect(faults).toEqual([`403 INSUFFICIENT_ENTITLEMENTS ${place}`])
    }
  })

  it('is open to the owner with users.write alone, who sees nothing of the user', async () => {
    const me = await writer('users.write')
    const id = await userOf(me)
    for (const [method, path, body] of writesOf(id).filter(([name]) => name !== 'DELETE')) {
      expect((await send(method, path, me, body)).status).toBe(204)
    }
    expect((await get(`/users/${id}`, me.token)).text).not.toContain('Eve')
    expect((await send('DELETE', `/users/${id}`, me)).status).toBe(204)
  })
})
