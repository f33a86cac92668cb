/** The part of a reader that is used: the platform's own, which types of other platforms leave out. */
interface Reader {
  readAtLeast(
    least: number,
    view: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly value?: Uint8Array | undefined }>
}

/**
 * Reads the body of a request up to a bound, and leaves the rest unread. Each read of a stream in JavaScript costs CPU, and a
 * body without a declared length may come in chunks of one byte: so the runtime gathers the chunks, and this reads once.
 *
 * @param most bytes
 * @returns the whole body, or the first `most` bytes of a longer one
 * @throws what the stream throws when the caller breaks off
 */
export async function bytesUpTo(
  request: Pick<Request, 'headers' | 'body' | 'arrayBuffer'>,
  most: number,
): Promise<Uint8Array> {
  const declared = request.headers.get('Content-Length')
  // HTTP holds a body to its declared length. Read whole, it costs less than any stream.
  if (declared !== null && Number(declared) <= most) {
    return new Uint8Array(await request.arrayBuffer())
  }
  const reader = request.body?.getReader({ mode: 'byob' }) as Reader | undefined
  const read = await reader?.readAtLeast(most, new Uint8Array(most))
  return read?.value ?? new Uint8Array()
}
