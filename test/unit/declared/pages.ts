import fc from 'fast-check'
import { expect } from 'vitest'
import { keyValue } from '../../../src/db/stored.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import type { Operation } from '../../fuzz/description.ts'
import type { Resource } from '../../support/documents.ts'
import { compare, idsOf, remove, request, some, type Trial } from './requests.ts'

/** What is shown of each resource of a type, by id. */
type Rows = ReadonlyMap<string, Resource>

/** Walks a list from the first page to the last; `between` is done after each. */
async function walk(trial: Trial, path: string, between = async () => {}): Promise<Resource[]> {
  const { status, document, label } = await request(trial, 'GET', path)
  expect(status, label).toBe(200)
  await between()
  const next = document.links?.next
  return next ? [...document.data, ...(await walk(trial, next, between))] : document.data
}

/**
 * Walks a list in an order and through filters. Meanwhile a row may go.
 *
 * @param owner the id of the resource whose members it shows
 */
export async function readPages(
  trial: Trial,
  { path, parameters }: Operation,
  definition: ResourceDefinition,
  owner = '',
): Promise<void> {
  const { type, operations } = definition
  const takes = (name: string) => parameters.some((each) => each.name === name)
  const at = path.replace('{id}', owner)
  const rows: Rows = new Map((await walk(trial, `/${type}`)).map((one) => [one.id, one]))
  expect([...rows.keys()].sort()).toEqual(idsOf(trial, type).toSorted())
  const listed = (await walk(trial, at)).map(({ id }) => id)
  for (let nth = 0; nth < 2; nth++) {
    const choice = choiceOf(trial, definition, rows, owner === '')
    const query = queryOf(choice) + (takes('page[limit]') ? '&page[limit]=2' : '')
    const left = listed.filter((id) => idsOf(trial, type).includes(id))
    const expected = inOrder(definition, choice, rows, left)
    const isGoing = operations.delete && !takes('page[offset]') && trial.gen(fc.nat, 2) === 0
    const going = isGoing ? expected.find((id) => id !== owner) : undefined
    const found = await walk(trial, `${at}?${query.replace(/^&/, '')}`, async () => {
      if (going && idsOf(trial, type).includes(going)) {
        await remove(trial, type, going)
      }
    })
    const others = (all: readonly string[]) => all.filter((id) => id !== going)
    const ids = others(found.map(({ id }) => id))
    expect(ids, `${query} ${path} without ${going}`).toEqual(others(expected))
  }
}

/** An order, filters by values of attributes and by beginnings of ranges, and what is included. */
function choiceOf(
  trial: Trial,
  { attributes, relationships, filters = {} }: ResourceDefinition,
  rows: Rows,
  includes: boolean,
) {
  const names = Object.keys(attributes).filter((name) =>
    attributes[name]?.access.some(({ owner }) => !owner),
  )
  const valuesOf = (field: string, most: number) =>
    some(trial, [...rows.keys()], most)
      .map((id) => rows.get(id)?.attributes?.[field])
      .filter((value) => value !== undefined && value !== '' && !String(value).includes(','))
      .map(String)
  const sortable = names.filter((name) => attributes[name]?.sortable)
  const sorts = sortable.map((field) => ({ field, descending: trial.gen(fc.boolean) }))
  const filtered = names.filter((name) => attributes[name]?.filter)
  const equal = some(trial, filtered, trial.gen(fc.nat, 2) === 0 ? 2 : 0)
  const from = some(trial, Object.keys(filters), 1)
  return {
    sort: some(trial, sorts, 5),
    filters: [
      ...equal.map((name) => [name, valuesOf(name, 3)] as const),
      ...from.map((name) => [name, valuesOf(fieldOf(name), 1)] as const),
    ].filter(([, values]) => values.length > 0),
    include: some(trial, Object.keys(relationships), includes ? 1 : 0),
  }
}

/** The attribute that a filter compares. */
const fieldOf = (filter: string) => filter.replace('.from', '')

function queryOf({ sort, filters, include }: ReturnType<typeof choiceOf>): string {
  const order = sort.map(({ field, descending }) => (descending ? `-${field}` : field))
  return [
    ...(order.length > 0 ? [`sort=${order}`] : []),
    ...filters.map(([name, all]) => `filter[${name}]=${all.map(encodeURIComponent)}`),
    ...(include.length > 0 ? [`include=${include}`] : []),
  ].join('&')
}

/** Those of the ids that pass the filters, in the order that is asked for. */
function inOrder(
  definition: ResourceDefinition,
  { sort, filters }: ReturnType<typeof choiceOf>,
  rows: Rows,
  ids: readonly string[],
): string[] {
  const valueAt = (id: string, field: string) =>
    rows.get(id)?.attributes?.[field] as string | number | undefined
  const keyAt = (id: string, field: string) => {
    const value = valueAt(id, field)
    return typeof value === 'number' ? value : keyValue(definition, field, String(value ?? ''))
  }
  const passes = (id: string) =>
    filters.every(([name, [first = '', ...others]]) => {
      const field = fieldOf(name)
      const value = valueAt(id, field)
      const keys = [first, ...others].map((text) => keyValue(definition, field, text))
      const isEqual = keys.includes(String(keyAt(id, field)))
      return value !== undefined && (name === field ? isEqual : compare(value, first) >= 0)
    })
  return ids.filter(passes).toSorted((one, other) => {
    const differences = sort.map(
      ({ field, descending }) =>
        compare(keyAt(one, field), keyAt(other, field)) * (descending ? -1 : 1),
    )
    return differences.find((each) => each !== 0) ?? compare(one, other)
  })
}
