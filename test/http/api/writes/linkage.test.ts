import { describe, expect, it } from 'vitest'
import { get } from '../../../support/service.ts'
import { rowsOf } from './rows.ts'
import {
  countries,
  faults,
  linkage,
  relative,
  send,
  userOf,
  type Writer,
  writer,
} from './writers.ts'

/** A person with a user that has the citizenships NO and SE, and the relatives 1 and 2. */
async function related(): Promise<{ me: Writer; id: string }> {
  const me = await writer()
  const id = await userOf(me, {
    relationships: {
      citizenships: { data: countries('NO', 'SE') },
      relatives: { data: [relative('1', 'SON'), relative('2', 'WIFE')] },
    },
  })
  return { me, id }
}

/** A write that succeeds, and the linkage that is read after it. */
async function after(
  method: string,
  name: string,
  data: unknown,
  { me, id }: { me: Writer; id: string },
): Promise<unknown> {
  const answer = await send(method, `/users/${id}/relationships/${name}`, me, { data })
  expect([answer.status, answer.text]).toEqual([204, ''])
  return linkage(id, name, me)
}

type Case = readonly [
  what: string,
  method: string,
  data: readonly unknown[],
  now: readonly unknown[],
]

describe('citizenships (contract, section 1)', () => {
  it.each<Case>([
    ['PATCH replaces all', 'PATCH', countries('FI', 'SE'), countries('FI', 'SE')],
    ['PATCH takes its members in any order', 'PATCH', countries('SE', 'NO'), countries('NO', 'SE')],
    ['PATCH takes a member twice for one', 'PATCH', countries('FI', 'FI'), countries('FI')],
    ['PATCH with an empty array removes all', 'PATCH', [], []],
    ['POST adds', 'POST', countries('FI'), countries('FI', 'NO', 'SE')],
    ['POST does not duplicate', 'POST', countries('NO', 'FI', 'NO'), countries('FI', 'NO', 'SE')],
    ['POST with an empty array adds nothing', 'POST', [], countries('NO', 'SE')],
    ['DELETE removes what is listed', 'DELETE', countries('NO'), countries('SE')],
    ['DELETE takes a member twice for one', 'DELETE', countries('SE', 'SE'), countries('NO')],
    ['DELETE ignores who is no member', 'DELETE', countries('FI'), countries('NO', 'SE')],
    ['DELETE ignores unknown targets', 'DELETE', countries('XX', 'NO'), countries('SE')],
    ['DELETE with an empty array removes nothing', 'DELETE', [], countries('NO', 'SE')],
  ])('are written: %s', async (_, method, data, now) => {
    const user = await related()

    expect(await after(method, 'citizenships', data, user)).toEqual(now)
    expect(await linkage(user.id, 'relatives', user.me)).toHaveLength(2)
  })
})

describe('relatives, each with its relationshipType (contract, section 18)', () => {
  const [son, wife] = [relative('1', 'SON'), relative('2', 'WIFE')]
  it.each<Case>([
    ['PATCH replaces all', 'PATCH', [relative('3', 'BROTHER')], [relative('3', 'BROTHER')]],
    [
      'PATCH changes meta',
      'PATCH',
      [relative('1', 'FATHER'), wife],
      [relative('1', 'FATHER'), wife],
    ],
    ['PATCH takes a member twice for one', 'PATCH', [son, son], [son]],
    ['PATCH with an empty array removes all', 'PATCH', [], []],
    ['POST adds', 'POST', [relative('3', 'SON')], [son, wife, relative('3', 'SON')]],
    ['POST does not duplicate', 'POST', [son, wife, son], [son, wife]],
    [
      'POST changes the meta of a member',
      'POST',
      [relative('2', 'MOTHER')],
      [son, relative('2', 'MOTHER')],
    ],
    ['DELETE needs no meta', 'DELETE', [{ type: 'users', id: '1' }], [wife]],
    ['DELETE does not look at meta', 'DELETE', [relative('2', 'HUSBAND')], [son]],
    ['DELETE needs no meta', 'DELETE', [{ type: 'users', id: '2' }], [son]],
    ['DELETE takes any relationshipType', 'DELETE', [relative('2', 'MOTHER')], [son]],
    ['DELETE ignores unknown targets', 'DELETE', [{ type: 'users', id: 'nobody' }], [son, wife]],
  ])('are written: %s', async (_, method, data, now) => {
    const user = await related()

    expect(await after(method, 'relatives', data, user)).toEqual(now)
    expect(await linkage(user.id, 'citizenships', user.me)).toHaveLength(2)
  })

  it.each(['HUSBAND', 'WIFE', 'SON', 'DAUGHTER', 'MOTHER', 'FATHER', 'BROTHER'])(
    'takes %s',
    async (type) => {
      const user = await related()

      expect(await after('PATCH', 'relatives', [relative('4', type)], user)).toEqual([
        relative('4', type),
      ])
    },
  )

  it('are of one direction: the other user stays as it is', async () => {
    const { me, id } = await related()
    const other = await userOf(me)
    await after('POST', 'relatives', [relative(other, 'BROTHER')], { me, id })

    expect(await linkage(other, 'relatives', me)).toEqual([])
  })

  it('takes the removal of what can be no member (JSON:API 1.1, "Updating To-Many Relationships")', async () => {
    const user = await related()
    const data = [relative(user.id, 'SON'), relative('1', 'WIFE'), relative('1', 'MOTHER')]

    expect(await after('DELETE', 'relatives', data, user)).toEqual([wife])
  })
})

describe('placeOfBirth (contract, section 1)', () => {
  it('is set, replaced and removed', async () => {
    const user = await related()
    for (const data of [
      { type: 'countries', id: 'NO' },
      { type: 'countries', id: 'FI' },
      null,
      null,
    ]) {
      expect(await after('PATCH', 'placeOfBirth', data, user)).toEqual(data)
    }
  })

  it.each(['POST', 'DELETE', 'PUT'])('takes no %s: 405', async (method) => {
    const { me, id } = await related()
    const path = `/users/${id}/relationships/placeOfBirth`
    const answer = await send(method, path, me, { data: null })

    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('GET, HEAD, PATCH, OPTIONS')
  })
})

describe('a linkage target that does not exist is told at its id, and nothing is written (contract, section 6)', () => {
  const nobody = crypto.randomUUID()
  it.each<[method: string, name: string, data: unknown, ...pointers: readonly string[]]>([
    ['PATCH', 'citizenships', countries('FI', 'XX'), '/data/1/id'],
    ['POST', 'citizenships', countries('XX', 'FI', 'no'), '/data/0/id', '/data/2/id'],
    ['PATCH', 'placeOfBirth', { type: 'countries', id: 'XX' }, '/data/id'],
    ['PATCH', 'relatives', [relative('3', 'SON'), relative(nobody, 'SON')], '/data/1/id'],
    ['POST', 'relatives', [relative(nobody, 'SON')], '/data/0/id'],
    ['POST', 'relatives', [relative('1', 'WIFE'), relative(nobody, 'SON')], '/data/1/id'],
  ])('by %s of %s with %j', async (method, name, data, ...pointers) => {
    const { me, id } = await related()
    const before = await rowsOf(id)
    const answer = await send(method, `/users/${id}/relationships/${name}`, me, { data })

    expect(answer.status).toBe(404)
    expect(faults(answer)).toEqual(pointers.map((pointer) => ['404', 'NOT_FOUND', pointer]))
    expect(await rowsOf(id)).toEqual(before)
  })
})

describe('after more than a page of members was added', () => {
  it('reads give them all, by pages of 20 (contract, section 7)', async () => {
    const { me, id } = await related()
    const all = (await get('/countries?fields[countries]=', me.token)).document.data
    const ids: string[] = all.map(({ id }: { id: string }) => id)
    const path = `/users/${id}/relationships/citizenships`
    await after('PATCH', 'citizenships', countries(...ids, 'ZW'), { me, id })
    const first = await get(path, me.token)
    const next = String(first.document.links?.next).replace('/jsonapi', '')

    expect(first.document.data).toEqual(countries(...ids))
    expect((await get(next, me.token)).document.data).toEqual(countries('ZW'))
  })
})
