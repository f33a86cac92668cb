import { expect, vi } from 'vitest'
import { type Answer, logs } from './service.ts'

/** A log line as it was written. */
export type Line = Readonly<Record<string, unknown>>

/** Reads the lines of a log that hold a text. */
type ReadLog = (holding: string) => Promise<readonly string[]>

// A Worker writes its log beside its answers: a line may come a moment later.
const patience = { timeout: 5_000 }

/** The lines that hold a text, as soon as there is one. */
export function linesWith(text: string, read: ReadLog = logs): Promise<string[]> {
  return vi.waitFor(async () => {
    const lines = [...(await read(text))]
    expect(lines, text).not.toEqual([])
    return lines
  }, patience)
}

/** The one line that tells how a request went. */
export function lineAbout(
  { headers }: Pick<Answer, 'headers'>,
  read: ReadLog = logs,
): Promise<Line> {
  const id = String(headers['x-request-id'])
  return vi.waitFor(async () => {
    const parsed = (await read(id)).map((line) => JSON.parse(line) as Line)
    const requests = parsed.filter(({ event }) => event === 'request')
    expect(requests).toHaveLength(1)
    return requests[0] ?? {}
  }, patience)
}
