import type { Identifier } from '../jsonapi/document.ts'
import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import type { Read } from '../jsonapi/run/plan.ts'
import type { Change, Found, Outcome } from '../jsonapi/run/store.ts'
import type { BoundRead } from './bound-read.ts'
import type { Cipher } from './cipher.ts'
import { keyStatement, usedOf } from './keys-sql.ts'
import { type Asking, conflictOf, danglingOf, whyUnclaimed } from './refused.ts'
import { retrying, violationOf } from './retry.ts'
import { sealContext } from './rows.ts'
import { keyOf, type StoredDefinition, storedAttribute, storedRelationship } from './source.ts'
import { type Bindable, bind, type Statement } from './statement.ts'
import {
  claimStatement,
  deleteStatement,
  insertStatement,
  memberStatements,
  type WriteValues,
} from './write-sql.ts'

/** What a write runs on. */
export interface Writing extends Asking {
  readonly cipher: Cipher
  readonly bind: (read: Read) => BoundRead
}

/**
 * Writes everything or nothing in one batch, which is one transaction. Whoever owns the resource, whether
 * targets exist and values are free is judged by the statements and constraints themselves; only when they
 * refuse is the reason read afterwards.
 *
 * @param key stored in the same transaction; see `keys-sql.ts`
 */
export async function writeChange(
  writing: Writing,
  type: string,
  change: Change,
  owner: string | null,
  key?: IdempotencyKey,
): Promise<Outcome> {
  const definition = writing.registry.get(type)
  const members = sentMembers(change)
  const values: WriteValues = {
    id: change.id,
    owner,
    mostOwned: writing.quotas.owned,
    mostMembers: writing.quotas.members,
    ...memberValues(definition, members),
    ...(await attributeValues(writing, definition, change)),
  }
  const statements = statementsOf(definition, change).map((statement) => bind(statement, values))
  const reading = change.kind === 'create' ? writing.bind(change.read) : undefined
  const first = key ? [keyStatement(key, [change.id])] : []
  return retrying(async (attempt) => {
    try {
      const all = await writing.run([...first, ...statements, ...(reading ? [reading] : [])])
      const results = all.slice(first.length)
      if (reading) {
        return { kind: 'done', found: await reading.decode(results.at(-1) ?? []) }
      }
      if (results[0]?.length !== 0) {
        return { kind: 'done' }
      }
      const reason = await whyUnclaimed(writing, definition.stored, values)
      // An earlier attempt may have been committed, and only its answer lost.
      const isGone = change.kind === 'delete' && attempt > 1 && reason.kind === 'absent'
      return isGone ? { kind: 'done' } : reason
    } catch (error) {
      const used = usedOf(error)
      if (used) {
        return used
      }
      const violation = violationOf(error)
      if (!violation) {
        throw error
      }
      if (change.kind === 'delete' && violation.kind === 'foreign key') {
        return { kind: 'needed' }
      }
      const found = reading && attempt > 1 ? await readBack(writing, reading) : undefined
      if (found) {
        return { kind: 'done', found }
      }
      const targets = await danglingOf(writing, type, members, values)
      if (targets.length > 0) {
        return { kind: 'dangling', targets }
      }
      const conflict = conflictOf(writing, definition, change, violation)
      if (!conflict) {
        throw error
      }
      return conflict
    }
  })
}

const compiled = new WeakMap<StoredDefinition, Map<string, readonly Statement<WriteValues>[]>>()

/** The statements of a change, compiled once for each set of members that it sets. */
function statementsOf(
  definition: StoredDefinition,
  change: Change,
): readonly Statement<WriteValues>[] {
  const members =
    'attributes' in change
      ? [Object.keys(change.attributes), Object.keys(change.relationships)]
      : 'relationship' in change
        ? change.relationship
        : undefined
  const shape = JSON.stringify([change.kind, members])
  const known = compiled.get(definition) ?? new Map<string, readonly Statement<WriteValues>[]>()
  const statements = known.get(shape) ?? compileChange(definition, change)
  compiled.set(definition, known.set(shape, statements))
  return statements
}

function compileChange(definition: StoredDefinition, change: Change): Statement<WriteValues>[] {
  switch (change.kind) {
    case 'delete':
      return [deleteStatement(definition.stored)]
    case 'create':
    case 'update': {
      const names = Object.keys(change.relationships)
      const toMany = names.filter(
        (name) => storedRelationship(definition, name).cardinality === 'many',
      )
      const toOne = names.filter((name) => !toMany.includes(name))
      return change.kind === 'create'
        ? [
            insertStatement(definition),
            ...toMany.flatMap((name) => memberStatements(definition, name, 'add')),
          ]
        : [
            claimStatement(definition, Object.keys(change.attributes), toOne),
            ...toMany.flatMap((name) => memberStatements(definition, name, 'replace')),
          ]
    }
    default:
      return [
        claimStatement(definition, [], []),
        ...memberStatements(definition, change.relationship, change.kind),
      ]
  }
}

/** Linkage whose targets must exist, by relationship. What is removed need not. */
function sentMembers(change: Change): Readonly<Record<string, readonly Identifier[]>> {
  switch (change.kind) {
    case 'create':
    case 'update':
      return change.relationships
    case 'add':
    case 'replace':
    case 'remove':
      return { [change.relationship]: change.members }
    default:
      return {}
  }
}

function memberValues(
  definition: StoredDefinition,
  sent: ReturnType<typeof sentMembers>,
): Pick<WriteValues, 'members' | 'toOne'> {
  const members: Record<string, string> = {}
  const toOne: Record<string, string | null> = {}
  for (const [name, identifiers] of Object.entries(sent)) {
    members[name] = JSON.stringify(identifiers)
    if (storedRelationship(definition, name).cardinality === 'one') {
      toOne[name] = identifiers[0]?.id ?? null
    }
  }
  return { members, toOne }
}

async function attributeValues(
  { cipher }: Writing,
  definition: StoredDefinition,
  change: Change,
): Promise<Pick<WriteValues, 'attributes' | 'keys'>> {
  const attributes: Record<string, Bindable> = {}
  const keys: Record<string, Bindable> = {}
  for (const [name, value] of 'attributes' in change ? Object.entries(change.attributes) : []) {
    const { as, key } = storedAttribute(definition, name)
    if (as === 'json') {
      const isEmpty = typeof value === 'object' && Object.keys(value ?? {}).length === 0
      attributes[name] = isEmpty ? null : JSON.stringify(value)
    } else if (as === 'sealed' && typeof value === 'string') {
      const context = sealContext(definition.type, change.id, name)
      attributes[name] = await cipher.encrypt(value, context)
    } else {
      attributes[name] = value as Bindable
    }
    if (key) {
      keys[name] = keyOf(definition, name, String(value))
    }
  }
  return { attributes, keys }
}

/** The resource that an earlier attempt of a create has written, if it did. */
async function readBack({ run }: Writing, reading: BoundRead): Promise<Found | undefined> {
  const [rows = []] = await run([reading])
  const found = await reading.decode(rows)
  return found.records.length > 0 ? found : undefined
}
