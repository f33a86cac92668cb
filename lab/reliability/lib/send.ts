import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http'
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

/** How often a request is sent whose body cannot be sent whole. */
const mostTries = 3

/**
 * What comes back. The request goes out again, over a connection of its own, where an idle connection was closed by the runtime in this
 * moment, and where a connection was closed before the body was sent whole: nothing was carried out then, and the answer to it can be
 * lost. Its head then goes a while before its body, and each piece of that a while after the other, so that an early answer is read first.
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
    const under = request(
      {
        agent: alone ? false : agent,
        hostname,
        port,
        method,
        path,
        headers: ['Host', host, ...length, ...headers.flat()],
        signal: AbortSignal.timeout(patience),
      },
      resolve,
    )
    under.on('error', (error: NodeJS.ErrnoException) => {
      const { code } = error
      const isUnsent =
        code === 'EPIPE' ||
        (code === 'ECONNRESET' && (under.reusedSocket || !under.writableFinished))
      if (isUnsent && tries < mostTries) {
        answerTo(origin, sent, patience, true, tries + 1).then(resolve, reject)
      } else {
        reject(error)
      }
    })
    if (body === undefined) {
      under.end()
    } else {
      sendBody(under, Buffer.from(body), tries > 1)
    }
  })
}

/** Bytes that are sent before a look whether the answer has come. */
const pieceBytes = 16 * 1024

/** The milliseconds that an answer to a repeated request has: to its head before the body goes, and to each piece. */
const patient = { head: 1_000, piece: 20 }

/**
 * Sends a body in pieces, until it is sent or answered. A service that answers early closes the connection. A write after that fails, and
 * loses the answer even where it has come, so that all that has come is read before each piece.
 *
 * @param isRepeated may an answer have been lost before? Then the head and each piece are followed by a pause
 */
function sendBody(under: ClientRequest, body: Buffer, isRepeated: boolean): void {
  let isAnswered = false
  under.once('response', (response: IncomingMessage) => {
    isAnswered = true
    response.once('end', () => {
      if (!under.writableEnded) {
        under.destroy()
      }
    })
  })
  const sendFrom = (start: number): void => {
    const end = start + pieceBytes
    if (isAnswered) {
      return
    }
    if (end >= body.length) {
      under.end(body.subarray(start))
    } else {
      under.write(body.subarray(start, end), (error) => {
        if (error) {
          return
        }
        if (isRepeated) {
          setTimeout(sendFrom, patient.piece, end)
        } else {
          setImmediate(sendFrom, end)
        }
      })
    }
  }
  if (isRepeated) {
    under.flushHeaders()
    setTimeout(sendFrom, patient.head, 0)
  } else {
    sendFrom(0)
  }
}
