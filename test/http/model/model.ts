import type { Identifier } from '../../support/documents.ts'

// What the service promises of users after any writes. Fixed tests show pages, includes, fields, caching, relationship endpoints and countries.

type Linkage = readonly Identifier[] | Identifier | null

/** A user, with everything that is known of it. */
interface User {
  readonly id: string
  readonly owner: string
  // biome-ignore lint/suspicious/noExplicitAny: values as bodies hold them
  readonly attributes: Readonly<Record<string, any>>
  readonly links: Readonly<Record<string, Linkage>>
}

/** All that the model remembers: users by their ids. */
export type Users = Map<string, User>

/** Who asks: a person with some scopes, or a client, whose scopes do not count. */
export interface Caller {
  readonly name: string
  readonly sub: string
  readonly scopes: readonly string[]
  readonly token: string
}

/** A request of the interface. */
export interface ModelRequest {
  readonly caller: Caller
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the root, with the ids that a list is filtered by. */
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: what a body holds is up to the operation
  readonly body?: any
}

/** What the contract promises for a request. */
export interface Expected {
  readonly status: number
  readonly faults?: readonly string[]
  readonly data?: readonly object[]
}

/** A refusal by faults that all have one status. */
const refusal = (...faults: readonly string[]): Expected => ({
  status: Number(faults[0]?.slice(0, 3)),
  faults: faults.toSorted(),
})
const forbidden = '403 INSUFFICIENT_ENTITLEMENTS header Authorization'
const missing = '404 NOT_FOUND path id'

/** The countries that requests name, and that exist. */
const countries = ['NO', 'SE', 'PA', 'CH']

/** May the caller see who or what a relationship leads to? */
function sees({ scopes }: Caller, relationship: string): boolean {
  return scopes.includes(relationship === 'citizenships' ? 'users.citizenships.read' : 'users.read')
}

/** Answers a read of a user, or of users by their ids. */
export function read(users: Users, { caller, path }: ModelRequest): Expected {
  const [, , id] = path.split('/')
  const [, listed = ''] = path.split('=')
  const found = (id ?? listed)
    .split(',')
    .toSorted()
    .flatMap((one) => users.get(one) ?? [])
  if (id !== undefined && found.length === 0) {
    return refusal(missing)
  }
  return { status: 200, data: found.map((user) => resourceOf(user, caller)) }
}

/** A user as the caller sees it. */
function resourceOf({ id, owner, attributes, links }: User, caller: Caller): object {
  const { addresses = [], creditCardNumber, ...always } = attributes
  const isOwner = owner === caller.sub
  const isSensitive = caller.scopes.includes('users.sensitive.read')
  const shown = (addresses as readonly { readonly doorCode?: string }[])
    .map(({ doorCode, ...rest }) =>
      doorCode && (isOwner || isSensitive) ? { ...rest, doorCode } : rest,
    )
    .filter((address) => Object.keys(address).length > 0)
  const seen = {
    ...always,
    ...(shown.length > 0 && { addresses: shown }),
    ...(creditCardNumber && isOwner && isSensitive ? { creditCardNumber } : {}),
  }
  const linkage = Object.entries(links).map(([name, data]) => [
    name,
    sees(caller, name) ? data : 'hidden',
  ])
  return {
    ...{ type: 'users', id, attributes: caller.scopes.includes('users.read') ? seen : {} },
    relationships: Object.fromEntries(linkage),
  }
}

/** Answers a write, and changes the users where the answer is a success. */
export function write(users: Users, request: ModelRequest, newId: string): Expected {
  const { caller, method, path, body } = request
  const [, , id = newId, , relationship] = path.split('/')
  const user = users.get(id)
  const { attributes = {}, relationships = {} } = body?.data ?? {}
  const sent: Record<string, Linkage> =
    relationship === undefined
      ? Object.fromEntries(
          Object.entries<{ data: Linkage }>(relationships).map(([name, { data }]) => [name, data]),
        )
      : { [relationship]: body.data }
  if (!caller.scopes.includes('users.write')) {
    return refusal(forbidden)
  }
  if (id !== newId && !user) {
    return refusal(missing)
  }
  if (user && user.owner !== caller.sub) {
    return refusal('403 INSUFFICIENT_ENTITLEMENTS path id')
  }
  const dangling = method === 'DELETE' ? [] : danglingIn(users, sent, relationship !== undefined)
  if (dangling.length > 0) {
    return refusal(...dangling)
  }
  const emailOf = (one: User['attributes']) => String(one.email).toLowerCase()
  const isTaken = [...users.values()].some(
    (one) => one.id !== id && emailOf(one.attributes) === emailOf(attributes),
  )
  if (isTaken) {
    return refusal('409 CONFLICT pointer /data/attributes/email')
  }
  if (method === 'DELETE' && relationship === undefined) {
    users.delete(id)
    for (const [key, other] of users) {
      const relatives = [other.links.relatives ?? []].flat().filter((one) => one.id !== id)
      users.set(key, { ...other, links: { ...other.links, relatives } })
    }
    return { status: 204 }
  }
  const before = user?.links ?? { citizenships: [], placeOfBirth: null, relatives: [] }
  const links = Object.entries(sent).map(([name, linkage]) => {
    const isAdded = relationship !== undefined && method !== 'PATCH'
    return [name, joined(isAdded ? (before[name] ?? []) : [], linkage, method)]
  })
  const changed: User = {
    ...{ id, owner: caller.sub },
    attributes: { ...user?.attributes, ...attributes },
    links: { ...before, ...Object.fromEntries(links) },
  }
  users.set(id, changed)
  return user ? { status: 204 } : { status: 201, data: [resourceOf(changed, caller)] }
}

/** A 404 for each target of linkage that does not exist, at the first of its identifiers. */
function danglingIn(
  users: Users,
  sent: Readonly<Record<string, Linkage>>,
  isWhole: boolean,
): readonly string[] {
  return Object.entries(sent).flatMap(([name, linkage]) => {
    const ids = [linkage ?? []].flat().map(({ id }) => id)
    const isThere = (id: string) => (name === 'relatives' ? users.has(id) : countries.includes(id))
    const above = isWhole ? '/data' : `/data/relationships/${name}/data`
    return [...new Set(ids)]
      .filter((id) => !isThere(id))
      .map((id) => (Array.isArray(linkage) ? `/${ids.indexOf(id)}/id` : '/id'))
      .map((at) => `404 NOT_FOUND pointer ${above}${at}`)
  })
}

/** Members in the order of their ids, with others added to them or removed. To one, what is sent. */
function joined(before: Linkage, sent: Linkage, method: string): Linkage {
  if (!Array.isArray(sent)) {
    return sent
  }
  const members = new Map([before ?? []].flat().map((one) => [one.id, one]))
  for (const one of sent) {
    method === 'DELETE' ? members.delete(one.id) : members.set(one.id, one)
  }
  return [...members.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
}
