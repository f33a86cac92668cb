/** An address of a user. */
export interface Address {
  readonly city?: string
  readonly zip?: string
  readonly doorCode?: string
}

/** A user, with everything that is known of it. */
export interface User {
  readonly id: string
  readonly owner: string
  readonly fullName: string
  readonly email: string
  readonly addresses: readonly Address[]
  readonly creditCardNumber: string | null
  readonly citizenships: readonly string[]
  readonly placeOfBirth: string | null
  /** What each relative is to the user, by the id of the relative. */
  readonly relatives: Readonly<Record<string, string>>
}

/** A country, or a currency, which has no currencies of its own. */
interface Place {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly currencies: readonly string[]
}

/** What never changes. */
export interface Atlas {
  readonly countries: ReadonlyMap<string, Place>
  readonly currencies: ReadonlyMap<string, Place>
}

/** All that the model remembers. */
export interface State {
  readonly atlas: Atlas
  readonly users: Map<string, User>
}

/** Who asks: a person with some scopes, or a client. */
export interface Caller {
  readonly name: string
  readonly kind: 'person' | 'client'
  readonly sub: string
  readonly scopes: readonly string[]
  readonly token: string
}

/** A request of the interface. */
export interface ModelRequest {
  readonly caller: Caller
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the root. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: what a body holds is up to the operation
  readonly body?: any
}

/** An error as far as the contract fixes it. */
export interface Fault {
  readonly status: string
  readonly code: string
  readonly source: Readonly<Record<string, string>>
}

/** What the contract promises for a request. */
export interface Expected {
  readonly status: number
  readonly faults?: readonly Fault[]
  readonly document?: object
  readonly cacheControl?: string
  readonly location?: string
}

/** Does the caller have the scope? Those of a client do not count. */
export function may({ kind, scopes }: Caller, scope: string): boolean {
  return kind === 'person' && scopes.includes(scope)
}

/** A refusal: the status of all faults, or 400 where they disagree. */
export function refusal(faults: readonly Fault[]): Expected {
  const statuses = [...new Set(faults.map(({ status }) => status))]
  return { status: statuses.length === 1 ? Number(statuses[0]) : 400, faults }
}

/** The token does not let the caller do this. */
export const forbidden: Fault = {
  status: '403',
  code: 'INSUFFICIENT_ENTITLEMENTS',
  source: { header: 'Authorization' },
}

/** There is no such resource. */
export const missing: Fault = { status: '404', code: 'NOT_FOUND', source: { path: 'id' } }
