import { expect } from 'vitest'
import { type Answer, type State, write } from './answers.ts'
import type { Draft } from './drafts.ts'
import { type Sent, sentOf, type WriteRequest } from './requests.ts'
import { ghost, type Known, requestOf } from './resolve.ts'
import type { Fate, StoredMember, StoredUser, startService } from './service.ts'
import type { Members, User, Users } from './world.ts'

type Service = Awaited<ReturnType<typeof startService>>
type Told = Awaited<ReturnType<Service['ask']>>

/** How often something happened, over all sequences. */
export type Tally = Map<string, number>

/** The users that each sequence begins with. */
const beginning: readonly StoredUser[] = [
  ['s1', 'ann', 'Ann', 'ann@x.io', 'NO', 'first'],
  ['s2', 'ann', 'Ben', 'ben@x.io', null, 'second'],
  ['s3', 'bob', 'Bob', 'bob@x.io', null, 'third'],
]

/** One sequence: what the model remembers of it, beside what it holds. */
interface Run {
  readonly service: Service
  readonly tally: Tally
  state: State
  readonly ids: string[]
  readonly revisions: Map<string, string[]>
  readonly sent: WriteRequest[]
}

/** Sends a sequence to an empty service, and finds after each request that the service and the model agree. */
export async function runSequence(
  service: Service,
  drafts: readonly Draft[],
  tally: Tally,
): Promise<void> {
  await service.reset(beginning)
  const users = beginning.map((row) => userOf(row, [], []))
  const run: Run = {
    service,
    tally,
    state: { users: new Map(users.map((user) => [user.id, user])), keys: new Map() },
    ids: users.map(({ id }) => id),
    revisions: new Map(users.map(({ id, revision = '' }) => [id, [revision]])),
    sent: [],
  }
  for (const draft of drafts) {
    if (draft.kind === 'read') {
      await read(run, draft.caller, idAt(run, draft.nth))
    } else if (draft.kind === 'write') {
      await exchange(run, requestOf(draft, knownOf(run)), draft.fates)
    } else {
      const request = run.sent[run.sent.length - 1 - draft.back]
      await (request && exchange(run, request, draft.fates))
    }
  }
}

function idAt({ ids }: Run, nth: number): string {
  return (nth < 0 ? undefined : ids[nth % Math.max(ids.length, 1)]) ?? ghost
}

function knownOf({ ids, state, revisions }: Run): Known {
  return {
    ids,
    ownerOf: (id) => state.users.get(id)?.owner,
    revisionsOf: (id) => revisions.get(id) ?? [],
  }
}

/** Sends a write, and compares its answer, then all that is stored. */
async function exchange(run: Run, request: WriteRequest, fates: readonly Fate[]): Promise<void> {
  const { service, tally } = run
  run.sent.push(request)
  const told = await service.ask(request.caller, sentOf(request), fates)
  const { made, weather } = told
  const { state, answer, event } = write(run.state, request, made, weather)
  const what = `${kindOf(request)}: ${event}`
  tally.set(what, (tally.get(what) ?? 0) + 1)
  expect(said(told), what).toEqual(promised(answer))
  if (weather.lost === 0 && event === 'done') {
    expect(weather.trips, 'round trips').toBe(1)
  }
  const users = await compareStored(run, state)
  if (answer.tagged !== undefined) {
    expect(revisionIn(told), 'revision in the ETag').toBe(users.get(answer.tagged)?.revision)
  } else if (answer.status < 300) {
    expect(told.headers.get('ETag')).toBeNull()
  }
  run.state = { ...state, users }
  run.ids.push(...made.filter((id) => users.has(id)))
}

/** What sort of request it is, for the tally. */
function kindOf({ isTransaction, ops, key, ifMatch }: WriteRequest): string {
  const kind = isTransaction ? 'transaction' : ops[0]?.kind
  return `${kind}${key === undefined ? '' : ' with a key'}${ifMatch === undefined ? '' : ' on condition'}`
}

/** Reads a user, and compares what is shown. */
async function read({ service, state }: Run, caller: string, id: string): Promise<void> {
  const sent: Sent = { method: 'GET', path: `/users/${id}`, headers: {} }
  const told = await service.ask(caller, sent)
  const user = state.users.get(id)
  const absent = { status: '404', code: 'NOT_FOUND', source: { path: 'id' } }
  expect(said(told)).toEqual(
    promised(user ? { status: 200, shown: user } : { status: 404, faults: [absent] }),
  )
  expect(revisionIn(told)).toBe(user?.owner === caller ? user.revision : undefined)
}

/**
 * Finds that what is stored is what the model holds. A user that was written must have a revision that it never had;
 * any other one has the revision that it had.
 */
async function compareStored({ service, revisions }: Run, { users, keys }: State): Promise<Users> {
  const stored = await service.stored()
  const seen = stored.users.map((row) => userOf(row, stored.citizenships, stored.relatives))
  const expected = [...users.values()].map((user) => {
    const same = seen.find(({ id }) => id === user.id)
    return { ...user, revision: user.revision ?? same?.revision }
  })
  expect(byId(seen), 'users that are stored').toEqual(byId(expected))
  expect(stored.count, 'totalItems').toBe(users.size)
  const created = [...keys.values()].map((use) => use.created.join()).toSorted()
  expect(stored.created.toSorted(), 'what keys have created').toEqual(created)
  for (const { id, revision = '' } of seen) {
    const before = revisions.get(id) ?? []
    if (users.get(id)?.revision === undefined) {
      expect(before, 'revisions that the user had').not.toContain(revision)
      revisions.set(id, [...before, revision])
    }
  }
  return new Map(seen.map((user) => [user.id, user]))
}

type Rows = readonly StoredMember[]

function userOf(
  [id, owner, fullName, email, placeOfBirth, revision]: StoredUser,
  citizenships: Rows,
  relatives: Rows,
): User {
  const members = {
    citizenships: membersIn(citizenships, id),
    relatives: membersIn(relatives, id),
  }
  return { id, owner, fullName, email, placeOfBirth, ...members, revision }
}

function membersIn(rows: Rows, user: string): Members {
  const own = rows.filter(([id]) => id === user)
  return Object.fromEntries(own.map(([, member, kinship]) => [member, kinship]))
}

function byId(users: readonly User[]): readonly User[] {
  return users.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function revisionIn({ headers }: Told): string | undefined {
  return /^"([^".]+)\./.exec(headers.get('ETag') ?? '')?.[1]
}

/** What an answer says, as far as the contract fixes it. */
function said({ status, headers, document }: Told): object {
  const replayed = headers.get('Idempotency-Replayed') === 'true'
  if (document?.errors) {
    const faults = document.errors.map(({ status, code, source }: Record<string, unknown>) => ({
      status,
      code,
      ...(source !== undefined && { source }),
    }))
    return { status, replayed, faults: inOrder(faults) }
  }
  const location = headers.get('Location')
  const shown = document?.['atomic:results'] ?? document
  return { status, replayed, location, shown: shown && resourcesIn(shown) }
}

function resourcesIn(shown: unknown): unknown {
  return Array.isArray(shown) ? shown.map(resourcesIn) : plain(shown as never)
}

/** A resource object without what is not compared; an empty object as it is. */
function plain({ data }: Record<string, never>): object {
  if (!data) {
    return {}
  }
  const { id, attributes, relationships } = data as Record<string, Record<string, never>>
  const { fullName, email } = attributes ?? {}
  const linked = Object.entries(relationships ?? {}).map(([name, { data }]) => [name, data])
  return { id, fullName, email, ...Object.fromEntries(linked) }
}

/** What the model promises, in the form of {@link said}. */
function promised({ status, faults, replayed = false, shown }: Answer): object {
  if (faults) {
    return { status, replayed, faults: inOrder(faults) }
  }
  const location = status === 201 && shown && 'id' in shown ? `/users/${shown.id}` : null
  const isList = Array.isArray(shown)
  const all = isList ? shown.map((user) => (user ? resourceOf(user) : {})) : undefined
  return { status, replayed, location, shown: all ?? (shown && resourceOf(shown as User)) }
}

function resourceOf({ id, fullName, email, placeOfBirth, citizenships, relatives }: User): object {
  return {
    id,
    fullName,
    email,
    placeOfBirth: placeOfBirth && { type: 'countries', id: placeOfBirth },
    citizenships: Object.keys(citizenships)
      .toSorted()
      .map((country) => ({ type: 'countries', id: country })),
    relatives: Object.entries(relatives)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([relative, relationshipType]) => ({
        type: 'users',
        id: relative,
        meta: { relationshipType },
      })),
  }
}

function inOrder(faults: readonly object[]): readonly object[] {
  return faults.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}
