import { ServerError } from './errors.ts'

/*
 * The messages of PostgreSQL's protocol, version 3 (its manual, chapter "Frontend/Backend Protocol"). Each is a byte that tells its
 * type, the length of what follows as 32 bits, which count themselves, and its body. Texts are UTF-8 and end with a zero byte, but
 * for those with a length before them.
 */

const utf8 = new TextEncoder()
// A value may begin with a byte order mark, which is a character of it.
const fromUtf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
/** Gives one character for each byte, so that a text of ASCII is read without copying its bytes. */
const byBytes = new TextDecoder('latin1')

/** Writes messages one behind the other, to be sent in one go. */
export class Outgoing {
  #bytes = new Uint8Array(2_048)
  #view = new DataView(this.#bytes.buffer)
  #end = 0

  /** What was written so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end)
  }

  /** Adds a message. The first one of a connection has no type, which is the empty text here. */
  message(type: string, write: (body: this) => void = () => {}): this {
    this.#reserve(type.length)
    if (type !== '') {
      this.#bytes[this.#end++] = type.charCodeAt(0)
    }
    return this.#measured(() => write(this), true)
  }

  /** Adds a text that ends with a zero byte. */
  text(text: string): this {
    return this.chars(`${text}\0`)
  }

  /** Adds a text without an end. */
  chars(text: string): this {
    this.#reserve(3 * text.length)
    this.#end += utf8.encodeInto(text, this.#bytes.subarray(this.#end)).written
    return this
  }

  /** Adds the length of a text in bytes, and the text. */
  sized(text: string): this {
    return this.#measured(() => this.chars(text), false)
  }

  int16(value: number): this {
    this.#reserve(2)
    this.#view.setInt16(this.#end, value)
    this.#end += 2
    return this
  }

  int32(value: number): this {
    this.#reserve(4)
    this.#view.setInt32(this.#end, value)
    this.#end += 4
    return this
  }

  /** Adds what `write` adds, behind its length in bytes. */
  #measured(write: () => void, countsItself: boolean): this {
    const start = this.#end
    this.int32(0)
    write()
    this.#view.setInt32(start, this.#end - start - (countsItself ? 0 : 4))
    return this
  }

  #reserve(more: number): void {
    if (this.#end + more > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#end + more))
      larger.set(this.#bytes)
      this.#bytes = larger
      this.#view = new DataView(larger.buffer)
    }
  }
}

/** A message of the server. */
export interface Message {
  /** One character. */
  readonly type: string
  readonly body: Uint8Array
}

/** The most bytes of a message of the server. A row has at most some 2 MB; more is no message of PostgreSQL. */
const mostBytes = 64 * 1_024 * 1_024

/**
 * The messages of the server, in their order, however its bytes come in chunks.
 *
 * @throws Error when the bytes end, also between messages, and when they are no messages
 */
export async function* incoming(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>,
): AsyncGenerator<Message, never, void> {
  let rest: Uint8Array = new Uint8Array(0)
  for (;;) {
    const { value, done } = await reader.read()
    if (done) {
      throw new Error('The server has closed the connection')
    }
    const bytes = rest.length === 0 ? value : joined(rest, value)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let at = 0
    while (bytes.length - at >= 5) {
      const length = view.getInt32(at + 1)
      if (length < 4 || length > mostBytes) {
        throw new Error('The server sends something else than messages of PostgreSQL')
      }
      const end = at + 1 + length
      if (end > bytes.length) {
        break
      }
      yield { type: String.fromCharCode(bytes[at] ?? 0), body: bytes.subarray(at + 5, end) }
      at = end
    }
    rest = bytes.subarray(at)
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** The text of a whole body. */
export function textOf(body: Uint8Array): string {
  return fromUtf8.decode(body)
}

/** The first 32 bits of a body. */
export function int32Of(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset).getInt32(0)
}

/** The values of a row, each as text. */
export function rowOf(body: Uint8Array): (string | null)[] {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const chars = byBytes.decode(body)
  const row: (string | null)[] = []
  let at = 2
  for (let columns = view.getInt16(0); columns > 0; columns--) {
    const length = view.getInt32(at)
    at += 4
    if (length < 0) {
      row.push(null)
    } else {
      const text = chars.slice(at, at + length)
      row.push(isAscii(text) ? text : fromUtf8.decode(body.subarray(at, at + length)))
      at += length
    }
  }
  return row
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

/** The error that a message of type `E` reports. */
export function errorOf(body: Uint8Array): ServerError {
  const fields = textOf(body).split('\0')
  const field = (name: string): string =>
    fields.find((text) => text.startsWith(name))?.slice(1) ?? ''
  return new ServerError(field('C'), field('M'))
}
