/** The method of a stream reader that is used. Only the platform has it, so that other types of readers leave it out. */
interface Reader {
  readAtLeast(
    least: number,
    view: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly value?: Uint8Array | undefined }>
}

/** Bytes of one read: so few that a body which is announced and never sent takes little memory. */
const readBytes = 8 * 1024

/**
 * Reads the body of a request up to a bound, and leaves the rest unread. Each read of a stream in JavaScript costs CPU, and a
 * body without a declared length may come in chunks of one byte, so that the runtime collects the chunks of each read.
 *
 * @param most the most bytes to read
 * @returns the whole body, or the first `most` bytes of a longer one
 * @throws the error of the stream when the caller breaks off
 */
export function bytesUpTo(
  request: Pick<Request, 'headers' | 'body' | 'arrayBuffer'>,
  most: number,
): Promise<Uint8Array | ArrayBuffer> {
  const declared = request.headers.get('Content-Length')
  // HTTP bounds a body by its declared length. Reading it as a whole costs less than reading a stream.
  return declared !== null && Number(declared) <= most
    ? request.arrayBuffer()
    : streamedUpTo(request, most)
}

async function streamedUpTo({ body }: Pick<Request, 'body'>, most: number): Promise<Uint8Array> {
  const reader = body?.getReader({ mode: 'byob' }) as Reader | undefined
  const parts: Uint8Array[] = []
  for (let left = most; left > 0; ) {
    const wanted = Math.min(left, readBytes)
    const part = (await reader?.readAtLeast(wanted, new Uint8Array(wanted)))?.value
    parts.push(part ?? new Uint8Array())
    // Fewer bytes than were asked for are the last ones.
    left = part?.byteLength === wanted ? left - wanted : 0
  }
  return joined(parts)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let start = 0
  for (const part of parts) {
    bytes.set(part, start)
    start += part.byteLength
  }
  return bytes
}
