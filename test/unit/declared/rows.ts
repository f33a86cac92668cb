import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { isComputed, keyValue, storedAttribute, storedMembers } from '../../../src/db/stored.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import { type Schema, valid } from '../../fuzz/values.ts'
import { contentOf, type SchemaObject } from '../../http/description/read-description.ts'
import type { describeOther } from '../openapi/second-domain.ts'
import type { Trial } from './requests.ts'

type Described = ReturnType<typeof describeOther>

/** A cell of a row. A type may lack the column. */
type Cell = readonly [column: SQLiteColumn | undefined, value: unknown]

/** Writes rows of what nobody can create past the service, and the counters of all types. */
export async function seedRows(trial: Trial, definition: ResourceDefinition): Promise<void> {
  const { run, memory } = trial
  const { type, stored, operations } = definition
  const schemas = attributesIn(trial.described, type)
  for (let nth = 0; nth < 5 && !operations.create; nth++) {
    const id = `r${nth}`
    const { cells, shown } = rowOf(trial, definition, schemas)
    const own: Cell[] = [[stored.id, id], [stored.owner, 'ann'], ...cells]
    // There are fewer rows where a value of a few must be unique.
    if (await insert(run, stored.table, own).catch(() => false)) {
      memory.learn(type, id, {})
      Object.assign(memory.of(type).get(id)?.attributes ?? {}, shown)
    }
  }
  if (stored.counter) {
    const { size } = memory.of(type)
    await run(`INSERT INTO counters (name, value) VALUES ('${stored.counter}', ${size})`)
  }
}

/** The cells of a row of random values, and those that are shown. */
function rowOf(
  { chance }: Trial,
  definition: ResourceDefinition,
  schemas: Readonly<Record<string, SchemaObject>>,
) {
  const cells: Cell[] = []
  const shown: Record<string, unknown> = {}
  for (const name of storedNames(definition)) {
    const { column, key, as } = storedAttribute(definition, name)
    const isNull = as === 'sealed' || (!column.notNull && chance.below(3) === 0)
    const { enum: values, ...others } = schemas[name] as Schema
    const held = values && { enum: values.filter((each) => each !== null) }
    const value = isNull ? null : chance.one(valid({ ...others, ...held, nullable: false }, {}))
    if (value !== null) {
      shown[name] = value
    }
    const isTime = column.dataType === 'date' && value !== null
    const plain = isTime ? new Date(String(value)) : value
    cells.push([column, as && value !== null ? JSON.stringify(value) : plain])
    cells.push([key, keyValue(definition, name, value === null ? null : String(value))])
  }
  return { cells, shown }
}

/** Writes members of to-many relationships between such rows. */
export async function seedMembers(trial: Trial, definition: ResourceDefinition): Promise<void> {
  const { registry, run, chance, memory } = trial
  for (const [name, { target }] of Object.entries(definition.relationships)) {
    const { isMany, table, owner, target: column, meta } = storedMembers(definition, name)
    const isSeeded = isMany && !registry.get(target).operations.create
    for (const [id, { links }] of isSeeded ? memory.of(definition.type) : []) {
      const members = chance.some(memory.ids(target), 4)
      const near = meta.map(([, each]) => [each, 'NEAR'] as const)
      for (const member of members) {
        await insert(run, table, [[owner, id], [column, member], ...near])
      }
      const value = Object.fromEntries(meta.map(([each]) => [each, 'NEAR']))
      const shown = meta.length > 0 ? value : undefined
      links[name] = new Map(members.map((member) => [member, shown]))
    }
  }
}

/** The names of the attributes that have columns. */
export function storedNames({ attributes }: ResourceDefinition): string[] {
  return Object.keys(attributes).filter((name) => !isComputed(attributes[name]?.stored as never))
}

/** The schemas of the attributes of a type, in answers. */
function attributesIn({ operationOf, resolved }: Described, type: string) {
  const list = contentOf(operationOf(`${type}.list`).responses[200]?.content ?? {}).schema
  const member = (schema: SchemaObject | undefined, name: string) =>
    schema && resolved(resolved(schema).properties?.[name] as SchemaObject)
  const resource = resolved(member(list, 'data')?.items as SchemaObject)
  return resource.properties?.attributes ? (member(resource, 'attributes')?.properties ?? {}) : {}
}

async function insert(
  run: Trial['run'],
  table: SQLiteTable,
  cells: readonly Cell[],
): Promise<true> {
  const named = cells.flatMap(([column, value]) => (column ? [[column, value] as const] : []))
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  const values = named.map(([column, value]) =>
    value === null ? 'NULL' : `'${String(column.mapToDriverValue(value)).replaceAll("'", "''")}'`,
  )
  const names = named.map(([column]) => quoted(column.name))
  await run(`INSERT INTO ${quoted(getTableName(table))} (${names}) VALUES (${values})`)
  return true
}
