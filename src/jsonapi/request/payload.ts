import type { Operation } from '../declare/operation.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import type { Identifier } from '../document.ts'
import type { FaultList, Problem } from '../errors.ts'
import { isStorable, pointerOf, pointerToken } from '../json.ts'
import {
  brief,
  check,
  demand,
  faultsOf,
  hintOf,
  type Issue,
  type IssueHint,
  pointerTo,
  quote,
  refused,
  type Schema,
  sentence,
  type Verdict,
  valueAt,
} from '../validate.ts'
import {
  type LinkageWrite,
  linkageBody,
  mostIdentifiers,
  type ResourceWrite,
  resourceBody,
} from './body.ts'

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
    const verdict = check(schema, body, (issue, faults) =>
      tell(issue, faults, body, definition, operation),
    )
    const faults = faultsOf(verdict)
    if (!related) {
      idFaults(body, id, faults)
    }
    // What is removed need not be there, so that it may be what never can be.
    if (operation !== 'removeMany') {
      linkFaults(linkagesOf(definition, body, relationship), definition, id, faults)
    }
    return verdict.ok && faults.problems.length === 0
      ? { ok: true, value: payloadOf(verdict.value, relationship) }
      : refused(faults)
  }
}

/** The pointer to a relationship's linkage in a body. */
export function linkagePointer(relationship: string, onRelationship: boolean): string {
  return onRelationship ? '/data' : `/data/relationships${pointerToken(relationship)}/data`
}

/** The linkage of one relationship in a body, as far as the body has the form of one. */
interface Linkage {
  readonly relationship: string
  readonly pointer: string
  readonly items: readonly unknown[]
}

function linkagesOf(
  { relationships }: ResourceDefinition,
  body: object,
  relationship: string | undefined,
): Linkage[] {
  const sent = valueAt(body, ['data', 'relationships'])
  const linkages: [name: string, linkage: unknown][] =
    relationship !== undefined
      ? [[relationship, valueAt(body, ['data'])]]
      : Object.keys(relationships).map((name) => [name, valueAt(sent, [name, 'data'])])
  return linkages.map(([name, linkage]) => ({
    relationship: name,
    pointer: linkagePointer(name, relationship !== undefined),
    // Those beyond the bound are not judged: that they are too many is told by the schema.
    items: Array.isArray(linkage) ? linkage.slice(0, mostIdentifiers) : [],
  }))
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
    return { attributes: {}, relationships: { [relationship]: membersOf(data) } }
  }
  const { attributes = {}, relationships = {} } = (body as ResourceBody).data
  const members = Object.entries(relationships).map(([name, { data }]) => [name, membersOf(data)])
  return { attributes, relationships: Object.fromEntries(members) }
}

function membersOf(linkage: LinkageData): readonly Identifier[] {
  return linkage === null ? [] : [linkage].flat()
}

function idFaults(body: object, id: string | undefined, faults: FaultList): void {
  const sent = valueAt(body, ['data', 'id'])
  if (id !== undefined && typeof sent === 'string' && sent !== id) {
    faults.add(() => ({
      code: 'CONFLICT',
      detail: `${quote(sent)} is not the id of the resource, ${quote(id)}.`,
      source: { pointer: '/data/id' },
    }))
  }
}

/** What no schema of one identifier can say: their number in all, members twice, and the resource itself. */
function linkFaults(
  linkages: readonly Linkage[],
  { relationships }: ResourceDefinition,
  id: string | undefined,
  faults: FaultList,
): void {
  const add = (detail: string, pointer: string): void =>
    faults.add(() => ({ code: 'VALUE_INVALID_FORMAT', detail, source: { pointer } }))
  for (const { relationship, pointer, items } of linkages) {
    const declared = relationships[relationship]
    const metaNames = declared?.cardinality === 'many' ? Object.keys(declared.meta ?? {}) : []
    const seen = new Map<unknown, string>()
    items.forEach((item, index) => {
      const itemId = valueAt(item, ['id'])
      const said = JSON.stringify(metaNames.map((member) => valueAt(item, ['meta', member])))
      if (itemId !== undefined && (seen.get(itemId) ?? said) !== said) {
        add(`${quote(itemId)} stands here twice, with different meta.`, `${pointer}/${index}`)
      }
      seen.set(itemId, said)
      if (declared?.cardinality === 'many' && declared.reflexive === false && itemId === id && id) {
        add('A resource cannot be related to itself here.', `${pointer}/${index}/id`)
      }
    })
  }
  if (linkages.reduce((sum, { items }) => sum + items.length, 0) > mostIdentifiers) {
    add(`At most ${mostIdentifiers} identifiers in one body.`, '/data/relationships')
  }
}

/** Adds what the caller is told of an issue with a body; of which type and operation it is, where it is one of those. */
export function tell(
  issue: Issue,
  faults: FaultList,
  body: object,
  definition: Pick<ResourceDefinition, 'attributes'> = { attributes: {} },
  operation?: Operation,
): void {
  if (issue.code === 'unrecognized_keys') {
    for (const name of issue.keys) {
      faults.add(() => ({
        code: 'VALUE_INVALID_FORMAT',
        detail: `${nameOf([...issue.path, name])} is not taken here. ${issue.message}.`,
        source: { pointer: pointerOf([...issue.path, name]) },
      }))
    }
    return
  }
  const value = valueAt(body, issue.path)
  if (typeof value === 'string' && !isStorable(value)) {
    // Told by whoever has read the body.
    return
  }
  const isMissing = value === undefined || value === null
  if (isMissing && operation === 'create' && issue.path.join('/') === 'data/attributes') {
    for (const [name, { required }] of Object.entries(definition.attributes)) {
      if (required) {
        faults.add(() => absent([name], undefined, pointerTo(body, issue.path)))
      }
    }
    return
  }
  faults.add(() => {
    const pointer = pointerTo(body, issue.path)
    return isMissing && !hintOf(issue)
      ? absent(issue.path, value, pointer)
      : { ...faultOf(issue, value, definition), source: { pointer } }
  })
}

function absent(path: readonly PropertyKey[], value: null | undefined, pointer: string): Problem {
  const fault = value === null ? 'must not be null' : 'is required'
  return { code: 'VALUE_IS_ABSENT', detail: `${nameOf(path)} ${fault}.`, source: { pointer } }
}

/** What a sentence calls the member at a path: by its name, an item of an array by that of the array and its index. */
function nameOf(path: readonly PropertyKey[]): string {
  const start = path.findLastIndex((step) => typeof step !== 'number')
  const name = JSON.stringify(brief(String(path[start])))
  return path.slice(start + 1).reduce<string>((text, index) => `${text}[${String(index)}]`, name)
}

function faultOf(
  issue: Issue,
  value: unknown,
  { attributes }: Pick<ResourceDefinition, 'attributes'>,
): IssueHint {
  const { sensitive } = attributes[String(issue.path[2])] ?? {}
  const code = issue.code === 'invalid_value' ? 'INVALID_ENUM_VALUE' : 'VALUE_INVALID_FORMAT'
  const said = hintOf(issue) ?? { code, detail: demand(issue) }
  return {
    ...said,
    detail: sentence(nameOf(issue.path), said.detail, sensitive ? undefined : value),
  }
}
