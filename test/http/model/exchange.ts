import type fc from 'fast-check'
import { expect } from 'vitest'
import type { Document } from '../../support/documents.ts'
import { withNamedFields } from '../../support/fields.ts'
import type { Answer } from '../../support/service.ts'
import type { Draft } from './draft.ts'
import { cursor, read } from './read.ts'
import type { Caller, Expected, ModelRequest, State } from './state.ts'
import { ask } from './world.ts'
import { write } from './write.ts'

/** One run of the model: what it remembers, and what drafts stand for. */
export interface Run extends State {
  /** Ids of all users that were ever made, in that order. */
  readonly ids: string[]
  /** Makes the e-mail addresses of the run its own. */
  readonly mark: string
}

/** The service, and its callers. */
export interface Real {
  readonly origin: string
  readonly callers: ReadonlyMap<string, Caller>
}

/** The beginning of ids that no user has. */
const ghost = '018f0000-0000-7000-8000-00000000000'

/** A command that sends a request, and checks that the service and the model answer alike. */
export function exchange(draft: Draft): fc.AsyncCommand<Run, Real> {
  return {
    check: () => true,
    run: (run, real) => compare(run, real, requestOf(draft, run, real)),
    toString: () => JSON.stringify(draft),
  }
}

function requestOf({ caller, ...draft }: Draft, run: Run, { callers }: Real): ModelRequest {
  const text = JSON.stringify(draft)
    .replace(/#(\d)/g, (_, number) => run.ids[number] ?? ghost + number)
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
  return { caller: who, ...request }
}

/** Compares the answers to a request; of a list, also to those that walk on from it. */
async function compare(run: Run, real: Real, request: ModelRequest, skipped = 0): Promise<void> {
  const answer = await ask(real.origin, request)
  const isCreated = answer.status === 201
  const newId = isCreated ? String(answer.document.data.id) : ''
  const expected =
    request.method === 'GET' ? read(run, request, skipped) : write(run, request, newId)
  if (isCreated) {
    run.ids.push(newId)
  }
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
