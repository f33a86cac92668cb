import type { TableSource } from '../../src/db/source.ts'
import type { Principal } from '../../src/jsonapi/access.ts'
import { load } from '../../src/jsonapi/load.ts'
import { planRead } from '../../src/jsonapi/read.ts'
import type { Registry } from '../../src/jsonapi/registry.ts'
import type { Found, From, Store } from '../../src/jsonapi/store.ts'
import { page } from '../jsonapi/memory-store.ts'
import { endpointOf, specOf } from '../jsonapi/readers.ts'
import { registry as secondDomain } from './second-domain/registry.ts'

/** A person who may read everything there is. */
export const reader: Principal = {
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(['articles.read']),
}

/** A page from the start, all of it. */
export const wholePage = { ...page, limit: undefined } satisfies From

/** Reads as an endpoint does, with its includes. */
export function readAs(
  store: Store,
  endpoint: string,
  from: From,
  query: Readonly<Record<string, string>> = {},
  registry: Registry<TableSource> = secondDomain,
) {
  const request = { ...endpointOf(endpoint), principal: reader }
  const { read, tree } = planRead(
    { registry, store, root: '' },
    request,
    specOf(endpoint, query),
    from,
  )
  return load(store, registry, read, tree)
}

/** Every page from the first to the last, each begun where the one before says. */
export async function walk(
  from: From & { kind: 'page' | 'linkage' },
  read: (from: From) => Promise<Found>,
): Promise<Found[]> {
  const pages: Found[] = []
  let next: From | undefined = from
  while (next) {
    const page: Found = await read(next)
    pages.push(page)
    const { position } = page
    next =
      position === undefined
        ? undefined
        : from.kind === 'page'
          ? { ...from, offset: 0, after: position }
          : { ...from, after: position[0] }
  }
  return pages
}
