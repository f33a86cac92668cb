import { pageMeta } from '../../support/documents.ts'
import {
  type Expected,
  forbidden,
  type ModelRequest,
  may,
  missing,
  refusal,
  type State,
} from './state.ts'
import { cacheControlOf, included, linkageOf, type Ref, resourceOf, seesLinkage } from './view.ts'

/** Answers a read. `skipped`: how many resources of the list come before the page that a cursor leads to. */
export function read(state: State, request: ModelRequest, skipped: number): Expected {
  const [, , id, shape, name] = request.path.split('/')
  if (id === undefined) {
    return list(state, request, skipped)
  }
  const relationship = name ?? shape
  if (relationship !== undefined && !seesLinkage(request.caller, relationship)) {
    return refusal([forbidden])
  }
  if (!state.users.has(id)) {
    return refusal([missing])
  }
  const ref = { type: 'users', id }
  const links = { self: urlOf(request) }
  if (relationship === undefined) {
    return found(state, request, [ref], { links, data: object(state, request)(ref) })
  }
  const data = linkageOf(state, ref, relationship)
  const isLinkage = name !== undefined
  const related = isLinkage ? { related: `/jsonapi/users/${id}/${name}` } : {}
  if (!Array.isArray(data)) {
    return isLinkage
      ? found(state, request, [], { links: { ...links, ...related }, data }, [ref])
      : found(state, request, data ? [data] : [], {
          links,
          data: data && object(state, request)(data),
        })
  }
  const all = membersOf(state, request, data)
  const end = skipped + Number(request.query['page[limit]'] ?? 20)
  const shown = all.slice(skipped, end)
  const isMore = end < all.length
  const document = {
    links: { ...cursorLinks(request, isMore), ...related },
    ...(isMore && { meta: pageMeta({ nextCursor: cursor }) }),
    data: isLinkage ? shown : shown.map(object(state, request)),
  }
  return isLinkage
    ? found(state, request, [], document, [ref], shown)
    : found(state, request, shown, document)
}

/** The members of a relationship under the filter of a request, in the order that it asks for. */
function membersOf(
  state: State,
  { query }: ModelRequest,
  members: readonly (Ref & { readonly meta?: object })[],
): readonly Ref[] {
  const ids = query['filter[id]']?.split(',')
  const left = members.filter(({ id }) => ids?.includes(id) ?? true)
  const order = inOrder(state, left, query.sort?.split(',') ?? []).map(({ id }) => id)
  return query.sort ? order.flatMap((id) => left.find((member) => member.id === id) ?? []) : left
}

/** Users by `filter[id]`. */
function list(state: State, request: ModelRequest, skipped: number): Expected {
  const { caller, query } = request
  const refs = [...new Set(query['filter[id]']?.split(','))].map((id) => ({ type: 'users', id }))
  const sort = (may(caller, 'users.read') && query.sort?.split(',')) || []
  const all = inOrder(state, refs, sort)
  const limit = Number(query['page[limit]'])
  const isCursor = 'page[cursor]' in query
  const start = isCursor ? skipped : Number(query['page[offset]'] ?? 0)
  const shown = all.slice(start, start + limit)
  const isMore = start + limit < all.length
  const pagination = {
    ...(!isCursor && { totalItems: all.length }),
    ...(isMore && { nextCursor: cursor }),
  }
  return found(state, request, shown, {
    links: isCursor ? cursorLinks(request, isMore) : offsetLinks(request, all.length, start, limit),
    ...(Object.keys(pagination).length > 0 && { meta: pageMeta(pagination) }),
    data: shown.map(object(state, request)),
  })
}

/** The placeholder for any cursor. */
export const cursor = '<cursor>'

/** Those users that exist, by the letters of the keys of `sort`, and by id in the end. */
function inOrder({ users }: State, refs: readonly Ref[], sort: readonly string[]): readonly Ref[] {
  const existing = refs.flatMap(({ id }) => users.get(id) ?? [])
  const inOrder = existing.toSorted((one, other) => {
    for (const key of sort) {
      const name = key.replace('-', '') as 'fullName' | 'email'
      const [a, b] = [letters(one[name]), letters(other[name])]
      if (a !== b) {
        return a < b === key.startsWith('-') ? 1 : -1
      }
    }
    return one.id < other.id ? -1 : 1
  })
  return inOrder.map(({ id }) => ({ type: 'users', id }))
}

/** The letters of the names that the model gives, without case and accents. */
function letters(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
}

/** A success, with what is included. */
function found(
  state: State,
  request: ModelRequest,
  primary: readonly Ref[],
  document: object,
  from = primary,
  first?: readonly Ref[],
): Expected {
  const { caller, query } = request
  const isPrimary = (ref: Ref) => primary.some(({ type, id }) => type === ref.type && id === ref.id)
  const paths = query.include?.split(',')
  const refs = included(state, caller, from, paths ?? [], first).filter((ref) => !isPrimary(ref))
  const whole = { ...document, ...(paths && { included: refs.map(object(state, request)) }) }
  return { status: 200, document: whole, cacheControl: cacheControlOf(whole) }
}

function object(state: State, { caller, query }: ModelRequest): (ref: Ref) => object {
  return (ref) => resourceOf(state, caller, query, ref)
}

/** The URL of a request, or of the same request with other parameters; null takes one out. */
export function urlOf(
  { path, query }: Pick<ModelRequest, 'path' | 'query'>,
  others: Readonly<Record<string, string | null>> = {},
): string {
  const parameters = Object.entries({ ...query, ...others }).flatMap(([name, value]) =>
    value === null ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return `/jsonapi${path}${parameters.length > 0 ? '?' : ''}${parameters.join('&')}`
}

function cursorLinks(request: ModelRequest, isMore: boolean) {
  return {
    self: urlOf(request),
    first: urlOf(request, { 'page[cursor]': null }),
    prev: null,
    next: isMore ? urlOf(request, { 'page[cursor]': cursor }) : null,
    last: null,
  }
}

function offsetLinks(request: ModelRequest, total: number, offset: number, limit: number) {
  const at = (start: number) => urlOf(request, { 'page[offset]': start > 0 ? String(start) : null })
  const last = total > 0 ? Math.floor((total - 1) / limit) * limit : 0
  return {
    self: urlOf(request),
    first: at(0),
    prev: offset > 0 ? at(Math.min(offset - limit, last)) : null,
    next: offset + limit < total ? at(offset + limit) : null,
    last: at(last),
  }
}
