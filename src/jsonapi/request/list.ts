import type * as z from 'zod'
import { FaultList, type Faults } from '../errors.ts'
import {
  demand,
  type Issue,
  type IssueHint,
  listed,
  parse,
  quote,
  type Schema,
} from '../validate.ts'

/** Judges one item of a list: what it means, or what is said of it. */
type JudgeItem = (item: string) => { readonly value: string } | { readonly hint: () => IssueHint }

/** The distinct items of a list that are good, and what is wrong with it. */
interface JudgedList {
  readonly items: readonly string[]
  /** Problems without a source: the list does not know which parameter it stands in. */
  readonly faults: Faults
}

/** Items that are names of a list. */
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

/** Items that a schema takes, and may normalise. */
export function ofSchema(schema: Schema<string, string>): JudgeItem {
  return (item) => {
    const result = parse(schema, item)
    return result.success
      ? { value: result.data }
      : { hint: () => format(`${quote(item)} ${result.error.issues.map(demand).join(' and ')}.`) }
  }
}

/**
 * Makes a list of a text in form style, by one rule for all parameters (contract, section 6): items are counted
 * as sent, and those past the bound are not judged; an empty text is an empty list; an empty item is a fault. What
 * stands there more than once is judged once.
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

/** The list that an issue is about, where {@link toItems} has found it. */
export function listOf(issue: Issue): JudgedList | undefined {
  return issue.code === 'custom' ? (issue.params?.list as JudgedList | undefined) : undefined
}

function judgeList(text: string, judge: JudgeItem, most: number): JudgedList {
  const sent = text === '' ? [] : text.split(',')
  const faults = new FaultList()
  if (sent.length > most) {
    faults.add(() => format(`It has ${sent.length} items: at most ${most} items are taken.`))
  }
  const items = new Set<string>()
  for (const item of new Set(sent.length > most ? sent.slice(0, most) : sent)) {
    if (item === '') {
      faults.add(() =>
        format('It has an empty item: something must stand before and after each comma.'),
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
