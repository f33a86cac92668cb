import { type LogEvent, logLines } from '../../src/http/log.ts'

/** A line of the log, and when it was written. */
export interface Line {
  /** Milliseconds since 1970; 0 where the log does not tell. */
  readonly time: number
  readonly event: LogEvent
  readonly members: Readonly<Record<string, unknown>>
}

/** A log, oldest line first. */
export interface Log {
  readonly lines: readonly Line[]
  /** Does each line tell its time? Otherwise all of them count as written at once. */
  readonly isTimed: boolean
  /** How many texts of the input are no lines of this service. */
  readonly others: number
}

/**
 * Reads a log: lines of the service as they are, also with a text before them, as the terminal of `npm start` shows them; or what
 * `wrangler tail --format json` prints.
 */
export function readLog(text: string): Log {
  const found: Line[] = []
  let others = 0
  for (const piece of piecesOf(text)) {
    const lines = linesIn(piece)
    found.push(...lines)
    others += lines.length === 0 ? 1 : 0
  }
  const isTimed = found.length > 0 && found.every(({ time }) => time > 0)
  const lines = isTimed
    ? found.toSorted((a, b) => a.time - b.time)
    : found.map((line) => ({ ...line, time: 0 }))
  return { lines, isTimed, others }
}

/** The lines of a text; an object that goes over several lines, as wrangler prints it, is one piece. */
function piecesOf(text: string): readonly string[] {
  return text.match(/^\{\r?\n[\s\S]*?^\}|^.*\S.*$/gm) ?? []
}

/** What `wrangler tail` writes around the lines of a request. */
interface Envelope {
  readonly logs?: readonly { readonly message?: unknown; readonly timestamp?: unknown }[]
}

function linesIn(piece: string): readonly Line[] {
  const [json] = /\{[\s\S]*\}/.exec(piece) ?? []
  const value = parsed(json)
  const own = written(value, undefined)
  const { logs = [] } = (value ?? {}) as Envelope
  return own.length > 0
    ? own
    : logs.flatMap(({ message, timestamp }) => written(message, timestamp))
}

/** The lines among the arguments of one call of `console.log`. */
function written(message: unknown, time: unknown): readonly Line[] {
  const values = Array.isArray(message) ? message : [message]
  return values.flatMap((value) => {
    const members = typeof value === 'string' ? parsed(value) : value
    const event = members?.event
    return isEvent(event) ? [{ time: timeOf(time), event, members }] : []
  })
}

function isEvent(event: unknown): event is LogEvent {
  return typeof event === 'string' && Object.hasOwn(logLines, event)
}

/** A time in milliseconds, or as text. */
function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number(value)
  return Number.isFinite(time) ? time : 0
}

function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
