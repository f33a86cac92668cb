import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/jsonapi/errors.ts'
import type { Refusal } from '../../../../src/jsonapi/run/store.ts'
import { transact } from '../../../../src/jsonapi/run/transact.ts'
import { documentOf } from '../../../support/documents.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { add, ann, article, editor, on, person } from '../request/transactions.ts'
import { key, replayed, used } from './keys.ts'
import { memoryStore } from './memory-store.ts'
import { run } from './transacting.ts'

const rename = { op: 'update', data: { type: 'articles', id: 'a', attributes: { title: 'New' } } }
const remove = { op: 'remove', ref: { type: 'articles', id: 'a' } }
/** An article with a value that no cache may keep. */
const secret = { ...article, attributes: { ...article.attributes, notes: 'quite secret' } }

describe('the operations of a transaction (contract, section 13)', () => {
  it('are one write of the store, in their order, with the key of the request', async () => {
    const { writes, added, reads } = await run(
      [add(person), rename, { op: 'add', ref: on('contributors'), data: [editor({ id: 'p' })] }],
      { key },
    )
    expect(writes).toEqual([
      {
        key,
        edits: [
          expect.objectContaining({
            type: 'people',
            change: expect.objectContaining({ kind: 'create', id: added[0] }),
            owner: 'ann',
          }),
          expect.objectContaining({
            type: 'articles',
            change: { kind: 'update', id: 'a', attributes: { title: 'New' }, relationships: {} },
          }),
          expect.objectContaining({
            change: {
              kind: 'add',
              id: 'a',
              relationship: 'contributors',
              members: [editor({ id: 'p' })],
            },
          }),
        ],
      },
    ])
    const revisions = new Set(writes[0]?.edits.map(({ revision }) => revision))
    expect(revisions.size).toBe(3)
    expect(reads).toEqual([])
  })

  it('must be at least one, which the schema of the body has made sure of', async () => {
    const { store } = memoryStore([])
    const service = { registry, store, root: '/root', offsetLimit: 1, sealer }
    await expect(transact(service, [], ann)).rejects.toThrow('A transaction has no operations')
  })
})

describe('the answer to a transaction (contract, section 13)', () => {
  it('has a result for each operation: the added resource in its place, an empty object for the others', async () => {
    const { answer, added, results } = await run([rename, add(), remove, add(person)])
    expect(answer).toMatchObject({
      status: 200,
      headers: [],
      cacheControl: 'private, no-cache',
      mediaType: 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"',
    })
    expect(documentOf(answer.body ?? '').jsonapi).toEqual({
      version: '1.1',
      ext: ['https://jsonapi.org/ext/atomic'],
    })
    expect(results).toEqual([
      {},
      { data: expect.objectContaining({ type: 'articles', id: added[0] }) },
      {},
      { data: expect.objectContaining({ type: 'people', id: added[1] }) },
    ])
    expect(results[1]?.data).toMatchObject({
      attributes: article.attributes,
      links: { self: `/root/articles/${added[0]}` },
    })
  })

  it('is kept by no cache where it shows a sensitive value, in whichever result', async () => {
    const { answer, results } = await run([add(secret), add(), rename])
    expect(results[0]?.data?.attributes?.notes).toBe('quite secret')
    expect(answer.cacheControl).toBe('private, no-store')
  })

  it('hides from a caller who may not read it what the caller has sent', async () => {
    const principal = { ...ann, scopes: new Set(['articles.write']) }
    const { answer } = await run([add(secret)], { principal })
    expect(answer.body).not.toContain('secret')
    expect(answer.cacheControl).toBe('private, no-cache')
  })
})

describe('a transaction that the store refuses (contract, sections 2 and 13)', () => {
  const tag = { type: 'tags', id: 't' }
  const linked = { ...article, relationships: { tags: { data: [tag] } } }
  const byHref = { op: 'remove', href: '/root/articles/b' }

  it.each<[refusal: Refusal, code: string, pointers: string[]]>([
    [{ kind: 'absent', at: 0 }, 'NOT_FOUND', ['/0/data/id']],
    [{ kind: 'foreign', at: 1 }, 'INSUFFICIENT_ENTITLEMENTS', ['/1/ref/id']],
    [{ kind: 'linked', at: 2, most: 1_000 }, 'CONFLICT', ['/2/href']],
    [
      { kind: 'dangling', at: 3, targets: [{ relationship: 'tags', id: 't' }] },
      'NOT_FOUND',
      ['/3/data/relationships/tags/data/0/id'],
    ],
    [
      { kind: 'taken', at: 3, attributes: ['title', 'handle'] },
      'CONFLICT',
      ['/3/data/attributes/title', '/3/data/attributes/handle'],
    ],
    [{ kind: 'full', at: 3, most: 10 }, 'CONFLICT', ['/3/data']],
    [{ kind: 'full', at: 4, most: 10, relationship: 'contributors' }, 'CONFLICT', ['/4/data']],
  ])('names the place in the operation that failed: %j is %s', async (refusal, code, pointers) => {
    const joins = { op: 'add', ref: on('contributors'), data: [editor({ id: 'p' })] }
    const running = run([rename, remove, byHref, add(linked), joins], { outcome: () => refusal })
    await expect(running).rejects.toMatchObject({
      problems: pointers.map((pointer) => ({
        code,
        source: { pointer: `/atomic:operations${pointer}` },
      })),
    })
    await expect(running).rejects.toBeInstanceOf(ApiError)
  })

  it('names the lid by which an operation links to what is gone by then', async () => {
    const gone = { ...person, lid: 'p' }
    const named = { type: 'people', lid: 'p' }
    const running = run(
      [
        add(gone),
        { op: 'remove', ref: named },
        { op: 'add', ref: on('contributors'), data: [editor({ id: 'q' }), editor({ lid: 'p' })] },
      ],
      {
        outcome: ([id = '']) => ({
          kind: 'dangling',
          at: 2,
          targets: [{ relationship: 'contributors', id }],
        }),
      },
    )
    await expect(running).rejects.toMatchObject({
      problems: [{ code: 'NOT_FOUND', source: { pointer: '/atomic:operations/2/data/1/lid' } }],
    })
  })

  it('is no fault of the caller where the store names an operation that there is not', async () => {
    const running = run([rename], { outcome: () => ({ kind: 'absent', at: 1 }) })
    await expect(running).rejects.toThrow('operation that was not sent')
    await expect(running).rejects.not.toBeInstanceOf(ApiError)
  })
})

describe('a transaction whose key was used before (contract, section 12)', () => {
  it('shows what was added then as it is now, in one further round trip, and says that it wrote nothing', async () => {
    const { answer, results, reads } = await run([add(person), rename, add()], {
      key,
      outcome: () => used(['p1', 'a1']),
      stored: () => [
        { type: 'people', id: 'p1', attributes: { nickname: 'later' } },
        { type: 'articles', id: 'a1', owned: true, attributes: { title: 'T', notes: 'n' } },
      ],
    })
    expect(results).toEqual([
      { data: expect.objectContaining({ id: 'p1', attributes: { nickname: 'later' } }) },
      {},
      { data: expect.objectContaining({ id: 'a1', attributes: { title: 'T', notes: 'n' } }) },
    ])
    expect(answer).toMatchObject({ status: 200, headers: [replayed] })
    expect(answer.cacheControl).toBe('private, no-store')
    expect(reads.map(({ length }) => length)).toEqual([2])
  })

  it('shows an empty object in place of what is gone', async () => {
    const { answer, results } = await run([add(person), add()], {
      key,
      outcome: () => used(['p1', 'a1']),
      stored: () => [{ type: 'articles', id: 'a1' }],
    })
    expect(results).toEqual([{}, { data: expect.objectContaining({ id: 'a1' }) }])
    expect(answer.headers).toEqual([replayed])
  })

  it('reads nothing where it adds nothing', async () => {
    const { answer, results, reads } = await run([rename, remove], { key, outcome: () => used([]) })
    expect(results).toEqual([{}, {}])
    expect(answer.headers).toEqual([replayed])
    expect(reads).toEqual([])
  })

  it('is answered like the first time where an earlier attempt of the same request was carried out', async () => {
    const { answer, added, results } = await run([add(person), add(person)], {
      key,
      outcome: (added) => used(added),
      stored: (ids) => ids.map((id) => ({ type: 'people', id })),
    })
    expect(results.map(({ data }) => data?.id)).toEqual(added)
    expect(answer.headers).toEqual([])
  })

  it('is a conflict at the header where the other request was not the same', async () => {
    await expect(run([rename], { key, outcome: () => used([], 'other') })).rejects.toMatchObject({
      status: 409,
      problems: [{ code: 'CONFLICT', source: { header: 'Idempotency-Key' } }],
    })
  })

  it('is no fault of the caller where the request has no key', async () => {
    const running = run([rename], { outcome: () => used([]) })
    await expect(running).rejects.toThrow('the request has no key')
    await expect(running).rejects.not.toBeInstanceOf(ApiError)
  })
})
