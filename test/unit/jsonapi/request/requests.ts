import type { Principal } from '../../../../src/jsonapi/declare/resource.ts'

/** A person with these scopes. Much is remembered with a caller; of a new one nothing is remembered yet. */
export const person = (...scopes: string[]): Principal => ({
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(scopes),
})

/** A client of the same id with these scopes. */
export const client = (...scopes: string[]): Principal => ({ ...person(...scopes), kind: 'client' })
