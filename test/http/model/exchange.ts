import type fc from 'fast-check'
import { expect } from 'vitest'
import type { Document } from '../../support/documents.ts'
import { withNamedFields } from '../../support/fields.ts'
import type { Answer } from '../../support/service.ts'
import type { Draft } from './draft.ts'
import { cursor, read } from './read.ts'
import { again } from './requests.ts'
import type { Caller, Expected, ModelRequest, State } from './state.ts'
import { ask } from './world.ts'
import { write } from './write.ts'

/** One run of the model: what it remembers, and what drafts stand for. */
export interface Run extends State {
  /** Ids of all users that were ever made, in that order. */
  readonly ids: string[]
  /** The newest revision of each user, as far as a write has told it, and the one before it. */
  readonly revisions: Map<string, string[]>
  /** Makes the e-mail addresses and the keys of the run its own. */
  readonly mark: string
  /** The last create with a key. */
  sent?: ModelRequest
}

/** The service, and its callers. */
export interface Real {
  readonly origin: string
  readonly callers: ReadonlyMap<string, Caller>
}

/** An id that no user has. */
const ghost = '018f0000-0000-7000-8000-000000000000'

/** A command that sends a request, and checks that the service and the model answer alike. */
export function exchange(draft: Draft): fc.AsyncCommand<Run, Real> {
  return {
    check: () => true,
    run: (run, real) => compare(run, real, requestOf(draft, run, real)),
    toString: () => JSON.stringify(draft),
  }
}

function requestOf(
  { caller, revision, ...draft }: Draft,
  run: Run,
  { callers }: Real,
): ModelRequest {
  if (draft.key === again.key && run.sent) {
    return run.sent
  }
  const text = JSON.stringify(draft)
    .replace(/#(\d)/g, (_, number) => run.ids[number] ?? ghost)
    .replaceAll('~', `.${run.mark}.`)
  const request: Omit<ModelRequest, 'caller'> = JSON.parse(text)
  const owner =
    run.users.get(request.path.split('/')[2] ?? '')?.owner ?? callers.get('ann all')?.sub
  const isMeant = ({ name, sub }: Caller) =>
    name === caller || (sub === owner && name.replace(/^\w+/, 'owner') === caller)
  const who = [...callers.values()].find(isMeant)
  if (!who) {
    throw new Error(`${caller} is nobody`)
  }
  const condition = conditionOf(revision, run.revisions.get(request.path.split('/')[2] ?? ''))
  const resolved = { caller: who, ...request, ...(condition && { condition }) }
  if (request.key !== undefined) {
    run.sent = resolved
  }
  return resolved
}

function conditionOf(
  revision: Draft['revision'],
  [newest, older]: readonly (string | undefined)[] = [],
): ModelRequest['condition'] {
  if (revision === 'any') {
    return { ifMatch: '*', isMet: true }
  }
  const named = { newest, older, none: 'none' }[revision ?? 'newest']
  return revision === undefined || named === undefined
    ? undefined
    : { ifMatch: `"other.", "${named}."`, isMet: revision === 'newest' }
}

/** Remembers the revision that a write has made. A deleted user takes links of others along, whose revisions are not told. */
function remember({ revisions }: Run, { method, path }: ModelRequest, answer: Answer): void {
  const [, , named, below] = path.split('/')
  if (method === 'DELETE' && below === undefined && answer.status === 204) {
    revisions.clear()
  }
  const id = answer.status === 201 ? answer.document.data.id : named
  const [, made] = /^"([^".]+)\./.exec(String(answer.headers.etag)) ?? []
  const [newest] = revisions.get(id) ?? []
  // A replay tells the revision that there is.
  if (method !== 'GET' && made !== undefined && made !== newest) {
    revisions.set(id, newest === undefined ? [made] : [made, newest])
  }
}

/** Compares the answers to a request; of a list, also to those that walk on from it. */
async function compare(run: Run, real: Real, request: ModelRequest, skipped = 0): Promise<void> {
  const answer = await ask(real.origin, request)
  const isCreated = answer.status === 201 && !('idempotency-replayed' in answer.headers)
  const newId = isCreated ? String(answer.document.data.id) : ''
  const expected =
    request.method === 'GET' ? read(run, request, skipped) : write(run, request, newId)
  if (isCreated) {
    run.ids.push(newId)
  }
  remember(run, request, answer)
  expect(told(answer)).toEqual(promised(expected))
  const next = answer.text === '' ? undefined : answer.document.meta?.['pagination.nextCursor']
  if (typeof next === 'string') {
    const { 'page[offset]': offset = '0', ...query } = request.query
    const passed = skipped + Number(offset) + Number(query['page[limit]'])
    await compare(run, real, { ...request, query: { ...query, 'page[cursor]': next } }, passed)
  }
}

/** What the service said, as far as the contract fixes it. */
function told(answer: Answer): object {
  const { status, headers } = answer
  if (answer.text === '') {
    return { status }
  }
  const { jsonapi, errors, ...document } = withNamedFields(answer.document)
  expect(jsonapi).toEqual({ version: '1.1' })
  if (!errors) {
    const location = status === 201 ? { location: headers.location } : {}
    return {
      status,
      ...location,
      ...('idempotency-replayed' in headers && { replayed: true }),
      cacheControl: headers['cache-control'],
      document: plain(document),
    }
  }
  expect(new Set(errors.map(({ id }) => id)).size).toBe(errors.length)
  const faults = errors.map(({ status, code, source }) => ({ status, code, source }))
  return { status, faults: faults.toSorted(byText) }
}

/** What the model promises, in the form of {@link told}. */
function promised({ faults, document, ...expected }: Expected): object {
  return {
    ...expected,
    ...(faults && { faults: faults.toSorted(byText) }),
    ...(document && { document: plain(document) }),
  }
}

/** A document without what the contract leaves open: the order of parameters and of `included`, and cursors. */
function plain({ links, meta, included, ...document }: Omit<Document, 'jsonapi'>): object {
  const urls = Object.entries(links ?? {}).map(([name, url]) => [name, url && parametersOf(url)])
  return {
    ...document,
    links: Object.fromEntries(urls),
    ...(meta && { meta: withoutCursors(meta) }),
    ...(included && { included: included.toSorted(byText) }),
  }
}

function withoutCursors(meta: NonNullable<Document['meta']>): unknown {
  return JSON.parse(JSON.stringify(meta), (name, value) =>
    name.endsWith('nextCursor') ? cursor : value,
  )
}

function parametersOf(url: string): object {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  if (searchParams.has('page[cursor]')) {
    searchParams.set('page[cursor]', cursor)
  }
  return { pathname, ...Object.fromEntries(searchParams) }
}

function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
}
