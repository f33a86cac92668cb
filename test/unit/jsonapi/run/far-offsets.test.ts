import { expect, it, vi } from 'vitest'
import type { Found, Read } from '../../../../src/jsonapi/run/port.ts'
import { read } from '../../../../src/jsonapi/run/read-operation.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { person } from '../request/requests.ts'
import { endpointOf, specOf } from './readers.ts'

/** Lists articles from an offset, where the largest offset is 100,000 and the store has so many. */
async function listAt(offset: number, total: number) {
  const found: Found = { records: [], members: [], position: undefined, total, related: [] }
  const ask = vi.fn<(reads: readonly Read[]) => Promise<readonly [Found]>>(async () => [found])
  const store = { read: ask, write: vi.fn() }
  const target = { path: '/root/articles', search: '' }
  const service = { registry, store, root: '/root', target, offsetLimit: 100_000, sealer }
  const query = await specOf('articles.list', { 'page[offset]': String(offset) })
  const answer = await read(service, {
    ...endpointOf('articles.list'),
    operation: 'list',
    principal: person(),
    id: undefined,
    query,
    payload: { attributes: {}, relationships: {} },
  })
  const [[[{ from }]]] = ask.mock.calls as unknown as [[[Read]]]
  return { document: JSON.parse(answer.body ?? ''), from }
}

it('an offset past the largest one is refused within the collection, and points to cursors', async () => {
  const detail = expect.stringMatching(/at most 100000 .*page\[cursor\]/)
  const source = { parameter: 'page[offset]' }
  await expect(listAt(100_001, 100_002)).rejects.toMatchObject({
    problems: [{ code: 'VALUE_INVALID_FORMAT', detail, source }],
  })
})

it.each([
  [100_001, 100_001],
  [Number.MAX_SAFE_INTEGER, 5],
  [100_001, 0],
])(
  'an offset past the end is an empty page with the total, and skips no row: %d of %d',
  async (offset, total) => {
    const { document, from } = await listAt(offset, total)
    expect(document).toMatchObject({ data: [], meta: { pagination: { totalItems: total } } })
    expect(from).toMatchObject({ offset: 0, limit: 1, total: true })
  },
)

it('an offset at the bound itself is read', async () => {
  expect((await listAt(100_000, 100_001)).from).toMatchObject({ offset: 100_000, limit: 20 })
})
