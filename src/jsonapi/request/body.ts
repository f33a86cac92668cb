import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import type { Relationship, ResourceDefinition } from '../declare/resource.ts'
import { faultCodes } from '../errors.ts'
import { hint, type Schema, upTo, whereSent } from '../validate.ts'
import { quote } from '../wording.ts'

/** The most identifiers that one body may hold (contract, section 6). */
export const mostIdentifiers = 100

/** The longest id, in characters (contract, section 6). */
export const longestId = 64

/** The detail of the fault of an id that is empty, too long or not storable (contract, section 6). */
export function notAnId(sent: unknown): string {
  return `${quote(sent)} is not an id. An id has 1 to ${longestId} characters, without NUL and lone surrogates.`
}

/** Operations whose requests carry a resource object. */
export type ResourceWrite = 'create' | 'update'
/** Operations whose requests carry linkage. */
export type LinkageWrite = 'replaceOne' | 'replaceMany' | 'addMany' | 'removeMany'

/** An optional object with any members (JSON:API 1.1, "Meta Information"). */
export const meta = lazy(() => z.looseObject({}).optional())

const topLevel = lazy(() => ({
  meta: meta(),
  jsonapi: meta(),
  links: meta(),
  included: z.array(z.unknown()).optional(),
}))

/** The schema of a request body that holds a resource object (contract, section 6). */
export function resourceBody(definition: ResourceDefinition, operation: ResourceWrite): Schema {
  const { type, attributes, relationships } = definition
  const isCreate = operation === 'create'
  const attributeSchemas = Object.entries(attributes).map(([name, { schema, required }]) => [
    name,
    isCreate && required ? schema() : whereSent(schema),
  ])
  const attributesSchema = z.strictObject(Object.fromEntries(attributeSchemas))
  const isRequired = isCreate && Object.values(attributes).some(({ required }) => required)
  const writable = Object.entries(relationships)
    .filter(([, relationship]) => isWritable(relationship))
    .map(([name, relationship]) => [
      name,
      whereSent(() =>
        z.strictObject({
          data: linkageSchema(relationship, true),
          links: meta(),
          meta: meta(),
        }),
      ),
    ])
  return z.strictObject({
    data: z.strictObject({
      type: z
        .string()
        .refine(
          (value) => value === type,
          hint(faultCodes.otherType, `must be ${type}, the type of this collection`),
        )
        .meta({ enum: [type] }),
      id: isCreate ? noId().optional() : z.string(),
      lid: z.string().optional(),
      attributes: isRequired ? attributesSchema : attributesSchema.optional(),
      relationships: whereSent(() => z.strictObject(Object.fromEntries(writable))),
      links: meta(),
      meta: meta(),
    }),
    ...topLevel(),
  })
}

/** The schema of a request body that holds linkage (contract, section 6). */
export function linkageBody(relationship: Relationship, operation: LinkageWrite): Schema {
  return z.strictObject({
    data: linkageSchema(relationship, operation !== 'removeMany'),
    ...topLevel(),
  })
}

const noId = lazy(() =>
  z
    .unknown()
    .refine(
      // The schema is optional, so that this runs only where an id is sent.
      () => false,
      hint(faultCodes.clientId, 'must be left out: the server assigns it'),
    )
    .meta({ not: {} }),
)

/** Can a resource object in a body hold the relationship? It can where the relationship can be replaced. */
export function isWritable({ operations }: Relationship): boolean {
  return 'replaceOne' in operations || 'replaceMany' in operations
}

function linkageSchema(relationship: Relationship, withMeta: boolean): Schema {
  const members = {
    type: z.enum([relationship.target]),
    id: z.string().min(1).max(longestId),
    lid: z.string().optional(),
    meta: metaSchema(relationship, withMeta),
  }
  return relationship.cardinality === 'one'
    ? z.strictObject(members, { error: orNull }).nullable()
    : upTo(mostIdentifiers, z.strictObject(members))
}

/** What an identifier must be that may be null: the schema without null, which finds the fault, does not know that. */
function orNull({ code }: z.core.$ZodRawIssue): string | undefined {
  return code === 'invalid_type' ? 'must be an object or null' : undefined
}

/**
 * The schema of `meta` of an identifier: the members that the relationship declares and no others (contract, section 6). They
 * are optional where members are removed.
 */
function metaSchema(relationship: Relationship, isRequired: boolean): Schema {
  const declared = Object.entries(
    (relationship.cardinality === 'many' && relationship.meta) || {},
  ).map(([name, { schema }]) => [name, isRequired ? schema() : z.optional(schema())])
  const schema = z.strictObject(Object.fromEntries(declared))
  return isRequired && declared.length > 0 ? schema : schema.optional()
}
