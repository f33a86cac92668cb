import * as z from 'zod'
import { FaultList, type Faults } from '../errors.ts'
import { isStorable } from '../json.ts'
import { demand, type IssueHint, parse, type Schema } from '../validate.ts'
import { listed, quote } from '../wording.ts'

/** A list that a parameter takes. */
export interface List {
  readonly judge: (text: string) => JudgedList
  /** The schema that describes the items and their number. Requests are judged without it: they send a text. */
  readonly schema: () => Schema<readonly string[]>
}

/** The faults of a list that was sent, and its distinct valid items. */
export interface JudgedList extends Faults {
  readonly items: readonly string[]
}

/** Does a parameter take a list? */
export function isList(taken: List | Schema): taken is List {
  return 'judge' in taken
}

/** Has a list no faults? */
export function isValid({ problems }: JudgedList): boolean {
  return problems.length === 0
}

/** A list of names, each of them one of these. */
export function listOfNames(parameter: string, names: readonly string[], most?: number): List {
  const known = new Set(names)
  const detail = (item: string) => `${quote(item)} is not one of: ${listed(names)}.`
  const take: Take = (item) =>
    known.has(item) ? item : () => ({ code: 'INVALID_ENUM_VALUE', detail: detail(item) })
  return {
    judge: (text) => judgeList(parameter, text, take, most),
    schema: () => bounded(z.array(z.enum(names as [string])), most),
  }
}

/** A list of values that are valid by a schema, which may normalise them. */
export function listOfValues(
  parameter: string,
  schema: Schema<string, string>,
  most: number,
): List {
  const take: Take = (item) => {
    const result = parse(schema, item)
    return result.success
      ? result.data
      : () => format(`${quote(item)} ${result.error.issues.map(demand).join(' and ')}.`)
  }
  return {
    judge: (text) => judgeList(parameter, text, take, most),
    schema: () => bounded(z.array(z.string()), most),
  }
}

function bounded(list: z.ZodArray<z.ZodType<string>>, most?: number) {
  return most === undefined ? list : list.max(most)
}

/** Gives the value of a valid item. For another it gives the function that makes its fault. */
type Take = (item: string) => string | (() => IssueHint)

/**
 * Judges a list, by one rule for all parameters (contract, section 6). Items stand between commas. They are counted as sent, and
 * those past the bound are not judged. An empty text is an empty list, and an empty item is a fault. An item that is repeated is
 * judged once.
 */
function judgeList(
  parameter: string,
  text: string,
  take: Take,
  most = Number.POSITIVE_INFINITY,
): JudgedList {
  const items = new Set<string>()
  const faults = new FaultList()
  const add = (hint: () => IssueHint) => faults.add(() => ({ ...hint(), source: { parameter } }))
  const isText = isStorable(text)
  if (!isText) {
    add(() => format(`${quote(text)} must be well-formed and hold no NUL.`))
  }
  const sent = text === '' || !isText ? [] : text.split(',')
  if (sent.length > most) {
    add(() => format(`The list has ${sent.length} items, but at most ${most} items are allowed.`))
  }
  for (const item of new Set(sent.slice(0, most))) {
    const taken = item === '' ? emptyItem : take(item)
    if (typeof taken === 'string') {
      items.add(taken)
    } else {
      add(taken)
    }
  }
  return { items: [...items], problems: faults.problems, untold: faults.untold }
}

function emptyItem(): IssueHint {
  return format('The list has an empty item. A value must stand before and after each comma.')
}

function format(detail: string): IssueHint {
  return { code: 'VALUE_INVALID_FORMAT', detail }
}
