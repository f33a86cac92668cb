import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { withNamedFields } from '../../support/fields.ts'
import { allScopes } from '../../support/people.ts'
import {
  type Answer,
  clientToken,
  configuredService,
  person,
  request as send,
  uniqueSubject,
} from '../../support/service.ts'
import { isSlow } from '../../unit/runs.ts'
import { beginnings, type Draft, drafts, ending } from './drafts.ts'
import { type Caller, type Expected, type ModelRequest, read, type Users, write } from './model.ts'

const { origin } = await configuredService()

/** One run of the model: what it remembers, and what drafts stand for. */
interface Run {
  readonly users: Users
  /** Ids of all users that were ever made, in that order. */
  readonly ids: string[]
  /** Makes the e-mail addresses of the run its own. */
  readonly mark: string
}

/** The service, and its callers. */
interface Real {
  readonly origin: string
  readonly callers: readonly Caller[]
}

/** What the tokens of a person let it do, by the second part of a caller's name. */
const scopes = {
  all: allScopes,
  plain: 'users.read users.write',
  blind: allScopes.replace('users.read ', ''),
  reader: allScopes.replace(' users.write', ''),
}

/** Three people and a client, with every token that they use. */
async function newCallers(): Promise<Caller[]> {
  const made = ['ann', 'bob', 'eve'].flatMap((who) => {
    const sub = uniqueSubject()
    return Object.entries(scopes).map(async ([what, scope]) => ({
      ...{ name: `${who} ${what}`, sub, scopes: scope.split(' ') },
      token: await person(sub, scope),
    }))
  })
  const client = { name: 'client', sub: '', scopes: [], token: await clientToken() }
  return [client, ...(await Promise.all(made))]
}

/** A command that sends a request, and checks that the service and the model answer alike. */
function exchange(draft: Draft): fc.AsyncCommand<Run, Real> {
  return {
    check: () => true,
    toString: () => JSON.stringify(draft),
    async run(run, real) {
      const request = requestOf(draft, run, real)
      const { caller, method, path, body } = request
      const options = { token: caller.token, body, origin: real.origin }
      const answer = await send(method, `/jsonapi${path}`, options)
      const newId = answer.status === 201 ? String(answer.document.data.id) : 'none'
      const expected =
        method === 'GET' ? read(run.users, request) : write(run.users, request, newId)
      if (answer.status === 201) {
        run.ids.push(newId)
      }
      expect(told(answer)).toEqual(expected)
    },
  }
}

function requestOf({ caller, ...draft }: Draft, run: Run, { callers }: Real): ModelRequest {
  const ghost = '018f0000-0000-7000-8000-00000000000'
  const text = JSON.stringify(draft)
    .replace(/#(\d)/g, (_, number) => run.ids[number] ?? ghost + number)
    .replaceAll('~', `.${run.mark}.`)
  const request: Omit<ModelRequest, 'caller'> = JSON.parse(text)
  const named = (name: string) => callers.find((one) => one.name === name) ?? expect.unreachable()
  const owner = run.users.get(request.path.split('/')[2] ?? '')?.owner ?? named('ann all').sub
  const isOwners = ({ name, sub }: Caller) =>
    sub === owner && name.replace(/^\w+/, 'owner') === caller
  return { caller: callers.find(isOwners) ?? named(caller), ...request }
}

/** What the service said, as far as the model knows it. */
function told(answer: Answer): Expected {
  const { status, text, faults } = answer
  if (text === '' || faults.length > 0) {
    return { status, ...(faults.length > 0 && { faults }) }
  }
  return { status, data: [withNamedFields(answer.document).data].flat().map(plain) }
}

/** A user without links. */
function plain({ type, id, attributes = {}, relationships = {} }: Resource): object {
  const linkage = Object.entries(relationships).map(([name, { data = 'hidden' }]) => [name, data])
  return { type, id, attributes, relationships: Object.fromEntries(linkage) }
}

/** Sequences run side by side, each lane with people of its own, so that they share nothing but the service. */
const lanes = ['a', 'b', 'c', 'd'] as const

const runsOfLane = isSlow() ? 10 : 6

it.concurrent.each(lanes)(
  `the service answers like a plain model every request of ${runsOfLane} random sequences of reads and writes (lane %s)`,
  async (lane) => {
    const real = { origin, callers: await newCallers() }
    const commands = fc.commands(
      drafts.map((draft) => draft.map(exchange)),
      { maxCommands: 20, size: 'max' },
    )
    let count = 0
    await fc.assert(
      fc.asyncProperty(commands, async (some) => {
        const model: Run = { users: new Map(), ids: [], mark: `${lane}${count++}` }
        const all = [...beginnings.map(exchange), ...some, exchange(ending)]
        await fc.asyncModelRun(() => ({ model, real }), all)
      }),
      { numRuns: runsOfLane },
    )
  },
  600_000,
)
