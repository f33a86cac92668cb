import type { Uses } from '../declare/readable.ts'
import { FaultList, type Faults, type Problem } from '../errors.ts'
import { demand, judge, refused, type Verdict } from '../validate.ts'
import { brief, listed, quote, sentence } from '../wording.ts'
import { isList, isValid } from './list.ts'
import type { Parameters, Taken } from './parameters.ts'

/**
 * The parameters that were sent, decoded: an array where one is sent more than once, null where one cannot be decoded. The
 * fault of the latter has been added where the query string was read.
 */
export type SentParameters = Readonly<Record<string, string | readonly string[] | null>>

/** The parameters of a request without a query string. Readers know it by its identity. */
export const noParameters: SentParameters = Object.freeze({})

/** A query string whose parameters are judged one by one. */
export interface JudgedQuery extends Faults {
  /** The values of the valid parameters by name. */
  readonly values: Readonly<Record<string, unknown>>
  /** What the query sorts and filters by, as far as that can be told where other things are wrong. */
  readonly uses: Uses
  /** Are the sort and the filters valid, so that a cursor can be compared with them? */
  readonly hasScope: boolean
}

/** Judges each parameter by what its name takes. A parameter of another name is a fault (contract, section 6). */
export function judgeQuery(sent: SentParameters, taken: Parameters): JudgedQuery {
  const faults = new FaultList()
  const values: Record<string, unknown> = {}
  const filters: string[] = []
  let fields: readonly string[] = []
  let hasScope = true
  for (const [name, value] of Object.entries(sent)) {
    const known = Object.hasOwn(taken, name) ? taken[name]?.() : undefined
    if (!known) {
      faults.add(() => unknownParameter(name, Object.keys(taken)))
      continue
    }
    const { verdict, items } = judgeParameter(name, known, value)
    if (verdict.ok) {
      values[name] = verdict.value
    } else {
      faults.join(verdict)
    }
    const filter = /^filter\[(.*)\]$/.exec(name)?.[1]
    if (filter !== undefined) {
      filters.push(filter)
    }
    if (name === 'sort') {
      fields = items.map((item) => item.replace('-', ''))
    }
    hasScope &&= verdict.ok || (filter === undefined && name !== 'sort')
  }
  if (['page[cursor]', 'page[offset]'].every((name) => name in taken && name in sent)) {
    const detail = 'page[offset] cannot stand beside page[cursor].'
    faults.add(() => formatProblem('page[offset]', detail))
  }
  const uses = { sort: [...new Set(fields)], filter: filters }
  return { problems: faults.problems, untold: faults.untold, values, uses, hasScope }
}

/** The problem of a parameter that has the wrong form. */
export function formatProblem(parameter: string, detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { parameter: brief(parameter) } }
}

/** The verdict on one parameter. For a list it comes with the valid items, even where other items are invalid. */
function judgeParameter(
  name: string,
  taken: Taken,
  sent: SentParameters[string],
): { readonly verdict: Verdict<unknown>; readonly items: readonly string[] } {
  if (typeof sent !== 'string') {
    const twice = formatProblem(name, `${name} is sent more than once.`)
    return { verdict: refused({ problems: sent === null ? [] : [twice], untold: 0 }), items: [] }
  }
  if (isList(taken)) {
    const list = taken.judge(sent)
    const { items, faults } = list
    return {
      verdict: isValid(list) ? { ok: true, value: items } : refused(at(name, faults)),
      items,
    }
  }
  const verdict = judge(taken, sent, (issue, faults) => {
    faults.add(() => formatProblem(name, sentence(name, demand(issue), sent)))
  })
  return { verdict, items: [] }
}

/** The faults of a list, with the parameter that they stand in. */
function at(parameter: string, { problems, untold }: Faults): Faults {
  const source = { parameter }
  return { problems: problems.map((problem) => ({ ...problem, source })), untold }
}

function unknownParameter(name: string, allowed: readonly string[]): Problem {
  const source = { parameter: brief(name) }
  const types = allowed.filter((parameter) => parameter.startsWith('fields['))
  if (types.length > 0 && name.startsWith('fields[') && name.endsWith(']')) {
    return {
      code: 'INVALID_ENUM_VALUE',
      detail: `${quote(name)} is not one of: ${listed(types)}.`,
      source,
    }
  }
  const taken = allowed.length > 0 ? `takes: ${listed(allowed)}` : 'takes no parameter'
  const detail = `${quote(name)} is not taken here. This operation ${taken}.`
  return { code: 'UNEXPECTED_PARAMETER', detail, source }
}
