import { prepare } from '../../src/db/read.ts'
import type { Registry } from '../../src/jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../../src/jsonapi/declare/resource.ts'
import { queryLimits } from '../../src/jsonapi/request/query-parameters.ts'
import type { Read, Selection } from '../../src/jsonapi/run/port.ts'
import type { Cipher } from '../../src/lib/key-ring.ts'
import { acceptedTexts } from './conditions.ts'

/** How large the statements get that read resources of a type: with all that they show, and with every order, filter and include. */
export function largestRead(registry: Registry, definition: ResourceDefinition) {
  const { type, attributes, relationships, filters = {} } = definition
  const fields = Object.keys(attributes)
  const alongside = Object.entries(relationships)
    .map(([relationship, { target }]) => ({
      relationship,
      target,
      show: allOf(registry.get(target)),
    }))
    .toSorted((one, other) => lengthOf(other.show) - lengthOf(one.show))
    .slice(0, queryLimits.include)
  const filter = Object.fromEntries([
    ...fields.flatMap((name) => (attributes[name]?.filter ? [[name, ['0']]] : [])),
    ...Object.entries(filters).flatMap(([name, { schema }]) => {
      const [text] = acceptedTexts(schema())
      return text === undefined ? [] : [[name, [text]]]
    }),
  ])
  // An order ends at its first unique key.
  const isUnique = (name: string): boolean => 'unique' in (attributes[name]?.stored ?? {})
  const sorted = fields
    .filter((name) => attributes[name]?.sortable)
    .toSorted((one, other) => Number(isUnique(one)) - Number(isUnique(other)))
  const reads = Array.from({ length: queryLimits.sort + 1 }, (_, keys) => {
    const sort = sorted.slice(0, keys).map((field) => ({ field, descending: true }))
    // A first page has a total, and a later one ranges.
    return [undefined, Array<string>(keys + 1).fill('0')].map((after): Read => {
      const from = { kind: 'page', filter, sort, after, limit: 1, offset: 0, total: true } as const
      return { type, from, show: allOf(definition), alongside, viewer: '' }
    })
  })
  // Nothing is decrypted.
  const cipher = {} as Cipher
  const texts = prepare(registry, cipher, reads.flat()).statements
  return {
    bytes: Math.max(...texts.map(({ sql }) => Buffer.byteLength(sql))),
    columns: Math.max(...texts.map(({ sql }) => columnsIn(sql))),
  }
}

/** How many columns the first select of a statement has. They are called `c0` and on. */
const columnsIn = (sql: string): number =>
  sql.split(/(?<= as "c\d+") from /)[0]?.match(/ as "c\d+"/g)?.length ?? 0

/** The longest selection of a type: that of a caller who sees each attribute only of what the caller owns. */
const allOf = ({ attributes, relationships }: ResourceDefinition): Selection => ({
  attributes: [],
  ownAttributes: Object.keys(attributes),
  relationships: Object.keys(relationships),
})

const lengthOf = (selection: Selection): number => JSON.stringify(selection).length
