import {
  type LinkageWrite,
  linkageBody,
  mostIdentifiers,
  type ResourceWrite,
  resourceBody,
} from './body.ts'
import type { Problem } from './errors.ts'
import { isStorable, pointerToken } from './json.ts'
import type { Operation } from './operation.ts'
import type { ResourceDefinition } from './resource.ts'
import type { Identifier } from './store.ts'
import {
  check,
  demand,
  hintOf,
  type Issue,
  listed,
  pointerTo,
  quote,
  type Schema,
  type Verdict,
  valueAt,
} from './validate.ts'

/** What the body of a write says. Absent members stay untouched. */
export interface Payload {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, readonly Identifier[]>>
}

/** Judges a parsed body of an operation. `id` is the one in the path. */
export type BodyReader = (body: object, id: string | undefined) => Verdict<Payload>

/** Reads bodies of one operation. Build it once; it compiles the schema. */
export function bodyReader(
  definition: ResourceDefinition,
  operation: Operation,
  relationship: string | undefined,
): BodyReader {
  const related = relationship === undefined ? undefined : definition.relationships[relationship]
  const schema = (
    related
      ? linkageBody(related, operation as LinkageWrite)
      : resourceBody(definition, operation as ResourceWrite)
  ) as Schema<Body>
  return (body, id) => {
    const verdict = check(schema, body, (issue, input) => problemsOf(issue, input, definition))
    const problems = [
      ...(verdict.ok ? [] : verdict.problems),
      ...(related ? [] : idProblems(body, id)),
      // What is removed need not be there, so that it may be what never can be.
      ...(operation === 'removeMany' ? [] : linkProblems(definition, body, relationship, id)),
    ]
    return verdict.ok && problems.length === 0
      ? { ok: true, value: payloadOf(verdict.value, relationship) }
      : { ok: false, problems }
  }
}

/** The pointer to a relationship's linkage in a body. */
export function linkagePointer(relationship: string, onRelationship: boolean): string {
  return onRelationship ? '/data' : `/data/relationships${pointerToken(relationship)}/data`
}

/** Linkage of a body by relationship, as far as the body has the form of one. */
function linkagesOf(
  { relationships }: ResourceDefinition,
  body: object,
  relationship: string | undefined,
): [relationship: string, linkage: unknown][] {
  if (relationship !== undefined) {
    return [[relationship, valueAt(body, ['data'])]]
  }
  const sent = valueAt(body, ['data', 'relationships'])
  return Object.keys(relationships).map((name) => [name, valueAt(sent, [name, 'data'])])
}

type LinkageData = Identifier | readonly Identifier[] | null

/** What a body that passed its schema looks like. */
type Body = ResourceBody | { readonly data: LinkageData }

interface ResourceBody {
  readonly data: {
    readonly attributes?: Readonly<Record<string, unknown>>
    readonly relationships?: Readonly<Record<string, { readonly data: LinkageData }>>
  }
}

function payloadOf(body: Body, relationship: string | undefined): Payload {
  if (relationship !== undefined) {
    const { data } = body as { readonly data: LinkageData }
    return { attributes: {}, relationships: { [relationship]: linksOf(data) } }
  }
  const { attributes = {}, relationships = {} } = (body as ResourceBody).data
  const links = Object.entries(relationships).map(([name, { data }]) => [name, linksOf(data)])
  return { attributes, relationships: Object.fromEntries(links) }
}

function linksOf(linkage: LinkageData): readonly Identifier[] {
  return linkage === null ? [] : [linkage].flat()
}

function idProblems(body: object, id: string | undefined): Problem[] {
  const sent = valueAt(body, ['data', 'id'])
  return id === undefined || typeof sent !== 'string' || sent === id
    ? []
    : [
        {
          code: 'CONFLICT',
          detail: `${quote(sent)} is not the id in the path, ${quote(id)}.`,
          source: { pointer: '/data/id' },
        },
      ]
}

/** What no schema of one identifier can say: their number in all, members twice, and the resource itself. */
function linkProblems(
  definition: ResourceDefinition,
  body: object,
  relationship: string | undefined,
  id: string | undefined,
): Problem[] {
  const format = (detail: string, pointer: string): Problem => ({
    code: 'VALUE_INVALID_FORMAT',
    detail,
    source: { pointer },
  })
  const problems: Problem[] = []
  let count = 0
  for (const [name, linkage] of linkagesOf(definition, body, relationship)) {
    const items: unknown[] = Array.isArray(linkage) ? linkage : []
    const declared = definition.relationships[name]
    const metaNames = declared?.cardinality === 'many' ? Object.keys(declared.meta ?? {}) : []
    const seen = new Map<unknown, string>()
    count += items.length
    items.forEach((item, index) => {
      const pointer = `${linkagePointer(name, relationship !== undefined)}/${index}`
      const itemId = valueAt(item, ['id'])
      const said = JSON.stringify(metaNames.map((member) => valueAt(item, ['meta', member])))
      if (itemId !== undefined && (seen.get(itemId) ?? said) !== said) {
        problems.push(format(`${quote(itemId)} stands here twice, with different meta.`, pointer))
      }
      seen.set(itemId, said)
      if (declared?.cardinality === 'many' && declared.reflexive === false && itemId === id && id) {
        problems.push(format('A resource cannot be related to itself here.', `${pointer}/id`))
      }
    })
  }
  if (relationship === undefined && count > mostIdentifiers) {
    const detail = `At most ${mostIdentifiers} identifiers in one body.`
    problems.push(format(detail, '/data/relationships'))
  }
  return problems
}

function problemsOf(issue: Issue, input: unknown, definition: ResourceDefinition): Problem[] {
  const pointer = pointerTo(input, issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => ({
      code: 'VALUE_INVALID_FORMAT',
      detail: `${quote(name)} is not taken here. ${issue.message}.`,
      source: { pointer: pointer + pointerToken(name) },
    }))
  }
  const source = { pointer }
  const said = hintOf(issue)
  if (said) {
    return [{ ...said, source }]
  }
  const value = valueAt(input, issue.path)
  const name = String(issue.path.at(-1))
  if (value === undefined || value === null) {
    const fault = value === null ? 'must not be null' : 'is required'
    return [{ code: 'VALUE_IS_ABSENT', detail: `${quote(name)} ${fault}.`, source }]
  }
  if (typeof value === 'string' && !isStorable(value)) {
    return []
  }
  const sensitive = definition.attributes[String(issue.path[2])]?.sensitive
  const shown = sensitive || typeof value === 'object' ? quote(name) : quote(value)
  return issue.code === 'invalid_value'
    ? [
        {
          code: 'INVALID_ENUM_VALUE',
          detail: `${shown} is not one of: ${listed(issue.values)}.`,
          source,
        },
      ]
    : [{ code: 'VALUE_INVALID_FORMAT', detail: `${shown}: ${demand(issue)}.`, source }]
}
