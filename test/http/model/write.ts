import {
  type Expected,
  type Fault,
  forbidden,
  type ModelRequest,
  may,
  missing,
  refusal,
  type State,
  type User,
} from './state.ts'
import { cacheControlOf, resourceOf } from './view.ts'

/** A member of a relationship, as a body names it. */
interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta?: { readonly relationshipType: string }
}

type Linkage = readonly Identifier[] | Identifier | null

/** What a body asks for, and where in it the linkage stands. */
interface Wish {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: Readonly<Record<string, Linkage>>
  readonly pointer: (relationship: string) => string
}

/** Answers a write, and changes the state where the answer is a success. */
export function write(state: State, request: ModelRequest, newId: string): Expected {
  const { caller, method, path } = request
  const [, , id, , relationship] = path.split('/')
  const wish = wishOf(request, relationship)
  const user = id === undefined ? undefined : state.users.get(id)
  const checks = [
    () => (may(caller, 'users.write') ? [] : [forbidden]),
    () => (id === undefined || user ? [] : [missing]),
    () => (!user || user.owner === caller.sub ? [] : [{ ...forbidden, source: { path: 'id' } }]),
    () => (method === 'DELETE' ? [] : danglingFaults(state, wish)),
    () => takenFaults(state, wish, id),
  ]
  for (const check of checks) {
    const faults: readonly Fault[] = check()
    if (faults.length > 0) {
      return refusal(faults)
    }
  }
  if (id === undefined) {
    const made = changed(blank(newId, caller.sub), wish)
    state.users.set(newId, made)
    return created(state, request, made)
  }
  if (user && relationship !== undefined && method !== 'PATCH') {
    state.users.set(id, moved(user, relationship, wish.links[relationship], method))
  } else if (user && method === 'PATCH') {
    state.users.set(id, changed(user, wish))
  } else {
    remove(state, id)
  }
  return { status: 204 }
}

function wishOf({ body }: ModelRequest, relationship: string | undefined): Wish {
  if (relationship !== undefined) {
    return { attributes: {}, links: { [relationship]: body.data }, pointer: () => '/data' }
  }
  const { attributes = {}, relationships = {} } = body?.data ?? {}
  const links = Object.entries<{ data: Linkage }>(relationships)
  return {
    attributes,
    links: Object.fromEntries(links.map(([name, { data }]) => [name, data])),
    pointer: (name) => `/data/relationships/${name}/data`,
  }
}

function danglingFaults({ atlas, users }: State, { links, pointer }: Wish): Fault[] {
  return Object.entries(links).flatMap(([name, linkage]) => {
    const known: { has(id: string): boolean } = name === 'relatives' ? users : atlas.countries
    const ids = identifiers(linkage).map(({ id }) => id)
    return [...new Set(ids)]
      .filter((id) => !known.has(id))
      .map((id) => {
        const at = Array.isArray(linkage) ? `/${ids.indexOf(id)}` : ''
        return { ...missing, source: { pointer: `${pointer(name)}${at}/id` } }
      })
  })
}

function takenFaults({ users }: State, { attributes }: Wish, id: string | undefined): Fault[] {
  const email = 'email' in attributes ? String(attributes.email).toLowerCase() : undefined
  return [...users.values()].some((user) => user.id !== id && user.email.toLowerCase() === email)
    ? [{ status: '409', code: 'CONFLICT', source: { pointer: '/data/attributes/email' } }]
    : []
}

function blank(id: string, owner: string): User {
  return {
    id,
    owner,
    fullName: '',
    email: '',
    addresses: [],
    creditCardNumber: null,
    citizenships: [],
    placeOfBirth: null,
    relatives: {},
  }
}

/** The user with what is sent in place of what was there. */
function changed(user: User, { attributes, links }: Wish): User {
  const { citizenships, placeOfBirth, relatives } = links
  return {
    ...user,
    ...attributes,
    ...(citizenships !== undefined && { citizenships: sortedIds(identifiers(citizenships)) }),
    ...(placeOfBirth !== undefined && { placeOfBirth: identifiers(placeOfBirth)[0]?.id ?? null }),
    ...(relatives !== undefined && { relatives: typesOf(identifiers(relatives)) }),
  }
}

/** The user with members added to one of its relationships, or removed. */
function moved(user: User, name: string, linkage: Linkage | undefined, method: string): User {
  const members = identifiers(linkage ?? null)
  const gone = new Set(method === 'DELETE' ? members.map(({ id }) => id) : [])
  const added = method === 'POST' ? members : []
  if (name === 'citizenships') {
    const left = user.citizenships.filter((id) => !gone.has(id)).map((id) => ({ id }))
    return { ...user, citizenships: sortedIds([...left, ...added]) }
  }
  const left = Object.entries(user.relatives).filter(([id]) => !gone.has(id))
  return { ...user, relatives: { ...Object.fromEntries(left), ...typesOf(added) } }
}

function remove({ users }: State, id: string): void {
  users.delete(id)
  for (const user of users.values()) {
    const left = Object.entries(user.relatives).filter(([relative]) => relative !== id)
    users.set(user.id, { ...user, relatives: Object.fromEntries(left) })
  }
}

function created(state: State, { caller, query }: ModelRequest, user: User): Expected {
  const self = `/jsonapi/users/${user.id}`
  const data = resourceOf(state, caller, query, { type: 'users', id: user.id })
  const document = { links: { self }, data }
  return { status: 201, location: self, cacheControl: cacheControlOf(document), document }
}

function identifiers(linkage: Linkage): readonly Identifier[] {
  return linkage === null ? [] : [linkage].flat()
}

function sortedIds(members: readonly { readonly id: string }[]): string[] {
  return [...new Set(members.map(({ id }) => id))].sort()
}

function typesOf(members: readonly Identifier[]): Record<string, string> {
  return Object.fromEntries(members.map(({ id, meta }) => [id, meta?.relationshipType ?? '']))
}
