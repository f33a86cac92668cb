import { expect, vi } from 'vitest'
import { type Answer, logs } from '../../harness/service.ts'

/** A log line as it was written. */
export type Line = Readonly<Record<string, unknown>>

/** The lines about one answer, oldest first: there is always one of the event `request`, the last. */
export function linesAbout(
  answer: Pick<Answer, 'headers'>,
  read: () => Promise<readonly string[]> = logs,
): Promise<Line[]> {
  const id = answer.headers['x-request-id']
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  return vi.waitFor(async () => {
    const lines = (await read()).filter((line) => line.includes(String(id)))
    const parsed = lines.map((line) => JSON.parse(line) as Line)
    expect(parsed.filter(({ event }) => event === 'request')).toHaveLength(1)
    return parsed
  })
}

/** The one line that tells how a request went. */
export async function lineAbout(
  answer: Pick<Answer, 'headers'>,
  read?: () => Promise<readonly string[]>,
): Promise<Line> {
  const line = (await linesAbout(answer, read)).find(({ event }) => event === 'request')
  return line ?? {}
}
