import { expect, it } from 'vitest'
import { linesWith } from '../../../support/log.ts'
import { change, newUser, relative, send, userOf, writer } from '../../../support/people.ts'
import { database, get, logs } from '../../../support/service.ts'
import { add, transact } from '../../../support/transactions.ts'
import { rowsOf } from './rows.ts'

/** A card number that no other test uses, and the parts of it that would give it away. */
function uniqueCard(): { readonly number: string; readonly digits: string } {
  const random = crypto.getRandomValues(new Uint32Array(2)).join('').padStart(16, '4')
  const digits = random.slice(0, 16)
  return { number: digits.replace(/(\d{4})(?=\d)/g, '$1 '), digits }
}

/** A text with nothing between its digits, so that a number is found however it is written. */
function withoutSeparators(text: string): string {
  return text.replace(/[ -]/g, '')
}

/** Every row of every table, as one text. */
async function everyRow(): Promise<string> {
  const { query, batch } = database
  const tables = await query(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'",
  )
  const rows = await batch(tables.map(({ name }) => [`SELECT * FROM "${name}"`]))
  return JSON.stringify(rows)
}

/** Reads and writes of every kind about a card; the answers that should not show it, as one text. */
async function useOf(number: string): Promise<string> {
  const [me, other, stranger] = [await writer(), await writer(), await writer()]
  const card = (creditCardNumber: unknown) => ({ attributes: { creditCardNumber } })
  const id = await userOf(me, card(number))
  const neighbour = await userOf(other, card(number))
  const path = `/users/${id}`
  const linkage = { data: [relative(neighbour, 'SON')] }
  const answers = [
    await send('PATCH', path, me, change(id, card(number))),
    await send('PATCH', path, me, change(id, card(`${number}x`))),
    await send('PATCH', path, other, change(id, card(number))),
    await send('POST', '/users', me, newUser(card([number]))),
    await send('POST', '/users', me, newUser(card(Number(number.replaceAll(' ', ''))))),
    await send('PATCH', `${path}/relationships/relatives`, me, linkage),
    await get(path, other.token),
    await get(`/users/${neighbour}?fields[users]=creditCardNumber`, me.token),
    await get(`/users?filter[id]=${id}&include=relatives`, stranger.token),
  ]
  expect(answers.map(({ status }) => status)).toEqual([204, 400, 403, 400, 400, 204, 200, 200, 200])
  return answers.map(({ text }) => text).join('\n')
}

const own = await writer()
const somebody = await writer()
const card = uniqueCard().number
const id = await userOf(own, { attributes: { fullName: 'Zed', creditCardNumber: card } })
const relatives = { data: [relative(id, 'SON')] }
const other = await userOf(somebody, { relationships: { relatives } })
await send('POST', `/users/${id}/relationships/relatives`, own, { data: [relative(other, 'SON')] })

it.each([
  ['of a user', `/users/${id}`],
  ['at the end of a list', `/users?filter[id]=${other},${id}&sort=fullName`],
  ['of an included user', `/users/${other}?include=relatives`],
  ['of a user included by two steps', `/users/${id}/relatives?include=relatives`],
  ['of a related user', `/users/${other}/relatives`],
  ['included beside linkage', `/users/${other}/relationships/relatives?include=relatives`],
])('no cache may keep a card number: the one %s', async (_, path) => {
  const { headers, text } = await get(path, own.token)
  expect([headers['cache-control'], text.includes(card)]).toEqual(['private, no-store', true])
  const { headers: others } = await get(path, somebody.token)
  expect(others['cache-control']).toBe('private, no-cache')
})

it('no cache may keep the answer to a transaction that shows a card number in any of its results', async () => {
  const { token } = await writer()
  const card = { attributes: { creditCardNumber: uniqueCard().number } }
  for (const operations of [
    [add(undefined, card), add()],
    [add(), add(undefined, card)],
  ]) {
    const { headers } = await transact(token, operations)
    expect(headers['cache-control']).toBe('private, no-store')
  }
  expect((await transact(token, [add()])).headers['cache-control']).toBe('private, no-cache')
})

it('no table, log line or error holds a card number in clear', async () => {
  const { number, digits } = uniqueCard()
  const told = await useOf(number)

  expect(withoutSeparators(told)).not.toContain(digits)
  expect(withoutSeparators(await everyRow())).not.toContain(digits)
  const lines = await logs()
  expect(lines.length).toBeGreaterThan(0)
  expect(withoutSeparators(lines.join('\n'))).not.toContain(digits)
})

it("a ciphertext moved to another user's row is a 500 with a log line, and shows no card number", async () => {
  const me = await writer()
  const [card, moved] = [uniqueCard(), uniqueCard()]
  const id = await userOf(me, { attributes: { creditCardNumber: card.number } })
  const source = await userOf(me, { attributes: { creditCardNumber: moved.number } })
  await database.query(
    "UPDATE users SET card = (SELECT card FROM users WHERE id = ?2), revision = 'moved' WHERE id = ?1",
    id,
    source,
  )
  const { faults, text, document } = await get(`/users/${id}`, me.token)

  expect(faults).toEqual(['500 INTERNAL_SERVER_ERROR'])
  const errorId = String(document.errors?.[0]?.id)
  const [line = ''] = await linesWith(errorId)
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    event: 'failure',
    operation: 'users.get',
    errorId,
    cause: expect.stringMatching(/./),
    stack: expect.stringMatching(/^at .+\.js:\d+:\d+\)?(\nat .+)*$/),
  })
  for (const { digits } of [card, moved]) {
    expect(withoutSeparators(text + line)).not.toContain(digits)
  }
  const sealed = String((await rowsOf(id)).user?.card)
  expect(text + line).not.toContain(sealed.split('.').at(-1))
})
