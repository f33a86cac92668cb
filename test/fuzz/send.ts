import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request as it goes over the wire: nothing is normalised, encoded or added but what HTTP needs. */
export interface Sent {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** In the order given; a name may come twice. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Uint8Array
}

/** What came back; names of headers in lower case. */
export type Received = Awaited<ReturnType<typeof send>>

/** Idle connections are closed before the service closes them, so that no request is sent on a closing one. */
const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 2_000 })

/** Milliseconds until no answer is an error. */
const patience = 15_000

/**
 * Sends one request.
 * @param options `alone`: over a connection of its own, since whoever answers before a body has come closes its connection, which nobody
 * else should be using
 * @throws Error when no answer comes, or none that is HTTP
 */
export async function send(origin: string, sent: Sent, { alone = false } = {}) {
  const response = await answerTo(origin, sent, alone)
  const { statusCode: status = 0, headers } = response
  return { status, headers, text: await text(response) }
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
function answerTo(origin: string, sent: Sent, alone: boolean, tries = 1): Promise<IncomingMessage> {
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
        answerTo(origin, sent, true, tries + 1).then(resolve, reject)
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
