import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { isComputed, keyValue, storedAttribute, storedMembers } from '../../../src/db/stored.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import { type Schema, valid } from '../../fuzz/values.ts'
import { contentOf, type SchemaObject } from '../../http/description/read-description.ts'
import type { describeOther } from '../openapi/second-domain.ts'
import { idsOf, type Trial } from './requests.ts'

type Described = ReturnType<typeof describeOther>

/** A cell of a row. A type may lack the column. */
type Cell = readonly [column: SQLiteColumn | undefined, value: unknown]

/** Writes rows of what nobody can create past the service, and the counters of all types. */
export async function seedRows(trial: Trial, definition: ResourceDefinition): Promise<void> {
  const { run } = trial
  const { type, stored, operations } = definition
  const schemas = attributesIn(trial.described, type)
  for (let nth = 0; nth < 5 && !operations.create; nth++) {
    const id = `r${nth}`
    const cells = cellsOf(trial, definition, schemas)
    const own: Cell[] = [[stored.id, id], [stored.owner, 'ann'], ...cells]
    // There are fewer rows where a value of a few must be unique.
    if (await insert(run, stored.table, own).catch(() => false)) {
      idsOf(trial, type).push(id)
    }
  }
  if (stored.counter) {
    const { length } = idsOf(trial, type)
    await run(`INSERT INTO counters (name, value) VALUES ('${stored.counter}', ${length})`)
  }
}

/** The cells of a row of random values. */
function cellsOf(
  { chance }: Trial,
  definition: ResourceDefinition,
  schemas: Readonly<Record<string, SchemaObject>>,
) {
  const cells: Cell[] = []
  for (const name of storedNames(definition)) {
    const { column, key, as } = storedAttribute(definition, name)
    const isNull = as === 'sealed' || (!column.notNull && chance.below(3) === 0)
    const { enum: values, ...others } = schemas[name] as Schema
    const held = values && { enum: values.filter((each) => each !== null) }
    const value = isNull ? null : chance.one(valid({ ...others, ...held, nullable: false }, {}))
    const isTime = column.dataType === 'date' && value !== null
    const plain = isTime ? new Date(String(value)) : value
    cells.push([column, as && value !== null ? JSON.stringify(value) : plain])
    cells.push([key, keyValue(definition, name, value === null ? null : String(value))])
  }
  return cells
}

/** Writes members of to-many relationships between such rows. */
export async function seedMembers(trial: Trial, definition: ResourceDefinition): Promise<void> {
  const { registry, run, chance } = trial
  for (const [name, { target }] of Object.entries(definition.relationships)) {
    const { isMany, table, owner, target: column, meta } = storedMembers(definition, name)
    const isSeeded = isMany && !registry.get(target).operations.create
    for (const id of isSeeded ? idsOf(trial, definition.type) : []) {
      const near = meta.map(([, each]) => [each, 'NEAR'] as const)
      for (const member of chance.some(idsOf(trial, target), 4)) {
        await insert(run, table, [[owner, id], [column, member], ...near])
      }
    }
  }
}

/** The names of the attributes that have columns. */
function storedNames({ attributes }: ResourceDefinition): string[] {
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
