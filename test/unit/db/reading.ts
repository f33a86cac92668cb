import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import type { From, Store } from '../../../src/jsonapi/run/port.ts'
import { load } from '../../../src/jsonapi/run/read-operation.ts'
import { viewOf } from '../../../src/jsonapi/run/views.ts'
import { endpointOf, reader, specOf } from '../jsonapi/run/readers.ts'
import { registry as secondDomain } from './second-domain/registry.ts'

/** A page from the start, all of it. */
export const wholePage = {
  kind: 'page',
  filter: {},
  sort: [],
  after: undefined,
  offset: 0,
  limit: undefined,
  total: false,
} satisfies From

/** Reads as an endpoint does, with its includes. */
export async function readAs(
  store: Store,
  endpoint: string,
  from: From,
  query: Readonly<Record<string, string>> = {},
  registry: Registry = secondDomain,
) {
  const subject = registry.get(endpointOf(endpoint).subject.type)
  const request = { subject, principal: reader, query: await specOf(endpoint, query) }
  return load(store, registry, viewOf(registry, request), from)
}
