import type { Running } from './measure.ts'
import { type Kind, shotOf } from './requests.ts'

/** What one warm request costs, as D1 tells it in its `meta`. */
export interface Cost {
  readonly bytes: number
  readonly roundTrips: number
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Calls of Durable Objects. */
  readonly objectCalls: number
}

/** One answer, whole. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends a request once. */
export async function ask(url: URL, kind: Kind, token: string): Promise<Answer> {
  const { method, path, headers, bodies } = shotOf(kind, token)
  const response = await fetch(new URL(path, url), { method, headers, body: bodies?.[0] ?? null })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** Bytes of the answers of a contender, by kind. */
export async function sizesOf(
  { contender, server }: Running,
  kinds: readonly Kind[],
  token: string,
): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for (const kind of kinds) {
    const path = contender.paths[kind.name]
    if (path !== undefined) {
      const { body } = await ask(server.url, { ...kind, path }, token)
      sizes[kind.name] = Buffer.byteLength(body)
    }
  }
  return sizes
}

/** The cost of each kind of request, by name, on a server that is tapped: its second one, when all is warm. */
export async function costsOf(
  url: URL,
  kinds: readonly Kind[],
  token: string,
): Promise<Record<string, Cost>> {
  const costs: Record<string, Cost> = {}
  for (const kind of kinds) {
    await ask(url, kind, token)
    const { headers, body } = await ask(url, kind, token)
    const cost = JSON.parse(headers.get('X-Bench-Cost') ?? '{}')
    costs[kind.name] = { ...cost, bytes: Buffer.byteLength(body) }
  }
  return costs
}

/** Header fields that differ from answer to answer. */
const volatile = new Set(['date', 'x-request-id', 'x-ratelimit-remaining'])

/**
 * Do both servers answer the same bytes, header fields included? Then one of them is a floor of the other.
 *
 * @throws Error that names the request and what differs
 */
export async function demandSameAnswers(
  [one, other]: readonly [URL, URL],
  kinds: readonly Kind[],
  token: string,
): Promise<void> {
  for (const kind of kinds) {
    const [a, b] = [await ask(one, kind, token), await ask(other, kind, token)]
    const differing = [
      ...(a.status === b.status && a.status === kind.status
        ? []
        : [`status ${a.status}, ${b.status}`]),
      ...(a.body === b.body ? [] : [`body, from ${differsAt(a.body, b.body)}`]),
      ...[...new Set([...a.headers.keys(), ...b.headers.keys()])].filter(
        (name) => !volatile.has(name) && fieldOf(a, name) !== fieldOf(b, name),
      ),
    ]
    if (differing.length > 0) {
      throw new Error(
        `(${kind.name}) ${kind.path} is answered differently: ${differing.join('; ')}`,
      )
    }
  }
}

/** A header field, without the revision in a tag: revisions are random. */
function fieldOf({ headers }: Answer, name: string): string | undefined {
  const field = headers.get(name) ?? undefined
  return name === 'etag' ? field?.replace(/^"[^.]*\./, '"') : field
}

function differsAt(a: string, b: string): string {
  const at = [...a].findIndex((character, index) => character !== b[index])
  return `${JSON.stringify(a.slice(at - 40, at + 40))} to ${JSON.stringify(b.slice(at - 40, at + 40))}`
}
