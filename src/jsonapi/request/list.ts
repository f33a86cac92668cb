import * as z from 'zod'
import { FaultList, type Faults } from '../errors.ts'
import { isStorable } from '../json.ts'
import { demand, type IssueHint, parse, type Schema } from '../validate.ts'
import { listed, quote } from '../wording.ts'

/** Judges one item of a list: gives its value, or the problem with it. */
type JudgeItem = (item: string) => { readonly value: string } | { readonly hint: () => IssueHint }

/** The distinct valid items of a list, and its faults. */
export interface JudgedList {
  readonly items: readonly string[]
  /** Problems without a source: the list does not know which parameter it stands in. */
  readonly faults: Faults
}

/** A list that a parameter takes. */
export interface List {
  /** Judges the text of a list. */
  readonly judge: (text: string) => JudgedList
  /** The schema that describes the items and their number. Requests are judged without it: they send a text. */
  readonly schema: () => Schema<readonly string[]>
}

/** Does a parameter take a list? */
export function isList(taken: List | Schema): taken is List {
  return 'judge' in taken
}

/** Has a list no faults? */
export function isValid({ faults }: JudgedList): boolean {
  return faults.problems.length === 0
}

/** A list of names, each of them one of these. */
export function listOfNames(known: readonly string[], most?: number): List {
  const item = oneOf(known)
  return {
    judge: (text) => judgeList(text, item, most),
    schema: () => bounded(z.array(z.enum(known as [string])), most),
  }
}

/** A list of values that are valid by a schema, which may normalise them. */
export function listOfValues(schema: Schema<string, string>, most: number): List {
  const item = ofSchema(schema)
  return {
    judge: (text) => judgeList(text, item, most),
    schema: () => bounded(z.array(z.string()), most),
  }
}

function bounded(list: z.ZodArray<z.ZodType<string>>, most?: number) {
  return most === undefined ? list : list.max(most)
}

/** Takes items that are one of these names. */
export function oneOf(names: readonly string[]): JudgeItem {
  const known = new Set(names)
  return (item) =>
    known.has(item)
      ? { value: item }
      : {
          hint: () => ({
            code: 'INVALID_ENUM_VALUE',
            detail: `${quote(item)} is not one of: ${listed(names)}.`,
          }),
        }
}

/** Takes items that are valid by a schema, which may normalise them. */
export function ofSchema(schema: Schema<string, string>): JudgeItem {
  return (item) => {
    const result = parse(schema, item)
    return result.success
      ? { value: result.data }
      : { hint: () => format(`${quote(item)} ${result.error.issues.map(demand).join(' and ')}.`) }
  }
}

/**
 * Judges a list, by one rule for all parameters (contract, section 6). Items stand between commas. They are counted as sent, and
 * those past the bound are not judged. An empty text is an empty list, and an empty item is a fault. An item that is repeated is
 * judged once.
 */
function judgeList(text: string, judge: JudgeItem, most = Number.POSITIVE_INFINITY): JudgedList {
  const faults = new FaultList()
  if (!isStorable(text)) {
    faults.add(() => format(`${quote(text)} must be well-formed and hold no NUL.`))
    return { items: [], faults }
  }
  const sent = text === '' ? [] : text.split(',')
  if (sent.length > most) {
    faults.add(() =>
      format(`The list has ${sent.length} items, but at most ${most} items are allowed.`),
    )
  }
  const items = new Set<string>()
  for (const item of new Set(sent.slice(0, most))) {
    if (item === '') {
      faults.add(() =>
        format('The list has an empty item. A value must stand before and after each comma.'),
      )
      continue
    }
    const judged = judge(item)
    if ('value' in judged) {
      items.add(judged.value)
    } else {
      faults.add(judged.hint)
    }
  }
  return { items: [...items], faults }
}

function format(detail: string): IssueHint {
  return { code: 'VALUE_INVALID_FORMAT', detail }
}
