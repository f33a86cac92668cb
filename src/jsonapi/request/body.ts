import * as z from 'zod/mini'
import { lazy } from '../../lib/cache.ts'
import type { Endpoint, Place } from '../declare/registry.ts'
import {
  identifierMeta,
  type Relationship,
  type ResourceDefinition,
  writableAttributes,
  writableRelationships,
} from '../declare/resource.ts'
import { type Identifier, isObject, isStorable, pointerOf, pointerToken } from '../json.ts'
import {
  brief,
  type ErrorCode,
  faultCodes,
  type ProblemList,
  quote,
  sentence,
} from '../problems.ts'
import { type Issue, parse, pointerTo, type Schema, validateWith, valueAt } from '../zod.ts'

/** The maximum number of identifiers in one body. */
export const maxIdentifiers = 100

/** The maximum length of an id, in characters. */
export const maxIdLength = 64

/** Could the text be an id? Characters are code points, as in JSON Schema. */
export function isResourceId(text: string): boolean {
  const isShort = text.length <= 2 * maxIdLength && [...text].length <= maxIdLength
  return text !== '' && isShort && isStorable(text)
}

/** The detail of the problem of an id that is empty, too long or not storable. */
export function notAnId(sent: unknown): string {
  return `${quote(sent)} is not an id. An id has 1 to ${maxIdLength} characters, without NUL and lone surrogates.`
}

/** An optional object with any members (JSON:API 1.1, "Meta Information"). */
export const meta = lazy(() => z.optional(z.looseObject({})))

/** The schema of the body of an operation: a document with a resource object, or with linkage. */
export function bodySchema({ definition, operation, declared }: Endpoint): Schema {
  return z.strictObject({
    data: declared
      ? linkageSchema(declared, operation !== 'removeMany')
      : sentResourceSchema(definition, operation === 'create'),
    meta: meta(),
    jsonapi: meta(),
    links: meta(),
    included: z.optional(z.array(z.unknown())),
  })
}

function sentResourceSchema(definition: ResourceDefinition, isCreate: boolean): Schema {
  const { type, attributes } = definition
  const sent = writableAttributes(definition).map(([name, { schema, required }]) => [
    name,
    isCreate && required ? schema() : z.optional(schema()),
  ])
  const attributesSchema = z.strictObject(Object.fromEntries(sent))
  const isRequired = isCreate && Object.values(attributes).some(({ required }) => required)
  const linkages = writableRelationships(definition).map(([name, relationship]) => [
    name,
    z.optional(
      z.strictObject({ data: linkageSchema(relationship, true), links: meta(), meta: meta() }),
    ),
  ])
  return z.strictObject({
    type: z.string().check(
      z.refine((value) => value === type, {
        error: `must be ${type}, the type of this collection`,
        params: { code: faultCodes.otherType },
      }),
      z.meta({ enum: [type] }),
    ),
    id: isCreate ? noId() : z.string(),
    lid: z.optional(z.string()),
    attributes: isRequired ? attributesSchema : z.optional(attributesSchema),
    relationships: z.optional(z.strictObject(Object.fromEntries(linkages))),
    links: meta(),
    meta: meta(),
  })
}

/** The schema of an id that must not be sent. Null is no id. */
function noId() {
  return z.optional(
    z.unknown().check(
      z.refine((value) => value === null, {
        error: 'must be left out: the server assigns it',
        params: { code: faultCodes.clientId },
      }),
      z.meta({
        type: 'string',
        nullable: true,
        enum: [null],
        description: 'The server assigns it.',
      }),
    ),
  )
}

function linkageSchema(relationship: Relationship, withMeta: boolean): Schema {
  const members = {
    type: z.enum([relationship.target]),
    id: z.string().check(z.minLength(1), z.maxLength(maxIdLength)),
    lid: z.optional(z.string()),
    meta: metaSchema(relationship, withMeta),
  }
  return relationship.cardinality === 'one'
    ? z.nullable(z.strictObject(members, { error: orNull }))
    : z.array(z.strictObject(members)).check(z.maxLength(maxIdentifiers))
}

/** The message for a wrong identifier that may be null. Zod takes that of the inner schema, which leaves null out. */
function orNull({ code }: z.core.$ZodRawIssue): string | undefined {
  return code === 'invalid_type' ? 'must be an object or null' : undefined
}

/**
 * The schema of `meta` of an identifier: the members that the relationship declares. They are optional if members are removed.
 * Other members have no effect.
 */
function metaSchema(relationship: Relationship, isRequired: boolean): Schema {
  const declared = Object.entries(identifierMeta(relationship) ?? {}).map(([name, { schema }]) => [
    name,
    isRequired ? schema() : z.optional(schema()),
  ])
  const schema = z
    .object(Object.fromEntries(declared))
    .check(z.meta({ additionalProperties: true }))
  return isRequired && declared.length > 0 ? schema : z.optional(schema)
}

/** The number of identifiers in linkage, of a to-many or a to-one relationship. Null is none. */
export function identifiersOf(linkage: unknown): number {
  return Array.isArray(linkage) ? linkage.length : isObject(linkage) ? 1 : 0
}

/** The content of the body of a write. Attributes and relationships that are absent stay unchanged. */
export interface Payload {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, readonly Identifier[]>>
}

/** The content of a body that is ignored. */
export const emptyPayload: Payload = { attributes: {}, relationships: {} }

/**
 * Creates the reader of the parsed bodies of an operation, whose target has the `id`. It adds the problems of a body. Its result is used only
 * if it has added no problem. Call it once: the reader keeps its schemas.
 */
export function bodyReader(endpoint: Endpoint) {
  const { operation, relationship } = endpoint
  const schema = bodySchema(endpoint)
  return (body: object, id: string | undefined, problems: ProblemList): Payload | undefined => {
    const valid = validateWith(schema, body, (issue) =>
      reportIssue(issue, problems, body, endpoint),
    )
    if (relationship === undefined) {
      addIdProblem(body, id, problems)
    }
    // A removal does no harm if it names members that do not or cannot exist, so only other operations check them.
    if (operation !== 'removeMany') {
      addMemberProblems(linkagesIn(body, endpoint), id, problems)
    }
    if (valid === undefined) {
      return undefined
    }
    const attributes = relationship === undefined ? valueAt(valid, ['data', 'attributes']) : {}
    const members = linkagesIn(valid, endpoint).map(({ name, linkage }) => [
      name,
      linkage === null ? [] : [linkage].flat(),
    ])
    const relationships = Object.fromEntries(members)
    return { attributes: Object(attributes), relationships }
  }
}

/** The pointer to the linkage of a relationship in a body. */
export function linkagePointer(relationship: string, onRelationship: boolean): string {
  return onRelationship ? '/data' : `/data/relationships${pointerToken(relationship)}/data`
}

/** The linkage in a body: that of one relationship, or of each relationship in a resource object. It need not be valid. */
export function linkagesIn(body: unknown, place: Place) {
  const isOne = place.declared !== undefined
  const all = isOne ? { [place.relationship]: place.declared } : place.definition.relationships
  return Object.entries(all).flatMap(([name, declared]) => {
    const linkage = valueAt(body, isOne ? ['data'] : ['data', 'relationships', name, 'data'])
    return linkage === undefined
      ? []
      : { name, declared, linkage, pointer: linkagePointer(name, isOne) }
  })
}

/** Adds the problem of a resource object with another id than its target has. */
function addIdProblem(body: object, id: string | undefined, problems: ProblemList): void {
  const sent = valueAt(body, ['data', 'id'])
  if (id !== undefined && typeof sent === 'string' && sent !== id) {
    const [own, target] = [problems.nameOf(sent), problems.nameOf(id)]
    const detail = `"${own.member}" is ${quote(own.value)}, but the target has the ${target.member} ${quote(target.value)}.`
    problems.addProblem(detail, { pointer: `/data/${own.member}` }, faultCodes.otherId)
  }
}

/**
 * Adds the problems that the schema of a single identifier cannot find: too many identifiers in all relationships, a member that
 * is sent twice with different `meta`, and a resource that is related to itself.
 */
function addMemberProblems(
  linkages: ReturnType<typeof linkagesIn>,
  id: string | undefined,
  problems: ProblemList,
): void {
  const add = (detail: string, pointer: string): void => problems.addProblem(detail, { pointer })
  for (const { declared, linkage, pointer } of linkages) {
    const isReflexive = declared.cardinality !== 'many' || declared.reflexive !== false
    const metaNames = Object.keys(identifierMeta(declared) ?? {})
    const seen = new Map<unknown, string>()
    // The schema refuses a list that is too long, so identifiers past the bound are not validated here.
    const items: readonly unknown[] = Array.isArray(linkage) ? linkage.slice(0, maxIdentifiers) : []
    for (const [index, item] of items.entries()) {
      const itemId = valueAt(item, ['id'])
      const meta = JSON.stringify(metaNames.map((member) => valueAt(item, ['meta', member])))
      const { member, value } = problems.nameOf(itemId)
      if (itemId !== undefined && (seen.get(itemId) ?? meta) !== meta) {
        add(
          `The ${member} ${quote(value)} stands in this list twice with different meta. Send each member once.`,
          `${pointer}/${index}`,
        )
      }
      seen.set(itemId, meta)
      if (!isReflexive && itemId === id && id) {
        add(
          'A resource cannot be a member of this relationship of its own.',
          `${pointer}/${index}/${member}`,
        )
      }
    }
  }
  const counts = linkages.map(({ linkage }) => Math.min(identifiersOf(linkage), maxIdentifiers))
  if (counts.reduce((sum, count) => sum + count, 0) > maxIdentifiers) {
    add(
      `The relationships hold more than ${maxIdentifiers} identifiers together, and at most ${maxIdentifiers} are allowed.`,
      '/data/relationships',
    )
  }
}

/**
 * Adds the problems that an issue of Zod with a body stands for.
 *
 * @param endpoint that of the body, if it is that of a single operation
 */
export function reportIssue(
  issue: Issue,
  problems: ProblemList,
  body: object,
  endpoint?: Endpoint,
): void {
  const { path } = issue
  const value = valueAt(body, path)
  if (issue.code === 'unrecognized_keys') {
    for (const member of issue.keys.map((name) => [...path, name])) {
      problems.add(() => ({
        code: 'VALUE_INVALID_FORMAT',
        detail: `${memberName(member)} is not allowed here. ${issue.message}.`,
        source: { pointer: pointerOf(member) },
      }))
    }
  } else if (value === undefined || value === null) {
    for (const [at, { code, message }] of absencesOf(issue, value, endpoint)) {
      const fault = value === null && at === path ? 'must not be null' : 'is required'
      const allowed = code === 'invalid_value' ? `, and ${message}` : ''
      problems.add(() => ({
        code: 'VALUE_IS_ABSENT',
        detail: `${memberName(at)} ${fault}${allowed}.`,
        source: { pointer: pointerTo(body, path) },
      }))
    }
  } else if (typeof value !== 'string' || isStorable(value)) {
    // `parseBody` has added the problem of a string that cannot be stored.
    const { sensitive } = endpoint?.definition.attributes[String(path[2])] ?? {}
    problems.add(() => ({
      code: codeOf(issue),
      detail: sentence(memberName(path), issue.message, sensitive ? undefined : value),
      source: { pointer: pointerTo(body, path) },
    }))
  }
}

/** The paths that are absent, and their issues. If an object is absent, its required members are named in its place. */
function absencesOf(issue: Issue, value: null | undefined, endpoint?: Endpoint) {
  const { path } = issue
  const { attributes = {}, relationships = {} } = endpoint?.definition ?? {}
  let members: readonly (readonly [name: string, { readonly schema: () => Schema }])[] = []
  if (endpoint?.operation === 'create' && path.join('/') === 'data/attributes') {
    members = Object.entries(attributes).filter(([, { required }]) => required)
  } else if (value === undefined && path.at(-1) === 'meta') {
    const declared = endpoint?.declared ?? relationships[String(path[2])]
    members = Object.entries(identifierMeta(declared) ?? {})
  }
  const absences = members.map(([name, { schema }]): readonly [readonly PropertyKey[], Issue] => {
    const [missing = issue] = parse(schema(), undefined).error?.issues ?? []
    return [[...path, name], missing]
  })
  return absences.length > 0 ? absences : [[path, issue] as const]
}

/**
 * The name of a value in a sentence: the name of the member, after that of `meta` if it stands in one. For an item of an array it is
 * the name of the array and the index.
 */
function memberName(path: readonly PropertyKey[]): string {
  const start = path.findLastIndex((step) => typeof step !== 'number')
  const above = path[start - 1] === 'meta' ? 'meta.' : ''
  const name = JSON.stringify(above + brief(String(path[start])))
  return path.slice(start + 1).reduce<string>((text, index) => `${text}[${String(index)}]`, name)
}

/** The code that the schema declares for an issue, or else that of its kind. */
function codeOf(issue: Issue): ErrorCode {
  const declared: ErrorCode | undefined = issue.code === 'custom' ? issue.params?.code : undefined
  const isChoice = issue.code === 'invalid_value'
  return declared ?? (isChoice ? 'INVALID_ENUM_VALUE' : 'VALUE_INVALID_FORMAT')
}
