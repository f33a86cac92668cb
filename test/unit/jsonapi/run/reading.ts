import { isRead } from '../../../../src/jsonapi/declare/operation.ts'
import type { Registry } from '../../../../src/jsonapi/declare/registry.ts'
import { read } from '../../../../src/jsonapi/run/read.ts'
import type { Found, Store } from '../../../../src/jsonapi/run/store.ts'
import { documentOf } from '../../../support/documents.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry as secondDomain } from '../../db/second-domain/registry.ts'
import { requestTo, type Sent } from '../request/requests.ts'
import { memoryStore, type Stored } from './memory-store.ts'
import { specOf } from './readers.ts'

/** What is read, from where. */
interface Reading extends Sent {
  readonly registry?: Registry
  readonly resources?: readonly Stored[]
  /** An answer of the store in place of what it found. */
  readonly instead?: Partial<Found>
}

/** Two articles, the first one the caller's own, two people and two tags. */
const world: readonly Stored[] = [
  {
    type: 'articles',
    id: 'a1',
    owned: true,
    attributes: { title: 'One', handle: 'one', section: 'News', notes: 'secret' },
    links: { author: ['p1'], contributors: ['p2', 'p1'], tags: ['t1'] },
  },
  {
    type: 'articles',
    id: 'a2',
    attributes: { title: 'Two', handle: 'two', section: 'News', notes: 'secret' },
  },
  {
    type: 'people',
    id: 'p1',
    attributes: { nickname: 'Pat', born: 1980 },
    links: { favourite: ['t2'], follows: ['p2'] },
  },
  { type: 'people', id: 'p2', attributes: { nickname: 'Quinn', born: 1990 } },
  { type: 'tags', id: 't1', attributes: { label: 'First', kind: 'plain' } },
  { type: 'tags', id: 't2', attributes: { label: 'Second', kind: 'plain' } },
]

/** Runs a read operation of the second domain on a store in memory. */
export async function ask(
  name: string,
  { registry = secondDomain, resources = world, instead = {}, ...sent }: Reading = {},
) {
  const request = requestTo(name, sent)
  const { operation, path } = request
  if (!isRead(operation)) {
    throw new Error(`${name} reads nothing`)
  }
  const { store, roundTrips } = memoryStore(resources)
  const telling: Store = {
    ...store,
    async read(reads) {
      const [found, ...rest] = await store.read(reads)
      return [{ ...found, ...instead }, ...rest]
    },
  }
  const service = { registry, store: telling, root: '/root', offsetLimit: 100_000, sealer }
  const answer = await read(
    service,
    { ...request, operation },
    specOf(name, sent.query ?? {}, path),
  )
  const reads = roundTrips.flat()
  return { ...answer, document: documentOf(answer.body ?? ''), reads }
}
