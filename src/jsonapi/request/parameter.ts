import * as z from 'zod/mini'
import { lazy } from '../../lib/lazy.ts'
import { FaultList, type Faults, type Problem } from '../errors.ts'
import { isStorable } from '../json.ts'
import { demand, judge, parse, type Schema } from '../validate.ts'
import { listed, quote, sentence } from '../wording.ts'

/**
 * A query parameter that an operation takes. Its schemas are made when it is first sent, because making those of all parameters would
 * take a tenth of an isolate's first request.
 */
export interface Parameter {
  readonly name: string
  readonly judge: (text: string) => JudgedParameter
  /** The schema that describes its value. Lists are judged without it. */
  readonly schema: () => Schema
}

/** The faults of a parameter that was sent, and its value. That of a list is its distinct valid items, even where others have faults. */
export interface JudgedParameter extends Faults {
  readonly value: unknown
}

/** Has a parameter no faults? */
export function isValid({ problems }: JudgedParameter): boolean {
  return problems.length === 0
}

/** The problem of a parameter that has the wrong form. */
export function formatProblem(parameter: string, detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { parameter } }
}

/** A parameter that takes a single value. */
export function singleValue(name: string, make: () => Schema): Parameter {
  const schema = lazy(make)
  return {
    name,
    judge(text) {
      const verdict = judge(schema(), text, (issue, faults) => {
        faults.add(() => formatProblem(name, sentence(name, demand(issue), text)))
      })
      return verdict.ok
        ? { value: verdict.value, problems: [], omitted: 0 }
        : { ...verdict, value: undefined }
    },
    schema,
  }
}

/** A parameter that takes a list of names, each of them one of these. */
export function listOfNames(
  name: string,
  names: () => readonly string[],
  most?: number,
): Parameter {
  const known = lazy(() => new Set(names()))
  const take: Take = (item) =>
    known().has(item)
      ? item
      : () => ({
          code: 'INVALID_ENUM_VALUE',
          detail: `${quote(item)} is not one of: ${listed([...known()])}.`,
          source: { parameter: name },
        })
  return {
    name,
    judge: (text) => judgeList(name, text, take, most),
    schema: () => bounded(z.array(z.enum([...known()])), most),
  }
}

/** A parameter that takes a list of values, which are valid by a schema. It may normalise them. */
export function listOfValues(
  name: string,
  make: () => Schema<string, string>,
  most: number,
): Parameter {
  const schema = lazy(make)
  const take: Take = (item) => {
    const result = parse(schema(), item)
    return result.success
      ? result.data
      : () =>
          formatProblem(name, `${quote(item)} ${result.error.issues.map(demand).join(' and ')}.`)
  }
  return {
    name,
    judge: (text) => judgeList(name, text, take, most),
    schema: () => bounded(z.array(z.string()), most),
  }
}

function bounded(list: z.ZodMiniArray<z.ZodMiniType<string>>, most?: number) {
  return most === undefined ? list : list.check(z.maxLength(most))
}

/** Gives the value of a valid item. For another it gives the function that makes its problem. */
type Take = (item: string) => string | (() => Problem)

/**
 * Judges a list, by one rule for all parameters (contract, section 6). Items stand between commas. They are counted as sent, and
 * those past the bound are not judged. An empty text is an empty list, and an empty item is a fault. An item that is repeated is
 * judged once.
 */
function judgeList(
  name: string,
  text: string,
  take: Take,
  most = Number.POSITIVE_INFINITY,
): JudgedParameter {
  const faults = new FaultList()
  const add = (detail: string) => faults.add(() => formatProblem(name, detail))
  const isText = isStorable(text)
  if (!isText) {
    add(`${quote(text)} must be well-formed and hold no NUL.`)
  }
  const sent = isText && text !== '' ? text.split(',') : []
  if (sent.length > most) {
    add(`The list has ${sent.length} items, but at most ${most} items are allowed.`)
  }
  const items = new Set<string>()
  for (const item of new Set(sent.slice(0, most))) {
    const taken = item === '' ? undefined : take(item)
    if (taken === undefined) {
      add('The list has an empty item. A value must stand before and after each comma.')
    } else if (typeof taken === 'string') {
      items.add(taken)
    } else {
      faults.add(taken)
    }
  }
  return { value: [...items], problems: faults.problems, omitted: faults.omitted }
}
