import fc, { type Arbitrary } from 'fast-check'
import type { SchemaObject } from '../http/description/read-description.ts'

/** Stands for the id in the path, which is known only when the request is made. */
export const pathId = '{path id}'

/** Stands for text that no other request holds, or an e-mail address would be somebody's already. */
export const unique = '{unique}'

/** The value with what the placeholders in it stand for. */
export function filled<Value>(value: Value, id: string, text: string): Value {
  const quoted = JSON.stringify(id).slice(1, -1)
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll(pathId, () => quoted)
      .replaceAll(unique, () => text),
  )
}

/** Ids that exist, by type. */
export type Ids = Readonly<Record<string, readonly string[]>>

/** Any text but what no JSON may hold: odd Unicode, controls and all. It begins with a letter, so it is never blank. */
export function textOf(least: number, most: number): Arbitrary<string> {
  const rest = fc.string({
    unit: fc.oneof(
      { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 1 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\u202e', '\u0001', 'é', '😀', '\ufeff', '\uffff', '"', '\\'),
      },
    ),
    minLength: Math.max(0, least - 1),
    maxLength: Math.max(0, Math.min(most - 1, 40)),
  })
  const longest = most < 10_000 ? [fc.constant('y'.repeat(Math.max(0, most - 1)))] : []
  // White space at the end might be trimmed, which is not tested here.
  return fc.oneof({ weight: 9, arbitrary: rest }, ...longest).map((text) => `x${text.trimEnd()}`)
}

/** Values that a schema of a request allows, and that make sense: what is referred to exists. */
export function valid(schema: SchemaObject, ids: Ids): Arbitrary<unknown> {
  const value = fc.memo(() => ofType(schema, ids))()
  return schema.nullable
    ? fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: value })
    : value
}

function ofType(schema: SchemaObject, ids: Ids): Arbitrary<unknown> {
  if (schema.enum) {
    return fc.constantFrom(...schema.enum)
  }
  switch (schema.type) {
    case 'object':
      return objectOf(schema, ids)
    case 'array':
      return arrayOf(schema, ids)
    case 'string':
      return schema.format === 'date-time' ? time : stringOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return wholeNumber(schema)
    default:
      return anything
  }
}

const [firstTime, lastTime] = [
  new Date('0001-01-01T00:00:00Z'),
  new Date('9999-12-31T23:59:59.999Z'),
]

const time = fc
  .oneof(
    { weight: 4, arbitrary: fc.date({ min: firstTime, max: lastTime, noInvalidDate: true }) },
    { weight: 1, arbitrary: fc.constantFrom(firstTime, lastTime, new Date(0)) },
  )
  .map((date) => date.toISOString())

/** Whole numbers, often a bound. */
function wholeNumber({
  minimum: min = Number.MIN_SAFE_INTEGER,
  maximum: max = Number.MAX_SAFE_INTEGER,
}: SchemaObject) {
  const small = fc.integer({ min: Math.max(min, -9), max: Math.min(max, 9) })
  return fc.oneof(small, fc.constantFrom(min, max))
}

function stringOf({
  pattern,
  minLength = 0,
  maxLength = 10_000,
}: SchemaObject): Arbitrary<unknown> {
  // E-mail addresses are told by what their pattern needs: each belongs to one user.
  if (pattern?.includes('@')) {
    return fc.stringMatching(/^[A-Za-z0-9_+]{1,20}$/).map((name) => `${name}-${unique}@example.com`)
  }
  if (pattern === undefined) {
    return textOf(minLength, maxLength)
  }
  const regular = new RegExp(pattern)
  const lengthOf = (text: string) => [...text].length
  // Odd texts, as far as the pattern takes them, find more than texts made from it. From one that excludes, these take long to make.
  const made = pattern.includes('[^') ? [] : [fc.stringMatching(regular)]
  return fc
    .oneof(
      textOf(minLength, maxLength).map((text) => (regular.test(text) ? text : 'x')),
      ...made,
    )
    .filter(
      (text) => regular.test(text) && minLength <= lengthOf(text) && lengthOf(text) <= maxLength,
    )
}

/** Small JSON for members that may hold anything. */
const anything: Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  .filter((value) => isPlain(JSON.stringify(value)))

/** Does the text hold neither what a request must not, nor a name that is refused? */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\\u0000|\\ud[89a-f]|__proto__|\\u0{0,4}$/i.test(text)
}

function objectOf(schema: SchemaObject, ids: Ids): Arbitrary<unknown> {
  const { properties = {}, required = [], minProperties = 0 } = schema
  const type = properties.type?.enum?.[0]
  const isIdentifier = properties.id && typeof type === 'string' && !properties.attributes
  const members = Object.entries(properties).map(([name, member]) => {
    if (name !== 'id' || member.enum) {
      return [name, valid(member, ids)] as const
    }
    return [
      name,
      isIdentifier ? fc.constantFrom(...(ids[String(type)] ?? ['1'])) : fc.constant(pathId),
    ] as const
  })
  return members.length === 0 && schema.additionalProperties !== false
    ? fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), anything, { maxKeys: 3 })
    : fc
        .record(Object.fromEntries(members), { requiredKeys: [...required], noNullPrototype: true })
        .filter((value) => Object.keys(value as object).length >= minProperties)
}

function arrayOf({ items = {}, maxItems = 4 }: SchemaObject, ids: Ids): Arbitrary<unknown> {
  const item = valid(items, ids)
  const isLinkage = items.properties?.id !== undefined
  const options = {
    // Each person has one relationship to another.
    ...(isLinkage && { selector: (value: unknown) => (value as { id: string }).id }),
    ...(!isLinkage && { comparator: () => false }),
  }
  const several = (minLength: number, maxLength: number) =>
    fc.uniqueArray(item, { minLength, maxLength, ...options }).map(fitting)
  const few = several(0, Math.min(maxItems, 4))
  const many = several(Math.min(maxItems, 20), Math.min(maxItems, 20))
  return isLinkage ? few : fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: many })
}

/** The bytes that addresses may be as JSON. OpenAPI has no words for it. */
const mostBytes = 2_048

/** The first items, as many as are within the bytes. */
function fitting(items: readonly unknown[]): readonly unknown[] {
  return items.filter(
    (_, index) => Buffer.byteLength(JSON.stringify(items.slice(0, index + 1))) <= mostBytes,
  )
}
