import type { Operation } from '../declare/operation.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import type { Identifier } from '../document.ts'
import { type FaultList, faultCodes, type Problem } from '../errors.ts'
import { isStorable, pointerOf, pointerToken } from '../json.ts'
import {
  demand,
  faultsOf,
  hintOf,
  type Issue,
  type IssueHint,
  judge,
  pointerTo,
  refused,
  type Schema,
  type Verdict,
  valueAt,
} from '../validate.ts'
import { brief, quote, sentence } from '../wording.ts'
import {
  type LinkageWrite,
  linkageBody,
  mostIdentifiers,
  type ResourceWrite,
  resourceBody,
} from './body.ts'
import { byId, nameText, type Places } from './places.ts'

type NameOf = Places['nameOf']

/** The content of the body of a write. Attributes and relationships that are absent stay unchanged. */
export interface Payload {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, readonly Identifier[]>>
}

/** Judges the parsed body of an operation. `id` is that of its target, and `nameOf` is {@link byId} if absent. */
export type BodyReader = (body: object, id: string | undefined, nameOf?: NameOf) => Verdict<Payload>

/** Makes a reader of the bodies of one operation. Build it once: it keeps the schemas that it makes. */
export function bodyReader(
  definition: ResourceDefinition,
  operation: Operation,
  relationship: string | undefined,
): BodyReader {
  const related = definition.relationships[relationship ?? '']
  const schema = (
    related
      ? linkageBody(related, operation as LinkageWrite)
      : resourceBody(definition, operation as ResourceWrite)
  ) as Schema<Body>
  return (body, id, nameOf = byId) => {
    const verdict = judge(schema, body, (issue, faults) =>
      tell(issue, faults, body, definition, operation),
    )
    const faults = faultsOf(verdict)
    if (!related) {
      idFaults(body, id, faults, nameOf)
    }
    // A removal does no harm where it names members that do not or cannot exist, so that only other operations check them.
    if (operation !== 'removeMany') {
      memberFaults(linkagesOf(definition, body, relationship), definition, id, faults, nameOf)
    }
    return verdict.ok && faults.problems.length === 0
      ? { ok: true, value: payloadOf(verdict.value, relationship) }
      : refused(faults)
  }
}

/** The pointer to the linkage of a relationship in a body. */
export function linkagePointer(relationship: string, onRelationship: boolean): string {
  return onRelationship ? '/data' : `/data/relationships${pointerToken(relationship)}/data`
}

/** The linkage of one to-many relationship in a body that may not be valid. */
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
  const names = sent === undefined ? [] : Object.keys(relationships)
  const linkages: [name: string, linkage: unknown][] =
    relationship !== undefined
      ? [[relationship, valueAt(body, ['data'])]]
      : names.map((name) => [name, valueAt(sent, [name, 'data'])])
  return linkages.flatMap(([name, linkage]) => {
    if (!Array.isArray(linkage)) {
      return []
    }
    const pointer = linkagePointer(name, relationship !== undefined)
    // The schema refuses a list that is too long, so that identifiers past the bound are not judged here.
    return [{ relationship: name, pointer, items: linkage.slice(0, mostIdentifiers) }]
  })
}

type LinkageData = Identifier | readonly Identifier[] | null

/** A body that is valid by its schema. */
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

function idFaults(body: object, id: string | undefined, faults: FaultList, nameOf: NameOf): void {
  const sent = valueAt(body, ['data', 'id'])
  if (id !== undefined && typeof sent === 'string' && sent !== id) {
    const { member, value } = nameOf(sent)
    const detail = `"${member}" is ${quote(value)}, but must name the target, which has the ${nameText(nameOf(id))}.`
    faults.add(() => ({ code: faultCodes.otherId, detail, source: { pointer: '/data/id' } }))
  }
}

/**
 * Adds the faults that the schema of a single identifier cannot find: too many identifiers in all relationships, a member that
 * stands there twice with different `meta`, and a resource that is related to itself.
 */
function memberFaults(
  linkages: readonly Linkage[],
  { relationships }: ResourceDefinition,
  id: string | undefined,
  faults: FaultList,
  nameOf: NameOf,
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
        add(
          `The ${nameText(nameOf(itemId))} stands in this list twice with different meta. Send each member once.`,
          `${pointer}/${index}`,
        )
      }
      seen.set(itemId, said)
      if (declared?.cardinality === 'many' && declared.reflexive === false && itemId === id && id) {
        add(
          'A resource cannot be a member of this relationship of its own.',
          `${pointer}/${index}/id`,
        )
      }
    })
  }
  if (linkages.reduce((sum, { items }) => sum + items.length, 0) > mostIdentifiers) {
    add(
      `The relationships hold more than ${mostIdentifiers} identifiers together, and at most ${mostIdentifiers} are allowed.`,
      '/data/relationships',
    )
  }
}

/**
 * Adds the faults that the answer tells for an issue with a body.
 *
 * @param definition the type of the resource in the body, if it holds one
 * @param operation the operation that the body belongs to, if it is a single one
 */
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
    // parseBody has added the fault of a string that cannot be stored.
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

/** The name of a value in a sentence: the name of the member, or for an item of an array the name of the array and the index. */
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
