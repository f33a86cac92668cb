import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/jsonapi/errors.ts'
import { documentOf } from '../../../support/documents.ts'
import { withNewIds } from '../../../support/new-ids.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { withTitle } from '../request/bodies.ts'
import { key, replayed, used } from './keys.ts'
import { send } from './writing.ts'

/** Creates an article whose id is `new`, with a key. */
const create = (sending: Partial<Parameters<typeof send>[1]> = {}) =>
  send('articles.create', {
    definition: withNewIds(articles, () => 'new'),
    body: withTitle({}),
    key,
    ...sending,
  })

const location = (id: string) => ['Location', `/root/articles/${id}`]
const links = [
  ['Link', '</first>; rel="first"'],
  ['Link', '</second>; rel="second"'],
]

describe('a create whose key was used before (contract, section 12)', () => {
  it('shows the resource that was created then as it is now, and says that it wrote nothing', async () => {
    const { answer, keys } = await create({
      outcome: used(['before']),
      stored: [{ type: 'articles', id: 'before', attributes: { title: 'Renamed' } }],
    })
    expect(keys).toEqual([key])
    expect(answer).toMatchObject({ status: 201, createdId: 'before' })
    expect(answer.headers).toEqual([...links, location('before'), replayed])
    expect(documentOf(answer.body ?? '')).toMatchObject({
      links: { self: '/root/articles/before' },
      data: { type: 'articles', id: 'before', attributes: { title: 'Renamed' } },
    })
  })

  it('is answered like the first time where an earlier attempt of the same request was carried out', async () => {
    const { answer } = await create({
      outcome: used(['new']),
      stored: [{ type: 'articles', id: 'new' }],
    })
    expect(answer.headers).toEqual([...links, location('new')])
  })

  it.each([
    [
      'the other request was not the same',
      used(['before'], 'other'),
      /another path, query or body/,
    ],
    ['the resource is gone', used(['before']), /of type articles .* does not exist any more/],
    ['the other request has created nothing', used([]), /does not exist any more/],
  ])('is a conflict at the header where %s', async (_, outcome, detail) => {
    await expect(create({ outcome, stored: [] })).rejects.toMatchObject({
      status: 409,
      problems: [
        {
          code: 'CONFLICT',
          detail: expect.stringMatching(detail),
          source: { header: 'Idempotency-Key' },
        },
      ],
    })
  })

  it('is no fault of the caller where the request has no key', async () => {
    const failure = send('articles.create', { outcome: used(['before']) })
    await expect(failure).rejects.toThrow('the request has no key')
    await expect(failure).rejects.not.toBeInstanceOf(ApiError)
  })
})
