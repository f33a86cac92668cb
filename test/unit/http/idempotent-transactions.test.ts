import { beforeEach, describe, expect, it } from 'vitest'
import { dump } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'
import { startWritable } from './writable.ts'

let service: Awaited<ReturnType<typeof startWritable>>

beforeEach(async () => {
  service = await startWritable()
})

const atomicType = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

const add = (handle: string) => ({
  op: 'add',
  data: {
    type: 'articles',
    attributes: { title: 'Made', handle, section: 'News', notes: 'quite secret' },
  },
})
const rename = (id: string) => ({
  op: 'update',
  data: { type: 'articles', id, attributes: { title: 'Renamed' } },
})

/** Sends operations as one transaction, with a key. */
function transact(
  key: string,
  operations: unknown,
  { post } = service,
  headers: Readonly<Record<string, string>> = {},
) {
  const types = { Accept: atomicType, 'Content-Type': atomicType }
  const body = { 'atomic:operations': operations }
  return post('/operations', body, { headers: { ...types, 'Idempotency-Key': key, ...headers } })
}

/** A conflict at the header. */
const atKey = [{ code: 'CONFLICT', source: { header: 'Idempotency-Key' } }]

describe('a transaction that is sent again with its key (contract, sections 12 and 13)', () => {
  it('gets the same answer, with Idempotency-Replayed, and writes nothing', async () => {
    const operations = [add('one'), rename('a01'), add('two')]
    const first = await transact('k1', operations)
    expect([first.status, first.headers.get('Idempotency-Replayed')]).toEqual([200, null])
    const [before, trips] = [await dump(service.d1), service.roundTrips.length]
    const second = await transact('k1', operations)
    expect([second.status, second.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
    expect(second.document).toEqual(first.document)
    for (const name of ['Content-Type', 'Cache-Control']) {
      expect(second.headers.get(name), name).toBe(first.headers.get(name))
    }
    expect(service.roundTrips.length - trips).toBe(2)
    expect(await dump(service.d1)).toEqual(before)
  })

  it('is shown what it has added as that is now, and an empty object for what is gone', async () => {
    const operations = [add('one'), rename('a01'), add('two')]
    const [one, , two] = (await transact('k1', operations)).document['atomic:results']
    await service.remove(`/articles/${one.data.id}`)
    await transact('k2', [rename(two.data.id)])
    const again = await transact('k1', operations)
    expect(again.status).toBe(200)
    expect(again.document['atomic:results']).toMatchObject([
      {},
      {},
      { data: { id: two.data.id, attributes: { title: 'Renamed' } } },
    ])
    expect(again.document['atomic:results'].slice(0, 2)).toEqual([{}, {}])
  })

  it('gets empty objects where it adds nothing, after one round trip', async () => {
    await transact('k1', [rename('a01')])
    await service.remove('/articles/a01')
    const trips = service.roundTrips.length
    const again = await transact('k1', [rename('a01')])
    expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([200, 'true'])
    expect(again.document['atomic:results']).toEqual([{}])
    expect(service.roundTrips.length - trips).toBe(1)
  })

  it.each([
    ['other operations', () => transact('k1', [add('one'), rename('a01')])],
    [
      'a create that has the same key',
      () =>
        service.post(
          '/articles',
          { data: add('x').data },
          { headers: { 'Idempotency-Key': 'k1' } },
        ),
    ],
  ])('is a 409 at the header where it is another request: %s', async (_, other) => {
    await transact('k1', [add('one')])
    const { status, errors } = await service.refused(other)
    expect(status).toBe(409)
    expect(errors).toMatchObject(atKey)
  })

  it('is a new one where it failed before, since only successes are stored', async () => {
    const failed = await service.refused(() => transact('k1', [add('one'), rename('a02')]))
    expect(failed.status).toBe(403)
    const made = await transact('k1', [add('one')])
    expect([made.status, made.headers.get('Idempotency-Replayed')]).toEqual([200, null])
  })
})

it('A transaction with a key whose answer D1 loses after the commit is answered as what it is: no replay', async () => {
  let trips = 0
  const lossy = await startService(async (_, run) => {
    await run()
    if (++trips === 1) {
      throw new Error('D1_ERROR: Network connection lost.')
    }
  })
  const { status, headers, document } = await transact('k1', [add('one')], { ...service, ...lossy })
  expect([status, headers.get('Idempotency-Replayed')]).toEqual([200, null])
  const [{ data }] = document['atomic:results']
  expect(await lossy.d1.prepare('SELECT article_no FROM articles').raw()).toEqual([[data.id]])
})

it('A transaction tells a key that is none beside If-Match and all other faults (contract, section 2)', async () => {
  const { status, errors } = await service.refused(() =>
    transact('a b', [{ op: 'remove', ref: { type: 'articles', lid: 'x' } }], service, {
      'If-Match': '*',
    }),
  )
  expect(status).toBe(400)
  expect(errors.map(({ source }: { readonly source: object }) => source)).toEqual([
    { header: 'If-Match' },
    { header: 'Idempotency-Key' },
    { pointer: '/atomic:operations/0/ref/lid' },
  ])
})
