import { connect } from 'cloudflare:sockets'
import type { Bound } from '../db/statement.ts'
import { LostConnection, NotConnected, type ServerError } from './errors.ts'
import { errorOf, incoming, int32Of, type Message, Outgoing, rowOf, textOf } from './messages.ts'
import { mechanism, scram } from './scram.ts'

/** Where the server is, and who connects to which database. A Hyperdrive binding has these members. */
export interface Origin {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** The same as a URL. Its `sslmode` is `disable` in each Hyperdrive binding. */
  readonly connectionString: string
}

/** A row: the values of its columns as texts, in their order. */
type TextRow = readonly (string | null)[]

/** What a statement has given: its rows, and how many rows it has written. */
interface Result {
  readonly rows: readonly TextRow[]
  readonly written: number
}

/** A connection to the server. */
export interface Wire {
  /**
   * Sends statements in one go, and waits once for all answers. Outside a transaction block, all of them are carried out or none. A run
   * may begin while others wait for their answers, which come in the order of the runs.
   *
   * @throws ServerError with the first error that the server reports
   * @throws LostConnection when the connection is lost, or the server sends what it should not
   */
  run(statements: readonly Bound[]): Promise<Result[]>
  /** Is the connection still there, as far as it has shown? */
  isOpen(): boolean
  /** Says goodbye and closes the connection. Never rejects. */
  close(): Promise<void>
}

/**
 * Connects to Hyperdrive, which encrypts its own connections to the server. The one to Hyperdrive stays on the machine of the Worker,
 * and has no encryption.
 *
 * @param signal gives up a connection that the server does not take
 * @throws NotConnected with the reason, in which there is no password. It is one where encryption is asked for
 */
export async function openWire(origin: Origin, signal?: AbortSignal): Promise<Wire> {
  let socket: Socket | undefined
  const giveUp = () => void socket?.close().catch(() => {})
  signal?.addEventListener('abort', giveUp)
  try {
    socket = dial(origin)
    return await wireOn(socket, origin)
  } catch (cause) {
    giveUp()
    throw new NotConnected('There is no connection to PostgreSQL', { cause })
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
}

function dial({ host, port, connectionString }: Origin): Socket {
  const mode = URL.parse(connectionString)?.searchParams.get('sslmode') ?? 'disable'
  if (mode !== 'disable') {
    // Nothing goes in the clear that somebody wants to be encrypted.
    throw new Error(
      `Only connections to Hyperdrive are made, whose sslmode is disable, not ${mode}`,
    )
  }
  const socket = connect({ hostname: host, port }, { secureTransport: 'off', allowHalfOpen: false })
  // What is lost shows where it is read from or written to.
  socket.closed.catch(() => {})
  return socket
}

/** The version of the protocol, with which a connection begins. */
const version3 = 3 << 16

async function wireOn(socket: Socket, origin: Origin): Promise<Wire> {
  const writer = socket.writable.getWriter()
  const messages = incoming(socket.readable.getReader())
  const send = (out: Outgoing) => writer.write(out.bytes)
  const next = async (): Promise<Message> => (await messages.next()).value
  await send(greeting(origin))
  await authenticate(send, next, origin)
  let isOpen = true
  /** Gives the results up to the end of an answer. */
  const answer = async (): Promise<Result[]> => {
    const results: Result[] = []
    let rows: TextRow[] = []
    let failure: ServerError | undefined
    for (;;) {
      const { type, body } = await next().catch((cause) => {
        isOpen = false
        // The server may have told why it closes the connection.
        throw failure ?? new LostConnection('The connection to PostgreSQL is lost', { cause })
      })
      switch (type) {
        case 'D':
          rows.push(rowOf(body))
          break
        case 'C':
          results.push({ rows, written: writtenBy(textOf(body)) })
          rows = []
          break
        case 'E':
          failure ??= errorOf(body)
          break
        case 'Z':
          if (failure) {
            throw failure
          }
          return results
        default:
          if (!told.has(type)) {
            isOpen = false
            throw new LostConnection(`The server sends a message of the type ${type}`)
          }
      }
    }
  }
  await answer()
  let last: Promise<unknown> = Promise.resolve()
  return {
    async run(statements) {
      const out = new Outgoing()
      for (const statement of statements) {
        addStatement(out, statement)
      }
      // Not waited for: a server whose answers nobody reads may read no more. Where the connection is lost, the answer tells.
      send(out.message('S')).catch(() => socket.close())
      const mine = last.then(answer)
      last = mine.catch(() => {})
      return mine
    },
    isOpen: () => isOpen,
    async close() {
      try {
        await send(new Outgoing().message('X'))
        await socket.close()
      } catch {
        // It is closed already.
      }
    },
  }
}

/**
 * The types of messages that tell nothing which is needed: a statement is parsed (`1`), bound (`2`), has no rows (`n`); a parameter of
 * the connection (`S`), a notice (`N`), a notification (`A`), the key for cancelling (`K`), newer versions of the protocol (`v`).
 */
const told: ReadonlySet<string> = new Set(['1', '2', 'n', 'S', 'N', 'A', 'K', 'v'])

function greeting({ user, database }: Origin): Outgoing {
  return new Outgoing().message('', (body) => {
    body.int32(version3)
    const parameters = { user, database, client_encoding: 'UTF8', application_name: 'users' }
    for (const [name, value] of Object.entries(parameters)) {
      body.text(name).text(value)
    }
    body.text('')
  })
}

/** Adds a statement without a name, which the server forgets at the next one, and its execution. */
function addStatement(out: Outgoing, { text, values }: Bound): void {
  out
    .message('P', (body) => body.text('').text(text).int16(0))
    .message('B', (body) => {
      body.text('').text('').int16(0).int16(values.length)
      for (const value of values) {
        if (value === null) {
          body.int32(-1)
        } else {
          body.sized(String(value))
        }
      }
      body.int16(0)
    })
    .message('E', (body) => body.text('').int32(0))
}

/** The number at the end of what a server says of a statement that writes, as in `INSERT 0 1`. */
function writtenBy(tag: string): number {
  const [, rows = '0'] = /^(?:INSERT \d+|UPDATE|DELETE) (\d+)\0$/.exec(tag) ?? []
  return Number(rows)
}

/** The kinds of authentication that a server may ask for. */
const authentication = { done: 0, password: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 }

/**
 * Shows the server the password, in the way that it asks for.
 *
 * @throws ServerError when the server refuses
 * @throws Error when it asks for a way that is not known here, or does not know the password itself
 */
async function authenticate(
  send: (out: Outgoing) => Promise<void>,
  next: () => Promise<Message>,
  { user, password }: Origin,
): Promise<void> {
  const asked = async (): Promise<{ kind: number; data: Uint8Array }> => {
    const { type, body } = await next()
    if (type === 'E') {
      throw errorOf(body)
    }
    // Newer servers may tell first that they know no newer version of the protocol, or give a notice.
    return type === 'R'
      ? { kind: int32Of(body), data: body.subarray(4) }
      : told.has(type)
        ? asked()
        : { kind: -1, data: body }
  }
  const demanded = async (kind: number): Promise<string> => {
    const { kind: other, data } = await asked()
    if (other !== kind) {
      throw new Error(`The server asks for an authentication of kind ${other}`)
    }
    return textOf(data)
  }
  const { kind, data } = await asked()
  switch (kind) {
    case authentication.done:
      return
    case authentication.password:
      await send(new Outgoing().message('p', (body) => body.text(password)))
      break
    case authentication.md5: {
      const inner = await md5(utf8.encode(password + user))
      const salted = await md5(new Uint8Array([...utf8.encode(inner), ...data]))
      await send(new Outgoing().message('p', (body) => body.text(`md5${salted}`)))
      break
    }
    case authentication.sasl: {
      if (!textOf(data).split('\0').includes(mechanism)) {
        throw new Error(`The server does not take ${mechanism}`)
      }
      const dialogue = scram(password)
      await send(new Outgoing().message('p', (body) => body.text(mechanism).sized(dialogue.first)))
      const last = await dialogue.final(await demanded(authentication.saslContinue))
      await send(new Outgoing().message('p', (body) => body.chars(last)))
      dialogue.verify(await demanded(authentication.saslFinal))
      break
    }
    default:
      throw new Error(`The server asks for an authentication of kind ${kind}`)
  }
  await demanded(authentication.done)
}

const utf8 = new TextEncoder()

/** The MD5 hash of bytes in hexadecimal digits, which `crypto.subtle` of Workers makes, but not that of Node.js. */
async function md5(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('MD5', new Uint8Array(bytes)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
