import { type Atlas, type Caller, may, type State, type User } from './state.ts'

/** Names one resource. */
export interface Ref {
  readonly type: string
  readonly id: string
}

/** The scope that shows the linkage of a relationship; without one everybody sees it. */
const linkageScopes: Readonly<Record<string, string>> = {
  citizenships: 'users.citizenships.read',
  placeOfBirth: 'users.read',
  relatives: 'users.read',
}

/** May the caller see who or what a relationship leads to? */
export function seesLinkage(caller: Caller, relationship: string): boolean {
  const scope = linkageScopes[relationship]
  return scope === undefined || may(caller, scope)
}

/** The identifiers that a relationship leads to, in order: an array for many, one or null for one. */
export function linkageOf({ atlas, users }: State, { type, id }: Ref, relationship: string) {
  const identifiers = (target: string, ids: readonly string[] = []) =>
    ids.toSorted().map((to): Ref & { meta?: object } => ({ type: target, id: to }))
  const { citizenships, placeOfBirth, relatives = {} }: Partial<User> = users.get(id) ?? {}
  switch (`${type}.${relationship}`) {
    case 'countries.currencies':
      return identifiers('currencies', atlas.countries.get(id)?.currencies)
    case 'users.citizenships':
      return identifiers('countries', citizenships)
    case 'users.placeOfBirth':
      return placeOfBirth ? { type: 'countries', id: placeOfBirth } : null
    case 'users.relatives':
      return identifiers('users', Object.keys(relatives)).map((relative) => ({
        ...relative,
        meta: { relationshipType: relatives[relative.id] },
      }))
    default:
      throw new Error(`${type} have no ${relationship}`)
  }
}

/** A resource that is included, and the relationships that paths of `include` follow from it. */
export interface IncludedRef extends Ref {
  readonly follows: ReadonlySet<string>
}

/**
 * The resources that the paths of `include` lead to from others, each once; not where the caller may not look.
 *
 * @param first the only ones that first steps lead to, where not all of them are asked for
 */
export function included(
  state: State,
  caller: Caller,
  from: readonly Ref[],
  paths: readonly string[],
  first?: readonly Ref[],
): readonly IncludedRef[] {
  const isAsked = (index: number, { id }: Ref) =>
    index > 0 || !first || first.some((ref) => ref.id === id)
  const found = new Map<string, Ref & { readonly follows: Set<string> }>()
  for (const path of paths) {
    let front = from
    const steps = path.split('.')
    for (const [index, step] of steps.entries()) {
      front = front.flatMap((ref) =>
        seesLinkage(caller, step)
          ? [linkageOf(state, ref, step) ?? []].flat().filter((to) => isAsked(index, to))
          : [],
      )
      for (const { type, id } of front) {
        const known = found.get(`${type}/${id}`) ?? { type, id, follows: new Set() }
        found.set(`${type}/${id}`, known)
        known.follows.add(steps[index + 1] ?? '')
      }
    }
  }
  return [...found.values()]
}

/**
 * A resource as the caller sees it, under the fields that were asked for.
 *
 * @param ref an included one shows members of a to-many relationship only where a path follows it
 */
export function resourceOf(
  state: State,
  caller: Caller,
  query: Readonly<Record<string, string>>,
  ref: Ref | IncludedRef,
): object {
  const { type, id } = ref
  const fields = query[`fields[${type}]`]?.split(',')
  const self = `/jsonapi/${type}/${id}`
  const user = state.users.get(id)
  const place = type === 'users' ? undefined : state.atlas[type as keyof Atlas].get(id)
  const attributes = user ? attributesOf(user, caller, fields) : only(place?.attributes, fields)
  const names = { users: Object.keys(linkageScopes), countries: ['currencies'] }[type] ?? []
  const relationships = names
    .filter((name) => !fields || fields.includes(name))
    .map((name) => {
      const links = { self: `${self}/relationships/${name}`, related: `${self}/${name}` }
      const data = seesLinkage(caller, name) ? linkageOf(state, ref, name) : undefined
      const isShown = !Array.isArray(data) || !('follows' in ref) || ref.follows.has(name)
      return [name, data !== undefined && isShown ? { links, data } : { links }]
    })
  return {
    type,
    id,
    ...(isFilled(attributes) && { attributes }),
    ...(relationships.length > 0 && { relationships: Object.fromEntries(relationships) }),
    ...(type !== 'currencies' && { links: { self } }),
  }
}

/** No cache keeps what shows a card. */
export function cacheControlOf(document: object): string {
  const isSensitive = JSON.stringify(document).includes('"creditCardNumber":')
  return isSensitive ? 'private, no-store' : 'private, no-cache'
}

function attributesOf(user: User, caller: Caller, fields: readonly string[] | undefined): object {
  if (!may(caller, 'users.read')) {
    return {}
  }
  const isOwner = user.owner === caller.sub
  const isSensitive = may(caller, 'users.sensitive.read')
  const { fullName, email, creditCardNumber } = user
  const members = ['city', 'zip', ...(isOwner || isSensitive ? ['doorCode'] : [])].filter(
    (name) => !fields || fields.includes('addresses') || fields.includes(`addresses.${name}`),
  )
  const addresses = user.addresses.map((address) => only(address, members)).filter(isFilled)
  return {
    ...only({ fullName, email }, fields),
    ...(addresses.length > 0 && { addresses }),
    ...(creditCardNumber !== null && isOwner && isSensitive && only({ creditCardNumber }, fields)),
  }
}

function isFilled(object: object): boolean {
  return Object.keys(object).length > 0
}

function only(attributes: object = {}, fields: readonly string[] | undefined): object {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => !fields || fields.includes(name)),
  )
}
