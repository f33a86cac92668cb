import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Origin } from '../../../src/postgres/wire.ts'

/** A message as a server sends it. */
export function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** A row of texts. */
export function row(...values: readonly (string | null)[]): Buffer {
  const count = int32(values.length).subarray(2)
  const columns = values.flatMap((value) =>
    value === null ? [int32(-1)] : [int32(Buffer.byteLength(value)), value],
  )
  return message('D', count, ...columns)
}

export const complete = (tag: string): Buffer => message('C', `${tag}\0`)
export const ready = message('Z', 'I')
export const accepted = message('R', int32(0))
/** What a server answers to a statement before its rows. */
export const begun = Buffer.concat([message('1'), message('2')])
export const failure = (code: string, text: string): Buffer =>
  message('E', `SERROR\0VERROR\0C${code}\0M${text}\0DKey (email)=(kari@example.com).\0\0`)
export const notice = message('N', 'SNOTICE\0C00000\0Mby the way\0\0')

/** The types of the messages that a client has sent, and what they hold. */
interface Sent {
  readonly type: string
  readonly body: Buffer
}

/** One connection of a client. */
export interface Visit {
  readonly socket: Socket
  /** Waits for the next message. The first one has no type, which is the empty text here. */
  receive(): Promise<Sent>
  /** Receives all messages up to the next `S`, and gives their types. */
  untilSync(): Promise<string>
  /** Sends what a server sends that takes everybody. */
  welcome(): Promise<void>
}

/** A server that does what a test says, on a port of its own. */
export async function fakeServer(
  play: (visit: Visit) => Promise<unknown>,
  options: { readonly sslmode?: string } = {},
): Promise<{ origin: Origin; faults: unknown[] } & AsyncDisposable> {
  const faults: unknown[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    play(visitOn(socket)).catch((fault) => faults.push(fault))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const mode = options.sslmode ?? 'disable'
  return {
    faults,
    origin: {
      host: '127.0.0.1',
      port,
      user: 'service',
      password: 'a secret of tests',
      database: 'users',
      connectionString: `postgres://service:a%20secret%20of%20tests@127.0.0.1:${port}/users?sslmode=${mode}`,
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) {
        socket.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}

function visitOn(socket: Socket): Visit {
  let bytes = Buffer.alloc(0)
  let isFirst = true
  let wake = () => {}
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk])
    wake()
  })
  socket.on('close', () => wake())
  const taken = (): Sent | undefined => {
    const header = isFirst ? 0 : 1
    if (bytes.length < header + 4) {
      return undefined
    }
    const end = header + bytes.readInt32BE(header)
    if (bytes.length < end) {
      return undefined
    }
    const sent = {
      type: bytes.subarray(0, header).toString(),
      body: bytes.subarray(header + 4, end),
    }
    bytes = bytes.subarray(end)
    isFirst &&= sent.body.length === 4
    return sent
  }
  const visit: Visit = {
    socket,
    async receive() {
      for (;;) {
        const sent = taken()
        if (sent) {
          return sent
        }
        if (socket.destroyed) {
          throw new Error('The client has closed the connection')
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async untilSync() {
      let types = ''
      while (!types.endsWith('S')) {
        types += (await visit.receive()).type
      }
      return types
    },
    async welcome() {
      await visit.receive()
      socket.write(Buffer.concat([accepted, message('S', 'server_version\x0018\0'), ready]))
    },
  }
  return visit
}

/** The server's side of SCRAM-SHA-256, for one password. */
export function scramServer(password: string, iterations = 4_096) {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  return {
    /** Answers the first message of a client. */
    challenge(first: string): string {
      const [, nonce] = /r=(.*)$/.exec(first) ?? []
      return `r=${nonce}${randomBytes(9).toString('base64')},s=${salt.toString('base64')},i=${iterations}`
    },
    /** Answers the last one; undefined where the client does not know the password. */
    outcome(first: string, challenge: string, last: string): string | undefined {
      const [proven = '', proof = ''] = last.split(',p=')
      const all = `${first.slice(3)},${challenge},${proven}`
      const clientKey = hmac(salted, 'Client Key')
      const signature = hmac(createHash('sha256').update(clientKey).digest(), all)
      const expected = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))
      return Buffer.from(proof, 'base64').equals(expected)
        ? `v=${hmac(hmac(salted, 'Server Key'), all).toString('base64')}`
        : undefined
    },
  }
}
