import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { limitsRanges } from '#engine'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { folders, folderTable, peerTable } from '../db/second-domain/folders.ts'
import { databasesFor } from './databases.ts'
import { serviceOn } from './service.ts'

vi.spyOn(console, 'log').mockReturnValue()

const databases = await databasesFor(1)
const { database, run, drop } = await databases.create([folderTable, peerTable])
afterAll(async () => {
  await drop()
  await databases.close()
})
const send = serviceOn(database, createRegistry([folders]))

let made = 0
const attributesOf = (more: object = {}) => ({
  name: `Name ${made++ % 2}`,
  order: made % 3,
  size: 7,
  begun: new Date(made * 1_000).toISOString(),
  closed: made % 2 === 0,
  due: new Date(made % 2).toISOString(),
  ...more,
})
const dataOf = (more?: object, relationships?: object) => ({
  type: 'folders',
  attributes: attributesOf(more),
  ...(relationships && { relationships }),
})
const post = (...args: Parameters<typeof dataOf>) =>
  send('POST', '/folders', { data: dataOf(...args) })

/** Makes a folder; its id. */
async function create(...args: Parameters<typeof dataOf>): Promise<string> {
  const { status, document } = await post(...args)
  expect([status, document.errors]).toEqual([201, undefined])
  return document.data.id
}

/** Reads; the document of the answer. */
async function read(path: string) {
  const { status, document } = await send('GET', path)
  expect([status, document.errors]).toEqual([200, undefined])
  return document
}

/** The ids on all pages, from the first one on. */
async function pages(first: string): Promise<string[]> {
  const { data, links } = await read(first)
  const found = data.map(({ id }: { id: string }) => id)
  return links.next ? [...found, ...(await pages(links.next))] : found
}

/** Times that no document can hold, as the engine of this run writes them. */
const unheard = limitsRanges
  ? ["'infinity'", "'-infinity'", "'20000-01-01Z'", "'0044-03-15Z BC'"]
  : ['8640000000000001', '253402300800000', '-62135596800001']

const identifier = (id: string) => ({ type: 'folders', id })
const peer = (id: string) => ({ ...identifier(id), meta: { kind: 'NEAR', order: '1' } })

describe('a type whose names are words of SQL, and whose attributes are of every kind', () => {
  let ids: string[]
  beforeAll(async () => {
    ids = []
    for (let nth = 0; nth < 9; nth++) {
      ids.push(await create({ private0: `secret ${nth}` }))
    }
  })
  afterEach(async () => {
    for (const { id } of (await read('/folders?page[limit]=100')).data) {
      await (ids.includes(id) || send('DELETE', `/folders/${id}`))
    }
  })

  it.each(['name,order,size,closed,due', '-closed,name,-size,order,-due'])(
    'is read to its last page in an order of five keys: %s',
    async (sort) => {
      const all = await read(`/folders?sort=${sort}&page[limit]=100`)
      const expected = all.data.map(({ id }: { id: string }) => id)
      expect(new Set(expected)).toEqual(new Set(ids))
      expect(await pages(`/folders?sort=${sort}`)).toEqual(expected)
    },
  )

  it('shows what the server sets, and what only the owner sees, wherever it is included', async () => {
    const [parent = '', buddy = '', ...peers] = ids
    const id = await create(
      {},
      {
        parent: { data: identifier(parent) },
        buddy: { data: identifier(buddy) },
        peers: { data: peers.map((one) => peer(one)) },
      },
    )
    const path = `/folders/${id}?include=parent,buddy,peers`
    const { data, included } = await read(path)
    const { closed } = data.attributes
    const state = closed ? 'DONE' : 'OPEN'
    expect(data.attributes).toMatchObject({ label: { colour: 'red' }, state })
    expect(included.map((one: { attributes: object }) => one.attributes)).toMatchObject(
      [parent, buddy, ...peers].map((one) => ({ private0: `secret ${ids.indexOf(one)}` })),
    )
    expect(
      (await send('GET', path, undefined, 'bob')).document.included[0].attributes,
    ).not.toHaveProperty('private0')
    expect(
      (await read('/folders?sort=-name&page[limit]=20&include=parent,buddy,peers')).data,
    ).toHaveLength(10)
  })

  it('has a unique time: taken, free, and freed in the transaction that takes it', async () => {
    const begun = '2026-01-01T00:00:00.000Z'
    const id = await create({ begun })
    const taken = await post({ begun })
    expect([taken.status, taken.document.errors[0].source.pointer]).toEqual([
      409,
      '/data/attributes/begun',
    ])
    const other = { begun: '2026-01-02T00:00:00.000Z' }
    const operations = [
      { op: 'update', data: { ...identifier(id), attributes: other } },
      { op: 'add', data: dataOf({ begun }) },
    ]
    const twice = [...operations, { op: 'add', data: dataOf({ begun }) }]
    const transact = (all: object[]) => send('POST', '/operations', { 'atomic:operations': all })
    expect((await transact(twice)).status).toBe(409)
    expect((await transact(operations)).status).toBe(200)
  })

  const huge = '9'.repeat(400)
  it.each([
    ...['2147483648', '100000000000000000000', huge].map((value) => ['order', String(value)]),
    ...['9223372036854775808', huge].map((value) => ['size', value]),
    ...['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999-23:59'].map((value) => [
      'begun',
      value,
    ]),
    ...['100000000000000000000', huge, '1.5', 'x'].map((value) => ['order.from', value]),
    ...['0000-01-01T00:00:00.000Z', '+020000-01-01', 'x'].map((value) => ['begun.from', value]),
  ])('has no row for a value beyond its column: %s %s', async (name, value) => {
    expect((await read(`/folders?filter[${name}]=${value.replace('+', '%2B')}`)).data).toEqual([])
  })

  it('has no row without a value for a filter by a text without letters, whose key is empty, too', async () => {
    const id = await create({ note: '\u0301' })
    expect(await pages('/folders?filter[note]=%CC%81')).toEqual([id])
  })

  it('takes the bounds of its columns, in bodies, filters and cursors, and nothing beyond', async () => {
    const bounds = [
      ...[{ order: -(2 ** 31) - 1 }, { order: 2 ** 31 }, { size: Number.MIN_SAFE_INTEGER }],
      ...[{ size: Number.MAX_SAFE_INTEGER }, { begun: '0001-01-01T00:00:00.000Z' }],
      { begun: '9999-12-31T23:59:59.999Z' },
    ]
    await Promise.all(bounds.map((bound) => create(bound)))
    for (const [name, value] of bounds.flatMap((bound) => Object.entries(bound))) {
      const { data } = await read(`/folders?filter[${name}]=${value}`)
      expect(
        data.map((one: { attributes: Record<string, unknown> }) => one.attributes[name]),
      ).toEqual([value])
    }
    for (const [name, value] of Object.entries({
      order: 1e20,
      size: 2 ** 53,
      begun: '0000-01-01T00:00:00.000Z',
    })) {
      const { status, document } = await post({ [name]: value })
      expect([status, document.errors[0].source.pointer]).toEqual([400, `/data/attributes/${name}`])
    }
  })

  it('omits times of other programs that no document can hold, at the top and included, and pages over them', async () => {
    const parent = ids[0] ?? ''
    const child = await create({}, { parent: { data: identifier(parent) } })
    for (const time of unheard) {
      await run(`UPDATE "target" SET "default" = ${time} WHERE "primary key" = '${parent}'`)
      const { data } = await read(`/folders/${parent}`)
      const { included } = await read(`/folders/${child}?include=parent`)
      expect(data.attributes).not.toHaveProperty('due')
      expect(included[0].attributes).toEqual(data.attributes)
      const all = await pages('/folders?sort=due&page[limit]=1')
      expect(new Set(all)).toEqual(new Set([...ids, child]))
      expect(all).toHaveLength(ids.length + 1)
    }
  })
})
