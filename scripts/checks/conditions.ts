import { Column, is, Param, SQL } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import type { Filter } from '../../src/jsonapi/declare/resource.ts'
import { parse, type Schema } from '../../src/jsonapi/zod.ts'
import { examplesIn, schemaObject } from '../../src/openapi/json-schema.ts'

/** What a text becomes before it is compared, by what a column holds. */
const converted: Readonly<Record<string, string>> = {
  string: 'the text',
  number: 'Number(text)',
  boolean: "text === 'true'",
  date: 'new Date(text)',
}

/** The most characters before the `%` of a pattern: D1 takes 50 bytes, and a character has three at most, or four as two. */
const maxPattern = 16

/** Texts that callers send. */
const samples = ['', 'a', '1', '-1', 'true', '2026-01-02', '2026-01-02T03:04:05.678Z', 'a\\']

/** Some texts that a schema accepts. */
export function acceptedTexts(schema: Schema<string, string>): string[] {
  return [...examplesIn(schema), ...samples]
    .map(String)
    .filter((text) => parse(schema, text).success)
}

/** What is wrong with the condition of a filter that is no attribute, and what to write; undefined if nothing is. */
export function wrongCondition({ schema, stored }: Filter): string | undefined {
  for (const text of acceptedTexts(schema())) {
    let condition: SQL
    try {
      condition = stored.condition('main', text)
    } catch (error) {
      return `that fails for ${JSON.stringify(text)} (${error}): declare a schema that refuses it`
    }
    const [column, value] = misfitIn(condition) ?? []
    if (column) {
      const kind = value instanceof Date ? 'a date outside of an operator' : `a ${typeof value}`
      return `that compares ${column.name} with ${kind}: write an operator such as gte, with ${converted[column.dataType]}`
    }
    const { sql } = new SQLiteAsyncDialect().sqlToQuery(condition)
    const isShort = Number(schemaObject(schema(), 'output').maxLength) <= maxPattern
    if (/ (like|glob) /i.test(sql) && !isShort) {
      return `with like, which D1 takes in short: declare z.maxLength of ${maxPattern} at most`
    }
    if (/ like /i.test(sql) && text.includes('\\')) {
      return 'with like, which reads a backslash in two ways: declare a z.regex without it'
    }
  }
  return undefined
}

/** A column and a value of another kind that it is compared with, which the databases do not take alike; undefined if there is none. */
function misfitIn({ queryChunks }: SQL): readonly [column: Column, value: unknown] | undefined {
  const parts = queryChunks.flat()
  let column = parts.find((part) => is(part, Column))
  for (const part of parts) {
    const inner = is(part, SQL) ? misfitIn(part) : undefined
    if (inner) {
      return inner
    }
    column = is(part, Column) ? part : column
    const isBound = is(part, Param)
    const value = isBound ? part.value : part
    const kind = value instanceof Date ? 'date' : typeof value
    // Only an operator turns a date into the value of a column.
    const isPlain = kind in converted && (isBound || kind !== 'date')
    if (column && (isBound || kind !== 'object') && !(isPlain && kind === column.dataType)) {
      return [column, value]
    }
  }
  return undefined
}
