import fc from 'fast-check'
import { wrongTokens } from '../../../test/fuzz/tokens.ts'
import { isTransaction } from '../../../test/fuzz/transactions.ts'
import { filled, type Schema, unique } from '../../../test/fuzz/values.ts'
import { atomicType, mediaType, type Operation, type Parameter } from '../requests/description.ts'
import { type Draft, draftOf, type Known } from '../requests/drafts.ts'
import { longHeaders, longPairs } from '../requests/long.ts'
import type { Candidate, Subject } from './candidate.ts'
import { pairsOfOperations } from './transactions.ts'
import { groups, idOf, ordinary, standing } from './world.ts'

/** Where pages by offset begin: at the head of each group of users, and far away. */
const offsets = [ordinary, ordinary + groups.far.count, 1_000, 98_000]

/** Everything that is searched for its worst request. */
export function subjectsOf(
  operations: readonly Operation[],
  root: string,
  countries: readonly string[],
): Subject[] {
  const users = (from: number, count: number) =>
    Array.from({ length: count }, (_, nth) => idOf(from + nth))
  const known: Known = {
    operations,
    offsets,
    // The standing user may have the first thousand of the pool.
    ids: {
      users: [...users(groups.pool.from, 100), ...users(groups.pool.from + 1_000, 100)],
      countries,
    },
  }
  const priced = operations.map((operation) => subjectOf(operation, root, known))
  return [
    ...priced,
    anySubject('with long headers', priced, ['reader', 'writer', 'client']),
    anySubject('without a valid token', priced, wrongTokens),
    freeSubject(root),
  ]
}

/** One operation, asked by callers whose token is good. */
function subjectOf(operation: Operation, root: string, known: Known): Subject {
  const { id: name, method, path, body } = operation
  const writes = method !== 'GET'
  const type = isTransaction(operation) ? atomicType : mediaType
  const plain: Candidate = {
    caller: writes ? 'writer' : 'reader',
    method,
    path: pathOf('own'),
    query: [],
    headers: [['Accept', type], ...(body ? [['Content-Type', type] as const] : [])],
    body: body && '{"data":{"type":"users"}}',
    state: 'bare',
    turns: 0,
  }
  const bodies = largeBodies(operation, known)
  const around = fc.record({
    isHead: fc.nat(9).map((nth) => !writes && nth === 0),
    state: fc.constantFrom('bare' as const, 'full' as const),
    turns: writes ? fc.constant(0) : fc.nat(2),
    large: bodies.length > 0 ? fc.option(fc.constantFrom(...bodies)) : fc.constant(null),
  })
  return {
    name,
    writes,
    corners: [plain, ...cornersOf(plain, operation, bodies)],
    any: fc
      .tuple(draftOf(operation, known), around)
      .map(([draft, { isHead, state, turns, large }]) => ({
        caller: callerOf(draft),
        method: isHead ? 'HEAD' : method,
        path: pathOf(draft.target),
        query: draft.query.map(({ value }) => value),
        headers: plain.headers,
        body: large ?? textOf(draft),
        state,
        turns,
      })),
  }

  /** Nobody who owns a part of the world may write there: it must stay as it is. */
  function callerOf({ who }: Draft): string {
    return who.kind === 'client'
      ? 'client'
      : who.kind === 'person' && who.scopes.length < 3
        ? 'weak'
        : who.kind === 'wrong' && !(writes && path.includes('{id}'))
          ? 'attacker'
          : plain.caller
  }

  /** First the resource that costs most, or that writes are tried on. */
  function pathOf(target: Draft['target']): string {
    const [own, other] = path.startsWith('/countries')
      ? ['ZW', 'NO']
      : writes
        ? [standing, idOf(groups.hubs.from)]
        : [idOf(groups.hubs.from), idOf(groups.far.from)]
    const id =
      typeof target === 'object'
        ? target.hostile
        : { own, other, unknown: idOf(groups.pool.from + 1_500) }[target]
    return root + path.replace('{id}', () => id)
  }
}

/** The text of a draft's body. */
function textOf({ body }: Draft): string | undefined {
  return body?.kind === 'json' ? JSON.stringify(filled(body.body, standing, unique)) : body?.text
}

/** Bodies with as many identifiers as are allowed, and more, all of them right, or all wrong in one way; and one of unknown members. */
function largeBodies({ body, method }: Operation, { ids }: Known): string[] {
  const data = body?.schema.properties?.data
  const type = data?.properties?.type?.enum?.[0]
  const email = `${unique}@example.com`
  const resource = (relationships: object) => ({
    data: {
      type,
      ...(method === 'PATCH' && { id: standing }),
      attributes: { fullName: '😀'.repeat(128), email },
      relationships,
    },
  })
  if (data?.type === 'array') {
    return listsOf(data, ids).map((list) => JSON.stringify({ data: list }))
  }
  const nested = Object.entries(data?.properties?.relationships?.properties ?? {})
  const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`x${nth}`, nth]))
  const flooded = { data: { type, attributes: unknown, relationships: unknown } }
  const linked = nested.flatMap(([name, { properties }]) =>
    listsOf(properties?.data ?? {}, ids).map((list) => resource({ [name]: { data: list } })),
  )
  return body ? [...linked, flooded].map((document) => JSON.stringify(document)) : []
}

function listsOf({ items }: Schema, ids: Known['ids']): object[][] {
  const type = String(items?.properties?.type?.enum?.[0])
  const some = ids[type]
  if (!some) {
    return []
  }
  const hasMeta = items?.properties?.meta?.properties !== undefined
  const whole = { type, ...(hasMeta && { meta: { relationshipType: 'SON' } }) }
  const kinds: readonly ((nth: number) => object)[] = [
    (nth) => ({ ...whole, id: some.at(-1 - (nth % some.length)) }),
    (nth) => ({ ...whole, id: some[nth % some.length] }),
    () => ({ ...whole, id: some[0] }),
    (nth) => ({ ...whole, id: `Q${nth}` }),
    (nth) => ({ type: 'dogs', id: `${nth}` }),
    (nth) => ({ type, id: some[nth % some.length] }),
  ]
  return kinds.flatMap((kind) =>
    [20, 100, 150].map((count) => Array.from({ length: count }, (_, nth) => kind(nth))),
  )
}

/** Sizes of pages from which an include path starts: few resources may have as many more behind them as a full page. */
const pageSizes = [2, 5, 100]

/** What is tried first: large bodies, long queries, each sort, each include path from each page, and transactions that fail behind what they have done. */
function cornersOf(plain: Candidate, operation: Operation, bodies: readonly string[]): Candidate[] {
  if (isTransaction(operation)) {
    return pairsOfOperations.map((body) => ({ ...plain, body, state: 'full' }))
  }
  const find = (name: string): Parameter | undefined =>
    operation.parameters.find((parameter) => parameter.name === name)
  const sizes = find('page[limit]') ? pageSizes.map((size) => [`page[limit]=${size}`]) : []
  const starts = find('page[offset]')
    ? offsets.slice(0, 2).map((at) => [`page[offset]=${at}`])
    : [[]]
  const paths = (find('include')?.schema.items?.enum ?? []).map(String)
  const sorts = (find('sort')?.schema.items?.enum ?? []).map(String)
  const inQuery = operation.parameters.filter((parameter) => parameter.in === 'query')
  const long = inQuery.length > 0 ? fc.sample(longPairs(inQuery), { seed: 1, numRuns: 10 }) : []
  const full: Candidate = { ...plain, state: 'full' }
  return [
    ...(operation.method === 'GET' ? [] : [full]),
    ...bodies.map((body) => ({ ...full, body })),
    ...paths.flatMap((path) =>
      [[], ...sizes].flatMap((size) =>
        starts.map((start) => ({
          ...plain,
          caller: 'attacker',
          query: [`include=${path}`, ...size, ...start],
        })),
      ),
    ),
    ...sorts.flatMap((field) =>
      [[], ...sizes].map((size) => ({ ...plain, query: [`sort=${field}`, ...size] })),
    ),
    ...long.map((pair) => ({ ...plain, query: [pair] })),
  ]
}

/** Any operation with long headers; who asks with a wrong token has it charged to the address, and D1 must not be asked. */
function anySubject(name: string, priced: readonly Subject[], callers: readonly string[]): Subject {
  const withCaller = (candidate: Candidate, caller: string, headers: Candidate['headers']) => ({
    ...candidate,
    caller,
    turns: 0,
    headers: [
      ...candidate.headers.filter(([name]) => !headers.some(([other]) => other === name)),
      ...headers,
    ],
  })
  const [first] = priced
  if (!first) {
    throw new Error('There is no operation')
  }
  return {
    name,
    writes: false,
    corners: [
      withCaller(first.corners[0], callers[0] ?? '', []),
      ...callers.slice(1).map((caller) => withCaller(first.corners[0], caller, [])),
    ],
    any: fc
      .tuple(
        fc.oneof(...priced.map(({ any }) => any)),
        fc.constantFrom(...callers),
        fc.oneof(fc.constant([]), longHeaders),
      )
      .map(([candidate, caller, headers]) => withCaller(candidate, caller, headers)),
  }
}

/** What costs no token: pages about the service, paths and methods that there are not, and what is not acceptable. */
function freeSubject(root: string): Subject {
  const paths = [
    '/nothing',
    '/health',
    '/',
    ...['/oas', '/oas?version=3.1', '/docs', '/docs/docs.css', '/docs/nothing'].map(
      (path) => root + path,
    ),
    `/.well-known/oauth-protected-resource${root}`,
    '/.well-known/api-catalog',
    ...[
      '/users',
      '/users/1',
      '/users/1/relationships/relatives',
      '/users/1/relationships/nothing',
    ].map((path) => root + path),
    `${root}/dogs`,
  ]
  const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'TRACE', 'PROPFIND', 'POST', 'DELETE']
  const ends = ['/', '/a', '%2F', '%', 'x', '?', '?a&', '%C3%A9', '..%2F', '//']
  const plain: Candidate = {
    caller: 'no credential',
    method: 'GET',
    path: '/nothing',
    query: [],
    headers: [['Accept', mediaType]],
    body: undefined,
    state: 'bare',
    turns: 0,
  }
  return {
    name: 'without a price',
    writes: false,
    corners: [plain, ...paths.slice(1).map((path) => ({ ...plain, path }))],
    any: fc
      .record({
        path: fc.constantFrom(...paths),
        method: fc.constantFrom(...methods),
        end: fc.constantFrom('', ...ends),
        length: fc.constantFrom(1, 100, 4_000, 15_000),
        headers: fc.oneof(fc.constant(plain.headers), longHeaders),
      })
      .map(({ path, method, end, length, headers }) => ({
        ...plain,
        path: path + end.repeat(Math.floor(length / Math.max(1, end.length))),
        method,
        headers,
      })),
  }
}
