import {
  type Atlas,
  type Expected,
  type Fault,
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
  const [, type = '', id, , relationship] = request.path.split('/')
  if (id === undefined) {
    return list(state, request, type, skipped)
  }
  if (relationship !== undefined && !seesLinkage(request.caller, relationship)) {
    return refusal([forbidden])
  }
  const known: { has(id: string): boolean } = type === 'users' ? state.users : state.atlas.countries
  if (!known.has(id)) {
    return refusal([missing])
  }
  const ref = { type, id }
  if (relationship === undefined) {
    return found(state, request, [ref], {
      links: { self: urlOf(request) },
      data: object(state, request)(ref),
    })
  }
  const data = linkageOf(state, ref, relationship)
  const links = Array.isArray(data) ? cursorLinks(request, false) : { self: urlOf(request) }
  return found(state, request, [], { links, data }, [ref])
}

/** Resources by `filter[id]`; places fit on one page. */
function list(state: State, request: ModelRequest, type: string, skipped: number): Expected {
  const ids = new Set(request.query['filter[id]']?.split(','))
  const refs = [...ids].sort().map((id) => ({ type, id }))
  if (type === 'users') {
    return userList(state, request, refs, skipped)
  }
  const known = state.atlas[type as keyof Atlas]
  const shown = refs.filter(({ id }) => known.has(id))
  const data = shown.map(object(state, request))
  return found(state, request, shown, { links: cursorLinks(request, false), data })
}

function userList(
  state: State,
  request: ModelRequest,
  refs: readonly Ref[],
  skipped: number,
): Expected {
  const { caller, query } = request
  const sort = query.sort?.split(',') ?? []
  if (sort.length > 0 && !may(caller, 'users.read')) {
    const source = { parameter: 'sort' }
    return refusal(sort.map((): Fault => ({ status: '400', code: 'INVALID_ENUM_VALUE', source })))
  }
  const all = inOrder(state, refs, sort)
  const limit = Number(query['page[limit]'])
  const isCursor = 'page[cursor]' in query
  const start = isCursor ? skipped : Number(query['page[offset]'] ?? 0)
  const shown = all.slice(start, start + limit)
  const isMore = start + limit < all.length
  const meta = {
    ...(!isCursor && { 'pagination.totalItems': all.length }),
    ...(isMore && { 'pagination.nextCursor': cursor }),
  }
  return found(state, request, shown, {
    links: isCursor ? cursorLinks(request, isMore) : offsetLinks(request, all.length, start, limit),
    ...(Object.keys(meta).length > 0 && { meta }),
    data: shown.map(object(state, request)),
  })
}

/** What stands for any cursor. */
export const cursor = '<cursor>'

/** Those users that exist, by the keys of `sort`, without case, and by id in the end (contract, section 7). */
function inOrder({ users }: State, refs: readonly Ref[], sort: readonly string[]): readonly Ref[] {
  const existing = refs.flatMap(({ id }) => users.get(id) ?? [])
  const inOrder = existing.toSorted((one, other) => {
    for (const key of sort) {
      const name = key.replace('-', '') as 'fullName' | 'email'
      const [a, b] = [one[name].toLowerCase(), other[name].toLowerCase()]
      if (a !== b) {
        return a < b === key.startsWith('-') ? 1 : -1
      }
    }
    return one.id < other.id ? -1 : 1
  })
  return inOrder.map(({ id }) => ({ type: 'users', id }))
}

/** A success, with what is included. */
function found(
  state: State,
  request: ModelRequest,
  primary: readonly Ref[],
  document: object,
  from = primary,
): Expected {
  const { caller, query, path } = request
  const isPrimary = (ref: Ref) => primary.some(({ type, id }) => type === ref.type && id === ref.id)
  const paths = query.include?.split(',')
  const refs = included(state, caller, from, paths ?? []).filter((ref) => !isPrimary(ref))
  const whole = { ...document, ...(paths && { included: refs.map(object(state, request)) }) }
  return { status: 200, document: whole, cacheControl: cacheControlOf(path, whole) }
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
