import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A request to send again and again. */
export interface Shot {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent in turn. */
  readonly bodies?: readonly string[] | undefined
  /** The status of every answer; any other is an error. */
  readonly status: number
}

/** The result of a number of requests. */
export interface Volley {
  readonly requests: number
  readonly seconds: number
  /** Milliseconds from the first byte sent to the last one received, in ascending order. */
  readonly latencies: readonly number[]
}

/**
 * Sends `count` requests over a number of connections that are kept alive, each with one request under way.
 * It uses plain sockets, since on a small machine a heavier client would slow down what it measures.
 *
 * @throws Error on an answer of another status
 */
export async function fire(
  { hostname, port }: URL,
  shot: Shot,
  count: number,
  connections: number,
): Promise<Volley> {
  const messages = messagesOf(shot, `${hostname}:${port}`)
  const sockets = await Promise.all(
    Array.from({ length: Math.min(connections, count) }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      await once(socket, 'connect')
      return socket
    }),
  )
  const latencies: number[] = []
  let sent = 0
  const next = (): Buffer | undefined =>
    sent < count ? messages[sent++ % messages.length] : undefined
  const start = performance.now()
  try {
    await Promise.all(sockets.map((socket) => converse(socket, next, shot.status, latencies)))
  } finally {
    for (const socket of sockets) {
      socket.destroy()
    }
  }
  const seconds = (performance.now() - start) / 1000
  return { requests: latencies.length, seconds, latencies: latencies.sort((a, b) => a - b) }
}

function messagesOf({ method, path, headers, bodies = [''] }: Shot, host: string): Buffer[] {
  return bodies.map((body) => {
    const length = body ? { 'Content-Length': String(Buffer.byteLength(body)) } : {}
    const fields = Object.entries({ Host: host, ...headers, ...length })
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n${body}`)
  })
}

function converse(
  socket: Socket,
  next: () => Buffer | undefined,
  status: number,
  latencies: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    const send = (): void => {
      const message = next()
      if (!message) {
        resolve()
        return
      }
      received = Buffer.alloc(0)
      sentAt = performance.now()
      socket.write(message)
    }
    socket.on('data', (chunk: Buffer) => {
      received = received.length > 0 ? Buffer.concat([received, chunk]) : chunk
      if (!isWhole(received)) {
        return
      }
      latencies.push(performance.now() - sentAt)
      const got = Number(received.toString('latin1', 9, 12))
      if (got === status) {
        send()
      } else {
        reject(new Error(`Answered ${got}, not ${status}: ${received.toString().slice(0, 2000)}`))
      }
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server has closed a connection')))
    send()
  })
}

/** Is an HTTP/1.1 answer complete? A chunked one ends with an empty chunk. */
function isWhole(received: Buffer): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) {
    return false
  }
  const head = received.toString('latin1', 0, end)
  const [, length] = /^content-length: *(\d+)/im.exec(head) ?? []
  if (length !== undefined) {
    return received.length >= end + 4 + Number(length)
  }
  return /^transfer-encoding: *chunked/im.test(head)
    ? received.subarray(-7).toString('latin1') === '\r\n0\r\n\r\n' ||
        received.subarray(end + 4).toString('latin1') === '0\r\n\r\n'
    : true
}
