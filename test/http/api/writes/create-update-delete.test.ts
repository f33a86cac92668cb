import { expect, it } from 'vitest'
import {
  change,
  countries,
  newUser,
  relative,
  seen,
  send,
  somebody,
  uniqueEmail,
  userOf,
  type Wishes,
  type Writer,
  writer,
} from '../../../support/people.ts'
import { get } from '../../../support/service.ts'
import { nothing, rowsOf } from './rows.ts'

const born = (id: string) => ({ data: countries(id)[0] })

/** A user as its owner sees it: attributes, and what its relationships lead to. */
async function toldOf(id: string, me: Writer) {
  const { attributes, relationships = {} } = await seen(id, me)
  const members = Object.entries(relationships).map(([name, { data }]) => [name, data])
  return { ...attributes, ...Object.fromEntries(members) }
}

it('Each write is answered, changes what it sends, and nothing else', async () => {
  const me = await writer()
  const attributes = {
    ...{ fullName: 'Ann Bee', email: uniqueEmail(), creditCardNumber: '4242 4242 4242 4242' },
    addresses: [{ city: 'Oslo', doorCode: '1' }],
  }
  const kin = [relative('1', 'SON'), relative('2', 'WIFE')]
  const made = await send(
    'POST',
    '/users',
    me,
    newUser({
      attributes,
      relationships: {
        citizenships: { data: countries('SE', 'NO') },
        placeOfBirth: born('FI'),
        relatives: { data: kin.toReversed() },
      },
    }),
  )
  const { id } = made.document.data
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const self = `/jsonapi/users/${id}`
  expect([made.status, made.headers.location, made.document.links]).toEqual([201, self, { self }])
  // It shows a card number.
  expect(made.headers['cache-control']).toBe('private, no-store')
  expect(made.document.data).toEqual((await get(`/users/${id}`, me.token)).document.data)
  let state: object = {
    ...attributes,
    citizenships: countries('NO', 'SE'),
    placeOfBirth: born('FI').data,
    relatives: kin,
  }
  expect(await toldOf(id, me)).toEqual(state)

  const email = uniqueEmail()
  const update = (wishes: Wishes) => ['PATCH', '', change(id, wishes)] as const
  const on = (method: string, name: string, data: unknown) =>
    [method, `/relationships/${name}`, { data }] as const
  const none = { citizenships: { data: [] }, placeOfBirth: { data: null }, relatives: { data: [] } }
  for (const [[method, below, body], changed] of [
    [
      update({ attributes: { fullName: 'Émile', addresses: [] } }),
      { fullName: 'Émile', addresses: undefined },
    ],
    [update({ attributes: { creditCardNumber: null } }), { creditCardNumber: undefined }],
    [update({}), {}],
    [
      update({ attributes: { email }, relationships: none }),
      { email, citizenships: [], placeOfBirth: null, relatives: [] },
    ],
    [
      on('POST', 'citizenships', countries('NO', 'FI', 'NO')),
      { citizenships: countries('FI', 'NO') },
    ],
    [on('DELETE', 'citizenships', countries('NO', 'XX')), { citizenships: countries('FI') }],
    [on('PATCH', 'citizenships', countries('SE', 'SE')), { citizenships: countries('SE') }],
    [on('PATCH', 'placeOfBirth', born('CH').data), { placeOfBirth: born('CH').data }],
    [on('POST', 'relatives', kin), { relatives: kin }],
    [
      on('POST', 'relatives', [relative('2', 'MOTHER')]),
      { relatives: [kin[0], relative('2', 'MOTHER')] },
    ],
    [on('DELETE', 'relatives', [{ type: 'users', id: '2' }]), { relatives: [kin[0]] }],
    [on('PATCH', 'relatives', [kin[1]]), { relatives: [kin[1]] }],
  ] as const) {
    const { status, text } = await send(method, `/users/${id}${below}`, me, body)
    expect([method, below, status, text]).toEqual([method, below, 204, ''])
    state = { ...state, ...changed }
    expect(await toldOf(id, me)).toEqual(state)
  }
})

it('A delete takes the user, its links, and those that lead to it', async () => {
  const me = await writer()
  const id = await userOf(me, { relationships: { citizenships: { data: countries('NO') } } })
  const other = await userOf(me, { relationships: { relatives: { data: [relative(id, 'SON')] } } })
  await send('POST', `/users/${id}/relationships/relatives`, me, { data: [relative(other, 'SON')] })
  const { status, text } = await send('DELETE', `/users/${id}`, me)
  expect([status, text]).toEqual([204, ''])
  expect(await rowsOf(id)).toEqual(nothing)
  expect(await toldOf(other, me)).toMatchObject({ relatives: [] })
  expect((await get(`/users/${id}`, me.token)).status).toBe(404)
})

const [placeOfBirth, nobody] = [born('XX'), { data: [relative(somebody, 'SON')] }]
const [self, twice] = [[relative('{id}', 'SON')], ['SON', 'WIFE'].map((as) => relative('1', as))]
const both = { attributes: { fullName: 'Eve' }, relationships: { placeOfBirth, relatives: nobody } }

it.each<[method: string, below: string, data: object | undefined, status: number, at: string]>([
  ['POST', '/relationships/citizenships', countries('NO', 'XX', 'YY'), 404, '/1/id /2/id'],
  ['PATCH', '/relationships/placeOfBirth', placeOfBirth.data, 404, '/id'],
  ['PATCH', '/relationships/relatives', nobody.data, 404, '/0/id'],
  ['POST', '/relationships/relatives', self, 400, '/0/id'],
  ['PATCH', '/relationships/relatives', twice, 400, '/1'],
  ['DELETE', '/relationships/relatives', [relative('1', 'AUNT')], 400, '/0/meta/relationshipType'],
  [
    'PATCH',
    '',
    both,
    404,
    '/relationships/placeOfBirth/data/id /relationships/relatives/data/0/id',
  ],
])(
  '%s %s of %j is refused with %i, and writes nothing',
  async (method, below, data, status, at) => {
    const me = await writer()
    const id = await userOf(me, { relationships: { citizenships: { data: countries('SE') } } })
    const before = await rowsOf(id)
    const body = JSON.stringify({ data: below === '' ? { type: 'users', id, ...data } : data })
    const sent = body.replaceAll('{id}', id)
    const answer = await send(method, `/users/${id}${below}`, me, sent)
    expect(answer.status).toBe(status)
    const places = answer.faults.map((fault) => fault.split(' /data').at(-1))
    expect(places.join(' ')).toBe(at)
    expect(await rowsOf(id)).toEqual(before)
  },
)

it('An update replaces all members of a relationship that it sends, also those that the resource object does not show', async () => {
  const me = await writer()
  const id = await userOf(me)
  const path = `/users/${id}/relationships/citizenships`
  const { data } = (await get('/countries?fields[countries]=', me.token)).document
  const many = countries(...data.map((country: { id: string }) => country.id), 'ZW')
  expect((await send('PATCH', path, me, { data: many })).status).toBe(204)
  const shown = (await get(`/users/${id}`, me.token)).document.data.relationships.citizenships
  expect(shown.data.length).toBeLessThan(many.length)

  const replacement = { relationships: { citizenships: { data: countries('NO') } } }
  expect((await send('PATCH', `/users/${id}`, me, change(id, replacement))).status).toBe(204)
  expect((await get(path, me.token)).document.data).toEqual(countries('NO'))
})

it('A delete ignores a body, whatever it is', async () => {
  const me = await writer()
  const path = `/users/${await userOf(me)}`

  expect((await send('DELETE', path, me, ' '.repeat(70_000))).status).toBe(204)
  expect((await get(path, me.token)).status).toBe(404)
})
