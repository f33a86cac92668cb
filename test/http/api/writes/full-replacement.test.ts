import { beforeAll, describe, expect, it } from 'vitest'
import { get } from '../../../support/service.ts'
import { change, countries, faults, linkage, send, userOf, type Writer, writer } from './writers.ts'

/** A resource object shows 20 members of a relationship (contract, section 7). */
const shown = 20

let ids: readonly string[] = []
beforeAll(async () => {
  const { token } = await writer()
  const { document } = await get('/countries?fields[countries]=', token)
  const more = await get(document.links?.next?.replace('/jsonapi', '') ?? '', token)
  ids = [...document.data, ...more.document.data].map(({ id }: { id: string }) => id)
})

/** A user with so many citizenships. */
async function citizen(me: Writer, count: number): Promise<string> {
  const id = await userOf(me)
  const data = countries(...ids.slice(0, count))
  const { status } = await send('PATCH', `/users/${id}/relationships/citizenships`, me, { data })
  expect(status).toBe(204)
  return id
}

const replacement = (id: string, ...others: readonly string[]) =>
  change(id, {
    attributes: { fullName: 'Other Name' },
    relationships: { citizenships: { data: countries(...others) } },
  })

describe('A complete replacement through PATCH of a user (contract, section 6)', () => {
  it('is carried out where all members are shown', async () => {
    const me = await writer()
    const id = await citizen(me, shown)

    expect((await send('PATCH', `/users/${id}`, me, replacement(id, 'NO'))).status).toBe(204)
    expect(await linkage(id, 'citizenships', me)).toEqual(countries('NO'))
  })

  it('is refused where one more is stored, and the error names where it can be done', async () => {
    const me = await writer()
    const id = await citizen(me, shown + 1)
    const path = `/users/${id}/relationships/citizenships`
    const before = (await get(`/users/${id}`, me.token)).text
    const answer = await send('PATCH', `/users/${id}`, me, replacement(id, 'NO'))

    expect(answer.status).toBe(403)
    expect(faults(answer)).toEqual([
      ['403', 'FULL_REPLACEMENT_NOT_SUPPORTED', '/data/relationships/citizenships'],
    ])
    expect(answer.document.errors?.[0]?.detail).toContain(`PATCH /jsonapi${path} `)
    expect((await get(`/users/${id}`, me.token)).text).toBe(before)

    expect((await send('PATCH', path, me, { data: countries('NO') })).status).toBe(204)
    expect((await send('PATCH', `/users/${id}`, me, replacement(id))).status).toBe(204)
    expect(await linkage(id, 'citizenships', me)).toEqual([])
  })

  it('is not refused where more are sent than are shown', async () => {
    const me = await writer()
    const id = await citizen(me, 1)
    const all = ids.slice(0, shown + 5)

    expect((await send('PATCH', `/users/${id}`, me, replacement(id, ...all))).status).toBe(204)
    expect((await send('PATCH', `/users/${id}`, me, replacement(id, ...all))).status).toBe(403)
  })

  it('is judged after ownership, and before the targets of linkage and conflicts', async () => {
    const me = await writer()
    const id = await citizen(me, shown + 1)
    const stranger = await writer()
    const { email } = (await get('/users/1', me.token)).document.data.attributes
    const body = change(id, {
      attributes: { email },
      relationships: {
        citizenships: { data: countries('XX') },
        placeOfBirth: { data: { type: 'countries', id: 'XY' } },
      },
    })

    const codes = async (writer: Writer) =>
      faults(await send('PATCH', `/users/${id}`, writer, body)).map(([, code]) => code)
    expect(await codes(stranger)).toEqual(['INSUFFICIENT_ENTITLEMENTS'])
    expect(await codes(me)).toEqual(['FULL_REPLACEMENT_NOT_SUPPORTED'])
  })
})
