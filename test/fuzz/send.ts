import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A request as it goes over the wire: nothing is normalised, encoded or added but what HTTP needs. */
export interface Sent {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** In the order given; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
}

/** What came back. */
export interface Received {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<IncomingHttpHeaders>
  readonly text: string
  /** Of head and body, as they came over the wire but for what frames a body of unknown length. */
  readonly bytes: number
}

/** Idle connections are closed before the service closes them, so that no request is sent on a closing one. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 2_000 })

/**
 * Sends one request.
 *
 * @param options `patience`: milliseconds until no answer is an error; `alone`: over a connection of its own, since
 * whoever answers before a body has come closes its connection, which nobody else should be using
 * @throws Error when none comes, or none that is HTTP
 */
export async function send(
  origin: string,
  sent: Sent,
  { patience = 15_000, alone = false }: { patience?: number; alone?: boolean } = {},
): Promise<Received> {
  const response = await answerTo(origin, sent, patience, alone)
  const content = await buffer(response)
  const head = [`HTTP/1.1 ${response.statusCode} ${response.statusMessage}`, ...response.rawHeaders]
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: content.toString(),
    // After each name, each value and the line at the top come two more; the head ends with an empty line.
    bytes: head.reduce((sum, part) => sum + Buffer.byteLength(part) + 2, 2) + content.length,
  }
}

/** How often a request is sent whose connection ends before it is answered. */
const mostTries = 3

/** Milliseconds that an answer to a repeated request has before its body goes. */
const headStart = 1_000

/**
 * What comes back. The request goes out again, over a connection of its own, where an idle connection was closed by the runtime in this
 * moment, and where a service that answers before it has read the body closed the connection so that its answer was lost. The head
 * then goes a while before the body, so that an early answer is read first.
 */
function answerTo(
  origin: string,
  sent: Sent,
  patience: number,
  alone: boolean,
  tries = 1,
): Promise<IncomingMessage> {
  const { method, path, headers, body } = sent
  const { hostname, port, host } = new URL(origin)
  const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))]
  return new Promise((resolve, reject) => {
    const under = request({
      agent: alone ? false : agent,
      hostname,
      port,
      method,
      path,
      headers: ['Host', host, ...length, ...headers.flat()],
      signal: AbortSignal.timeout(patience),
    })
    let isAnswered = false
    under.once('response', (response) => {
      isAnswered = true
      resolve(response)
    })
    under.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'EPIPE' || error.code === 'ECONNRESET'
      if (isClosed && (under.reusedSocket || body !== undefined) && tries < mostTries) {
        answerTo(origin, sent, patience, true, tries + 1).then(resolve, reject)
      } else {
        reject(error)
      }
    })
    if (tries === 1 || body === undefined) {
      under.end(body)
    } else {
      under.flushHeaders()
      setTimeout(() => (isAnswered ? under.destroy() : under.end(body)), headStart)
    }
  })
}
