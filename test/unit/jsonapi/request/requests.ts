import type { Operation } from '../../../../src/jsonapi/declare/operation.ts'
import { endpointPath } from '../../../../src/jsonapi/declare/registry.ts'
import type { Principal, ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import type { Request } from '../../../../src/jsonapi/run/plan.ts'
import { endpointOf } from '../run/readers.ts'

/** A person with these scopes. Much is remembered with a caller; of a new one nothing is remembered yet. */
export const person = (...scopes: string[]): Principal => ({
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(scopes),
})

/** A client of the same id with these scopes. */
export const client = (...scopes: string[]): Principal => ({ ...person(...scopes), kind: 'client' })

/** What a test sends to an endpoint of the second domain. */
export interface Sent {
  readonly id?: string
  readonly principal?: Principal
  readonly query?: Readonly<Record<string, string>>
  /** In place of the second domain's own. */
  readonly definition?: ResourceDefinition
}

/** A request to an endpoint by name, as it is after validation. */
export function requestTo(
  name: string,
  { id, principal = person(), query = {}, definition }: Sent,
): Request<Operation> {
  const endpoint = endpointOf(name)
  const sent = Object.entries(query).map(([parameter, value]) => `${parameter}=${value}`)
  return {
    ...endpoint,
    ...(definition && { definition, subject: definition }),
    id,
    principal,
    path: `/root${endpointPath(endpoint, id ?? '')}`,
    search: sent.length > 0 ? `?${sent.join('&')}` : '',
  }
}
