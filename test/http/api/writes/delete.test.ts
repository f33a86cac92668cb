import { describe, expect, it } from 'vitest'
import { get } from '../../../support/service.ts'
import { nothing, rowsOf } from './rows.ts'
import { change, countries, linkage, relative, send, userOf, writer } from './writers.ts'

/** Two users of one person, each a relative of the other. */
async function couple() {
  const me = await writer()
  const wife = await userOf(me)
  const husband = await userOf(me, {
    attributes: { creditCardNumber: '4242424242424242' },
    relationships: {
      citizenships: { data: countries('NO') },
      relatives: { data: [relative(wife, 'WIFE')] },
    },
  })
  const path = `/users/${wife}/relationships/relatives`
  await send('POST', path, me, { data: [relative(husband, 'HUSBAND'), relative('1', 'FATHER')] })
  return { me, wife, husband }
}

describe('DELETE /users/{id}', () => {
  it('answers 204 without a body, and from then on 404', async () => {
    const me = await writer()
    const id = await userOf(me)
    const answer = await send('DELETE', `/users/${id}`, me)

    expect([answer.status, answer.text]).toEqual([204, ''])
    const linkageOf = (name: string) => `/users/${id}/relationships/${name}`
    const after = [
      await get(`/users/${id}`, me.token),
      await get(linkageOf('relatives'), me.token),
      await get(linkageOf('placeOfBirth'), me.token),
      await send('PATCH', `/users/${id}`, me, change(id, {})),
      await send('PATCH', linkageOf('placeOfBirth'), me, { data: null }),
      await send('POST', linkageOf('citizenships'), me, { data: [] }),
      await send('DELETE', linkageOf('relatives'), me, { data: [] }),
      await send('DELETE', `/users/${id}`, me),
    ]
    expect(after.map(({ status }) => status)).toEqual(Array(8).fill(404))
    expect(after.map(({ document }) => document.errors?.[0]?.source)).toEqual(
      Array(8).fill({ path: 'id' }),
    )
  })

  it('removes the links of the user in both directions, and all else that is stored of it', async () => {
    const { me, wife, husband } = await couple()
    expect((await send('DELETE', `/users/${husband}`, me)).status).toBe(204)

    expect(await rowsOf(husband)).toEqual(nothing)
    expect(await linkage(wife, 'relatives', me)).toEqual([relative('1', 'FATHER')])
  })

  it.each<[what: string, body: string | object]>([
    ['a resource of somebody else', change('1', {})],
    ['half an object', '{"data":'],
    ['64 KiB and more', ' '.repeat(70_000)],
    ['nothing', ''],
  ])('ignores a body: %s', async (_, body) => {
    const me = await writer()
    const path = `/users/${await userOf(me)}`

    expect((await send('DELETE', path, me, body)).status).toBe(204)
    expect((await get(path, me.token)).status).toBe(404)
  })
})
