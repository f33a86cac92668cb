import type * as z from 'zod'
import { FaultList, type Faults } from '../errors.ts'
import { demand, type Issue, type IssueHint, parse, type Schema } from '../validate.ts'
import { listed, quote } from '../wording.ts'

/** Judges one item of a list: gives its value, or the problem with it. */
type JudgeItem = (item: string) => { readonly value: string } | { readonly hint: () => IssueHint }

/** The distinct valid items of a list, and its faults. */
interface JudgedList {
  readonly items: readonly string[]
  /** Problems without a source: the list does not know which parameter it stands in. */
  readonly faults: Faults
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
 * Turns a text into a list, by one rule for all parameters (contract, section 6). Items stand between commas. They are counted
 * as sent, and those past the bound are not judged. An empty text is an empty list, and an empty item is a fault. An item that
 * is repeated is judged once.
 */
export function toItems(judge: JudgeItem, most = Number.POSITIVE_INFINITY) {
  return (text: string, context: z.RefinementCtx): readonly string[] => {
    const list = judgeList(text, judge, most)
    if (list.faults.problems.length > 0) {
      context.issues.push({ code: 'custom', input: text, params: { list } })
    }
    return list.items
  }
}

/** The list that an issue of {@link toItems} is about; undefined for other issues. */
export function listOf(issue: Issue): JudgedList | undefined {
  return issue.code === 'custom' ? (issue.params?.list as JudgedList | undefined) : undefined
}

function judgeList(text: string, judge: JudgeItem, most: number): JudgedList {
  const sent = text === '' ? [] : text.split(',')
  const faults = new FaultList()
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
