import * as z from 'zod/mini'

// The documents of JSON:API 1.1, as far as this service makes them: https://jsonapi.org/format/1.1/#document-structure.

const names = /^[A-Za-z0-9\u0080-\uffff]([-\w \u0080-\uffff]*[A-Za-z0-9\u0080-\uffff])?$/
const memberName = z.string().check(z.regex(names))
const string = z.string()
/** What a member holds; the names of members are checked at any depth. */
const value: z.ZodMiniType = z.lazy(() =>
  z.union([string, z.number(), z.boolean(), z.null(), z.array(value), z.record(memberName, value)]),
)
const meta = z.optional(z.record(memberName, value))
const linksTo = <Name extends string>(...names: readonly Name[]) =>
  z.optional(z.partialRecord(z.enum(names), z.nullable(string)))
const pages = ['first', 'last', 'prev', 'next'] as const

/** A list in which no resource stands twice. */
const listOf = <Item extends z.ZodMiniType<Identifier>>(item: Item) =>
  z.array(item).check(
    z.refine((all) => new Set(all.map(({ type, id }) => `${type} ${id}`)).size === all.length, {
      error: 'Something stands twice',
    }),
  )

const identifier = z.strictObject({ type: string, id: string, meta })
/** A resource identifier, or the linkage-only half of a resource (JSON:API 1.1). */
export type Identifier = z.infer<typeof identifier>

const relationship = z
  .strictObject({
    links: linksTo('self', 'related', ...pages),
    data: z.optional(z.nullable(z.union([identifier, listOf(identifier)]))),
    meta,
  })
  .check(z.refine((members) => Object.keys(members).length > 0))
const fieldName = memberName.check(z.refine((name) => name !== 'type' && name !== 'id'))
const resource = z.extend(identifier, {
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into values they know
  attributes: z.optional(z.record(fieldName, value as z.ZodMiniType<any>)),
  relationships: z.optional(z.record(fieldName, relationship)),
  links: linksTo('self'),
})
/** A resource object as an answer holds it. */
export type Resource = z.infer<typeof resource>

const error = z.strictObject({
  ...{ id: string, code: string, title: string, detail: string },
  status: string.check(z.regex(/^[45]\d\d$/)),
  source: z.optional(z.partialRecord(z.enum(['pointer', 'parameter', 'header', 'path']), string)),
})
const jsonapi = z.strictObject({ version: z.literal('1.1'), ext: z.optional(z.array(string)) })
const document = z
  .strictObject({
    jsonapi,
    data: z.optional(z.nullable(z.union([resource, listOf(resource)]))),
    errors: z.optional(z.array(error).check(z.minLength(1))),
    // The one conflict: a full stop is no character of a member name.
    meta: z.optional(
      z.record(z.union([memberName, string.check(z.regex(/^pagination\.\w+$/))]), value),
    ),
    links: linksTo('self', 'related', 'describedby', ...pages),
    included: z.optional(listOf(resource)),
  })
  .check(
    z.refine(({ data, errors, meta }) =>
      data === undefined ? errors !== undefined || meta !== undefined : errors === undefined,
    ),
    z.refine(({ data, included }) => data !== undefined || included === undefined),
  )
/** What a transaction is answered with (https://jsonapi.org/ext/atomic). */
const transaction = z.strictObject({
  jsonapi,
  'atomic:results': z.array(z.strictObject({ data: z.optional(resource) })),
})

/** Any document of the service. */
export interface Document
  extends Omit<z.infer<typeof document>, 'data'>,
    Partial<Omit<z.infer<typeof transaction>, 'jsonapi'>> {
  // biome-ignore lint/suspicious/noExplicitAny: one resource or many, which the test knows
  readonly data?: any
}

/**
 * The document of an answer.
 *
 * @throws Error when the text is no JSON:API 1.1 document
 */
export function documentOf(text: string): Document {
  const parsed = JSON.parse(text)
  const { error } = ('atomic:results' in parsed ? transaction : document).safeParse(parsed)
  if (error) {
    throw new Error(`Not a JSON:API document: ${z.prettifyError(error)}\n${text}`)
  }
  return parsed
}

/** The meta of a page, nested and flat. */
export function pageMeta(pagination: Readonly<Record<string, string | number>>) {
  const flat = Object.entries(pagination).map(([name, value]) => [`pagination.${name}`, value])
  return { pagination, ...Object.fromEntries(flat) }
}
