import { describe, expect, it } from 'vitest'
import {
  change,
  countries,
  newUser,
  relative,
  send as sendTo,
  uniqueEmail,
  userOf,
  type Writer,
  writer,
} from '../../../support/people.ts'
import { type Answer, configuredService } from '../../../support/service.ts'
import { counted, giveUsers, nothing, ownedBy, rowsOf } from './rows.ts'

/** A service where one person can send many writes at once. */
const service = await configuredService()

const send = (method: string, path: string, me: Writer, body?: unknown) =>
  sendTo(method, path, me, body, service)

/** Sends so many requests at once; how often each status was answered. */
async function statuses(count: number, ask: (nth: number) => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, nth) => ask(nth)))
  const tally: Record<number, number> = {}
  for (const { status } of answers) {
    tally[status] = (tally[status] ?? 0) + 1
  }
  return tally
}

describe('writes at the same time', () => {
  it('20 creates with one e-mail address leave one user and 19 answers of 409', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => writer()))
    const email = uniqueEmail()
    const relationships = {
      citizenships: { data: countries('NO') },
      relatives: { data: [relative('1', 'SON')] },
    }
    const tally = await statuses(20, (nth) => {
      const attributes = { email: nth % 2 === 0 ? email : email.toUpperCase() }
      const me = people[nth] ?? { sub: '', token: '' }
      return send('POST', '/users', me, newUser({ attributes, relationships }))
    })

    expect(tally).toEqual({ 201: 1, 409: 19 })
    const users = await service.query('SELECT id FROM users WHERE email_key = ?1', email)
    expect(users).toHaveLength(1)
    const [rows, counter] = await counted(service)
    expect(counter).toBe(rows)
  })

  it('20 creates of a person who may own five more users leave five, and 15 answers of 409', async () => {
    const me = await writer()
    await giveUsers(me, 195, service)
    const tally = await statuses(20, () => send('POST', '/users', me, newUser()))

    expect(tally).toEqual({ 201: 5, 409: 15 })
    expect(await ownedBy(me, service)).toBe(200)
  })

  it('12 citizenships that are added to a user who may have six leave six, and 6 answers of 409', async () => {
    const me = await writer()
    const id = await userOf(me, {}, service)
    const ids = 'AT BE BG CH CZ DE DK EE ES FI FR GR'.split(' ')
    const tally = await statuses(12, (nth) => {
      const data = countries(ids[nth] ?? '')
      return send('POST', `/users/${id}/relationships/citizenships`, me, { data })
    })

    expect(tally).toEqual({ 204: 6, 409: 6 })
    expect((await rowsOf(id, service)).citizenships).toHaveLength(6)
  })

  it.each([1, 3])(
    'a delete racing updates gives 204 or 404 and never a half-written user (round %i)',
    async (round) => {
      const me = await writer()
      const id = await userOf(me, {}, service)
      const updated = change(id, {
        attributes: { fullName: 'Ann Cee', creditCardNumber: '4242424242424242' },
        relationships: {
          citizenships: { data: countries('FI', 'NO') },
          placeOfBirth: { data: { type: 'countries', id: 'SE' } },
          relatives: { data: [relative('1', 'SON')] },
        },
      })
      const others = [
        ['PATCH', '', updated],
        ['POST', '/relationships/citizenships', { data: countries('SE') }],
        ['PATCH', '/relationships/relatives', { data: [relative('2', 'SON')] }],
      ] as const
      const tally = await statuses(20, (nth) => {
        const [method, below, body] =
          nth === round * 5 ? ['DELETE', ''] : (others[nth % 3] ?? expect.unreachable())
        return send(method, `/users/${id}${below}`, me, body)
      })

      expect((tally[204] ?? 0) + (tally[404] ?? 0)).toBe(20)
      expect(await rowsOf(id, service)).toEqual(nothing)
      const [rows, counter] = await counted(service)
      expect(counter).toBe(rows)
      expect((await send('GET', `/users/${id}`, me)).status).toBe(404)
    },
  )

  it('updates of different parts at once all stay', async () => {
    const me = await writer()
    const id = await userOf(me, {}, service)
    const path = `/users/${id}`
    const parts = [
      { fullName: 'Ann Dee' },
      { email: uniqueEmail() },
      { creditCardNumber: '4242424242424242' },
      { addresses: [{ zip: '1' }] },
    ]
    const ids = ['DK', 'FI', 'IS', 'NO', 'SE']
    const tally = await statuses(parts.length + ids.length, (nth) => {
      const attributes = parts[nth]
      const data = countries(ids[nth - parts.length] ?? '')
      return attributes
        ? send('PATCH', path, me, change(id, { attributes }))
        : send('POST', `${path}/relationships/citizenships`, me, { data })
    })
    expect(tally).toEqual({ 204: parts.length + ids.length })
    const { attributes, relationships } = (await send('GET', path, me)).document.data
    expect(attributes).toMatchObject(Object.assign({}, ...parts))
    expect(relationships.citizenships.data).toEqual(countries(...ids))
  })

  it('updates at once leave the whole of one of them, and no read sees anything else', async () => {
    const me = await writer()
    const id = await userOf(me, {}, service)
    const variants = [
      { name: 'Ann Eins', countries: ['DE', 'AT'], type: 'SON' },
      { name: 'Ann Une', countries: ['FR', 'BE', 'CH'], type: 'WIFE' },
    ]
    const update = (nth: number) => {
      const { name, countries: ids, type } = variants[nth % 2] ?? expect.unreachable()
      const members = {
        attributes: { fullName: name },
        relationships: {
          citizenships: { data: countries(...ids) },
          placeOfBirth: { data: countries(...ids)[0] },
          relatives: { data: [relative('1', type)] },
        },
      }
      return send('PATCH', `/users/${id}`, me, change(id, members))
    }
    await update(0)
    const reads: Answer[] = []
    const tally = await statuses(20, async (nth) => {
      const [answer, read] = await Promise.all([update(nth), send('GET', `/users/${id}`, me)])
      reads.push(read)
      return answer
    })

    expect(tally).toEqual({ 204: 20 })
    const wholes = variants.map(({ name, countries: ids, type }) => [
      name,
      countries(...ids.toSorted()),
      countries(...ids)[0],
      [relative('1', type)],
    ])
    for (const { document } of [...reads, await send('GET', `/users/${id}`, me)]) {
      const { attributes, relationships } = document.data
      const { citizenships, placeOfBirth, relatives } = relationships
      const whole = [attributes.fullName, citizenships.data, placeOfBirth.data, relatives.data]
      expect(wholes).toContainEqual(whole)
    }
  })
})
