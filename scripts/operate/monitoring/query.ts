import type { LogEvent, LogFields } from '../../../src/http/log.ts'

/** How a member of a line is compared. A member that is not in the line differs from every value, and passes no other test. */
type Comparison = '=' | '!=' | '>' | '>=' | '<' | 'contains'

/** A test of a member: `['status', '>=', 500]`. */
export type Test = readonly [member: string, is: Comparison, value: string | number]

/** A line must pass the test, or one of several. */
export type Condition = Test | { readonly anyOf: readonly Test[] }

/** Lines of the log that are counted. A line with `share` stands for 1 / `share` lines. */
export interface Lines<Event extends LogEvent = LogEvent> {
  /** What they tell of, in the plural: `requests that end in a 5xx`. No two queries have the same. */
  readonly called: string
  readonly events: readonly Event[]
  readonly where: readonly Condition[]
  /** The member whose numbers are added up, as they are, in place of the lines. */
  readonly sums?: string
}

/** The members that all lines about these events can have. */
export type Member<Event extends LogEvent> = keyof LogFields<Event> & string

type TestOf<Event extends LogEvent> = {
  [M in Member<Event>]: readonly [M, Comparison, Extract<LogFields<Event>[M], string | number>]
}[Member<Event>]

/** A condition on lines about these events, which can test only the members that such lines have. */
export type ConditionOf<Event extends LogEvent> =
  | TestOf<Event>
  | { readonly anyOf: readonly TestOf<Event>[] }

/** Lines about one or several events. Only members that such lines have can be tested. */
export function lines<Event extends LogEvent>(
  called: string,
  events: readonly Event[],
  ...where: readonly ConditionOf<Event>[]
): Lines<Event> {
  return { called, events, where: where as readonly Condition[] }
}

/** Those of other lines that pass further tests. */
export function linesOf<Event extends LogEvent>(
  { events, where }: Lines<Event>,
  called: string,
  ...further: readonly ConditionOf<NoInfer<Event>>[]
): Lines<Event> {
  return { called, events, where: [...where, ...(further as readonly Condition[])] }
}

/** The sum of a member over lines, in place of their number. */
export function sumOf<Event extends LogEvent>(
  called: string,
  events: readonly Event[],
  member: Member<Event>,
): Lines<Event> {
  return { called, events, where: [[member, '>', 0]], sums: member }
}

/** A text of the declaration without the marks of Markdown. */
export function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
