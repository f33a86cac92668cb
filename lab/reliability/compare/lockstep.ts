import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { look, requestAt } from '../../../scripts/tour/send.ts'
import { newRound, stops } from '../../../scripts/tour/stops.ts'
import { allScopes, type Sign } from '../../../test/bench/issuer.ts'
import type { Received, Sent } from '../../../test/fuzz/send.ts'
import { createWorld, goodHeaders, type World } from '../../../test/fuzz/world.ts'
import { isLost } from '../../../test/support/local-proxy.ts'
import { type Actor, type Attempt, attemptOf, learn } from '../requests/attempt.ts'
import { type Operation, readDescription } from '../requests/description.ts'
import { draftOf } from '../requests/drafts.ts'

/** A service that is compared, and what signs the tokens that it takes. */
export interface Compared {
  readonly origin: string
  readonly sign: Sign
}

/** What two services have answered to the same requests. */
export interface Comparison {
  readonly requests: number
  readonly statuses: ReadonlyMap<number, number>
  /** Requests with answers that differ, each in words. */
  readonly differences: readonly string[]
}

const root = '/jsonapi'

/** Headers that say when an answer was made, or which of them it is. */
const volatile = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'x-d1-bookmark'])

/** Ids, tags, and cursors: a sealed one may hold what is drawn by chance. */
const drawn =
  /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?<="etag","\\")[^"\\]+|(?<=page(?:%5B|\[)cursor(?:%5D|\])=|nextCursor\\":\\")[\w-]+/g

const reads = [
  '/users',
  '/users?page[limit]=3',
  '/users?sort=fullName&page[limit]=2',
  '/users?sort=-email,fullName&include=relatives.citizenships&page[limit]=2',
  '/users?page[offset]=2&page[limit]=4&fields[users]=fullName,citizenships',
  '/users?include=placeOfBirth.currencies&page[limit]=2',
  '/countries?include=currencies',
  '/countries?filter[region]=europe&filter[id]=NO,SE,FR,JP',
  '/countries/NO?include=currencies',
  '/countries/NO/currencies',
  '/countries/NO/relationships/currencies',
  '/currencies',
]

/** A name of a request in words, and the request as it goes to one side. */
type Sending = (side: Side) => Promise<Sent> | Sent

/** One of the services, and what its answers are made alike by. */
interface Side {
  readonly world: World<Operation>
  readonly actors: Map<string, Actor>
  /** Ids, tags and cursors in the order in which they came. */
  readonly seen: Map<string, string>
  readonly last: Map<string, Received>
}

/**
 * Sends the same requests to two services with the same data, one after the other, and compares their answers: status, headers and
 * bytes, once what is drawn by chance is made alike. Ids, tags and cursors of each service are replaced by the order in which
 * they come first.
 *
 * @param options `perOperation`: random requests of each documented operation; the same `seed` makes the same ones
 */
export async function compare(
  services: readonly [Compared, Compared],
  { seed, perOperation }: { seed: number; perOperation: number },
): Promise<Comparison> {
  const [first, second] = services
  const sides = [await sideOf(first), await sideOf(second)]
  const statuses = new Map<number, number>()
  const differences: string[] = []
  let requests = 0

  async function both(name: string, sending: Sending): Promise<void> {
    const answers: string[] = []
    for (const side of sides) {
      const sent = await sending(side)
      const first = await side.world.send(sent)
      const size = sent.body?.length ?? 0
      const answer = isLost(size, first.status, first.headers) ? await side.world.send(sent) : first
      side.last.set(name, answer)
      answers.push(alike(side, answer))
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1 / sides.length)
    }
    requests += 1
    if (new Set(answers).size > 1) {
      differences.push(`${name}\n  ${answers.join('\n  ')}`)
    }
  }

  await handmade(both)
  const { operations, ids } = (sides[0] as Side).world
  for (const operation of operations) {
    const drafts = fc.sample(draftOf(operation, { ids, operations }), {
      seed,
      numRuns: perOperation,
    })
    for (const draft of drafts) {
      const attempts = new Map<Side, Attempt>()
      const name = `${operation.id} ${JSON.stringify(draft)}`
      await both(name, async (side) => {
        const attempt = await attemptOf(side.world, operation, actorOf(side, operation), draft)
        attempts.set(side, attempt)
        return attempt.sent
      })
      for (const [side, attempt] of attempts) {
        learn(actorOf(side, operation), attempt, side.last.get(name) as Received)
      }
    }
  }
  return { requests, statuses, differences }
}

async function sideOf({ origin, sign }: Compared): Promise<Side> {
  const described = await readDescription(origin, root)
  const world = await createWorld(origin, root, sign, described)
  return { world, actors: new Map(), seen: new Map(), last: new Map() }
}

function actorOf({ actors }: Side, { id }: Operation): Actor {
  const actor = actors.get(id) ?? { sub: `compared-${id}`, own: undefined }
  actors.set(id, actor)
  return actor
}

/** An answer as text, without what is drawn by chance. */
function alike({ world, seen }: Side, { status, headers, text }: Received): string {
  const kept = Object.entries(headers).filter(([name]) => !volatile.has(name))
  const whole = JSON.stringify([status, kept, text])
  return world.secrets
    .reduce((left, { value }, index) => left.replaceAll(value, `<secret ${index}>`), whole)
    .replaceAll(/(?<="id\\":\\")[\da-f-]{36}(?=\.\d+\\")/g, '<request>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(drawn, (found) => {
      const name = seen.get(found) ?? `<${seen.size}>`
      seen.set(found, name)
      return name
    })
}

/** Requests whose answers hang on one another: pages by cursor, conditions, and the tour. */
async function handmade(both: (name: string, sending: Sending) => Promise<void>): Promise<void> {
  const token = (side: Side) => side.world.sign({ sub: 'compared', scope: allScopes })
  const get =
    (path: string, headers: Sent['headers'] = []): Sending =>
    async (side) => ({
      method: 'GET',
      path: root + path,
      headers: [...goodHeaders(await token(side), false), ...headers],
    })
  for (const path of reads) {
    await both(path, get(path))
    await both(`${path} again`, (side) => {
      const tag = side.last.get(path)?.headers.etag ?? '*'
      return get(path, [['If-None-Match', tag]])(side)
    })
    let name = path
    for (const link of ['next', 'next', 'prev', 'last', 'first']) {
      const from = name
      name = `${name} ${link}`
      await both(name, (side) => {
        const href = linkOf(side.last.get(from), link)
        return get((href ?? `${root}/users?none`).slice(root.length))(side)
      })
    }
  }
  // The tour, and then its user once more, who is gone by then.
  const key = randomUUID()
  const gone = stops.filter(({ name }) => name === 'users.get' || name === 'users.create')
  const steps = [...stops, ...gone].map((stop, nth) => ({ stop, step: `${nth} ${stop.name}` }))
  for (const [nth, { stop, step }] of steps.entries()) {
    await both(step, async (side) => {
      const seen = steps.slice(0, nth).reduce((known, { stop: { name }, step }) => {
        const { status = 0, headers = {}, text = '' } = side.last.get(step) ?? {}
        const document = text === '' ? undefined : JSON.parse(text)
        return look(known, name, {
          status,
          document,
          headers: headersOf(headers),
        })
      }, newRound())
      const { method, url, headers, body } = requestAt(stop, root, { ...seen, key })
      const all = { ...Object.fromEntries(goodHeaders(await token(side), !!body)), ...headers }
      return {
        method,
        path: url,
        headers: Object.entries(all),
        ...(body && { body: JSON.stringify(body) }),
      }
    })
  }
}

function headersOf(headers: Received['headers']): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function linkOf(answer: Received | undefined, name: string): string | undefined {
  return answer?.status === 200 ? (JSON.parse(answer.text).links?.[name] ?? undefined) : undefined
}
