import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { isComputed, keyOf, linksOf, storedAttribute } from '../../../src/db/stored.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import { mapped } from '../../../src/openapi/json-schema.ts'
import { type Operation, operationsIn } from '../../fuzz/description.ts'
import { draftOf } from '../../fuzz/drafts.ts'
import { transactionOf } from '../../fuzz/transactions.ts'
import { filled, type Schema, valid } from '../../fuzz/values.ts'
import { conformity } from '../../http/description/conformity.ts'
import { contentOf, type SchemaObject } from '../../http/description/read-description.ts'
import {
  type Document,
  documentOf,
  type Identifier,
  type Resource,
} from '../../support/documents.ts'
import { describeOther } from '../openapi/second-domain.ts'
import type { serviceOn } from './service.ts'

type Values = Record<string, unknown>

/** A resource as it should be: its attributes, and the members of its relationships with their meta. */
interface Expected {
  readonly attributes: Values
  readonly links: Record<string, Map<string, unknown>>
}

/** A cell of a row that is written past the service. A type may lack the column. */
type Cell = readonly [column: SQLiteColumn | undefined, value: unknown]

/** How a domain is tried: its service, a way past it, and the seed of all chance. */
interface Trial {
  readonly registry: Registry
  readonly send: ReturnType<typeof serviceOn>
  readonly run: (text: string) => Promise<unknown>
  readonly seed: number
}

/** Sends requests that a domain describes, and holds each answer against the description and against what was written. */
export async function tryDomain({ registry, send, run, seed }: Trial): Promise<number> {
  const described = describeOther(registry)
  const operations = operationsIn(described).map((each) =>
    each.body ? { ...each, body: { schema: lean(each.body.schema) } } : each,
  )
  const conform = conformity(described.document)
  const [numbers] = fc.sample(fc.infiniteStream(fc.nat()), { seed, numRuns: 1 })
  const below = (end: number): number => Number(numbers?.next().value) % end
  const pick = <Value>(all: readonly Value[]): Value => all[below(all.length)] as Value
  const some = <Value>(all: readonly Value[], most: number): Value[] =>
    all
      .map((one) => [below(1e6), one] as const)
      .toSorted(([one], [other]) => one - other)
      .slice(0, below(most + 1))
      .map(([, one]) => one)
  const one = <Value>(arbitrary: fc.Arbitrary<Value>): Value =>
    fc.sample(arbitrary, { seed: below(1e9), numRuns: 1 })[0] as Value
  const definitions = registry.types.map(registry.get)
  const world = new Map(registry.types.map((type) => [type, new Map<string, Expected>()]))
  const all = (type: string) => world.get(type) as Map<string, Expected>
  const idsOf = (type: string) => [...all(type).keys()]
  const ids = () =>
    Object.fromEntries(
      registry.types.map((type) => [type, all(type).size > 0 ? idsOf(type) : ['none']]),
    )
  let requests = 0

  /** Sends a request, and checks what is true of every answer. */
  async function request(method: string, path: string, body?: object, caller = 'ann') {
    requests++
    const { status, document } = await send(method, path, body, caller)
    const label = `${caller}: ${status} ${JSON.stringify(document.errors ?? document)} ${method} ${path} ${JSON.stringify(body)}`
    const parts = path.split('?')[0]?.split('/') ?? []
    const operation = described.operations.find((each) => {
      const own = each.path.split('/')
      const isSame = own.every((part, at) => part === '{id}' || part === parts[at])
      return each.method === method && own.length === parts.length && isSame
    })
    const response = operation?.responses[status]
    expect([status < 500, response !== undefined], label).toEqual([true, true])
    if (response?.content) {
      documentOf(JSON.stringify(document))
      conform(contentOf(response.content).schema, document, label)
    }
    if (status < 300 && body && operation?.requestBody) {
      conform(contentOf(operation.requestBody.content).schema, body, `The body of ${label}`)
    }
    if (status < 300 && method === 'GET') {
      const shown: Resource[] = [document.data ?? [], document.included ?? []].flat()
      for (const resource of shown) {
        if (resource.links && all(resource.type).has(resource.id)) {
          checkResource(resource, path, caller, label)
        }
      }
      checkIncluded(document, shown, path, label)
    }
    return { status, document, label }
  }

  /** Is a resource shown as it was written, with all that the caller may see? */
  function checkResource(resource: Resource, path: string, caller: string, label: string): void {
    const { attributes, links } = all(resource.type).get(resource.id) as Expected
    const { attributes: declared, relationships } = registry.get(resource.type)
    const seen = Object.entries(declared).flatMap(([name, { stored, access }]) => {
      const isSeen = access.some(
        ({ owner, scopes }) =>
          (caller === 'ann' || !owner) && (caller !== 'client' || (!scopes && !owner)),
      )
      const value = isComputed(stored)
        ? stored.value(mapped(stored.columns, (_, column) => attributes[column] ?? null))
        : attributes[name]
      return isSeen && value !== undefined ? [[name, value]] : []
    })
    if (!decodeURIComponent(path).includes(`fields[${resource.type}]`)) {
      expect(resource.attributes ?? {}, label).toEqual(Object.fromEntries(seen))
    }
    for (const [name, { data }] of Object.entries(resource.relationships ?? {})) {
      if (data !== undefined) {
        const members = [...(links[name] ?? [])].toSorted(([one], [other]) => compare(one, other))
        const type = relationships[name]?.target
        const identifiers = members.map(([id, meta]) => ({ type, id, ...(meta ? { meta } : {}) }))
        expect([data ?? []].flat(), label).toEqual(identifiers)
      }
    }
  }

  /** Does an answer include all that its include paths lead to? */
  function checkIncluded(
    { data }: Document,
    shown: readonly Resource[],
    path: string,
    label: string,
  ): void {
    const include = new URLSearchParams(path.split('?')[1]).get('include')
    for (const names of path.includes('/relationships/') ? [] : (include?.split(',') ?? [])) {
      let from: (Resource | undefined)[] = [data ?? []].flat()
      for (const name of names.split('.')) {
        from = from
          .flatMap((each) => each?.relationships?.[name]?.data ?? [])
          .map(({ type, id }) => shown.find((each) => each.type === type && each.id === id))
        expect(from, label).not.toContain(undefined)
      }
    }
  }

  /** What a write that was accepted has done. */
  function learn(type: string, id: string, { attributes, relationships }: Partial<Resource>): void {
    const known = all(type).get(id) ?? {
      attributes: Object.create(null),
      links: Object.create(null),
    }
    for (const [name, value] of Object.entries(attributes ?? {})) {
      known.attributes[name] = isNothing(value) ? undefined : value
    }
    for (const [name, { data }] of Object.entries(relationships ?? {})) {
      const members = [data ?? []].flat() as readonly Identifier[]
      known.links[name] = new Map(members.map(({ id, meta }) => [id, meta]))
    }
    all(type).set(id, known)
  }

  /** Deletes a resource, and with it what refers to it. */
  async function remove(type: string, id: string): Promise<void> {
    const { status, label } = await request('DELETE', `/${type}/${id}`)
    expect(status, label).toBe(204)
    all(type).delete(id)
    for (const other of definitions) {
      for (const [name, { target }] of Object.entries(other.relationships)) {
        for (const { links } of target === type ? all(other.type).values() : []) {
          links[name]?.delete(id)
        }
      }
    }
  }

  /** Writes rows of what nobody can create past the service, and the counters of all types. */
  async function seedRows(definition: ResourceDefinition): Promise<void> {
    const { type, stored, attributes, operations: offered } = definition
    const schemas = attributesIn(described, type)
    for (let nth = 0; nth < 5 && !offered.create; nth++) {
      const id = `r${nth}`
      const cells: Cell[] = [
        [stored.id, id],
        [stored.owner, 'ann'],
      ]
      const shown: Values = {}
      for (const name of storedNames(attributes)) {
        const { column, key, as } = storedAttribute(definition, name)
        const isNull = as === 'sealed' || (!column.notNull && below(3) === 0)
        const { enum: values, ...others } = schemas[name] as Schema
        const held = values && { enum: values.filter((each) => each !== null) }
        const schema = { ...others, ...held, nullable: false }
        const value = isNull ? null : one(valid(schema, {}))
        shown[name] = value
        const isTime = column.dataType === 'date' && value !== null
        const plain = isTime ? new Date(String(value)) : value
        cells.push([column, as && value !== null ? JSON.stringify(value) : plain])
        cells.push([key, keyOf(definition, name, value === null ? null : String(value))])
      }
      // There are fewer rows where a value of a few must be unique.
      if (await insert(run, stored.table, cells).catch(() => false)) {
        const held = Object.entries(shown).filter(([, value]) => value !== null)
        all(type).set(id, { attributes: Object.fromEntries(held), links: Object.create(null) })
      }
    }
    if (stored.counter) {
      const { size } = all(type)
      await run(`INSERT INTO counters (name, value) VALUES ('${stored.counter}', ${size})`)
    }
  }

  /** Writes members of to-many relationships between such rows. */
  async function seedMembers(definition: ResourceDefinition): Promise<void> {
    for (const [name, { target }] of Object.entries(definition.relationships)) {
      const { isMany, table, owner, target: column, meta } = linksOf(definition, name)
      const isSeeded = isMany && !registry.get(target).operations.create
      for (const [id, { links }] of isSeeded ? all(definition.type) : []) {
        const members = some(idsOf(target), 4)
        const near = meta.map(([, each]) => [each, 'NEAR'] as const)
        for (const member of members) {
          await insert(run, table, [[owner, id], [column, member], ...near])
        }
        const value = Object.fromEntries(meta.map(([each]) => [each, 'NEAR']))
        links[name] = new Map(
          members.map((member) => [member, meta.length > 0 ? value : undefined]),
        )
      }
    }
  }

  const isTaken = ({ attributes }: ResourceDefinition) =>
    Object.values(attributes).some(({ stored }) => !isComputed(stored) && stored.unique)

  async function create(definition: ResourceDefinition, nth: number): Promise<void> {
    const { type, attributes } = definition
    const operation = operations.find(
      ({ method, path }) => method === 'POST' && path === `/${type}`,
    )
    const drafted = one(valid(operation?.body?.schema ?? {}, ids()))
    const body = filled(drafted, '', `u${nth}`) as { data: Resource }
    const { status, document, label } = await request('POST', `/${type}`, body)
    const mayFail = isTaken(definition) || JSON.stringify(body).includes('"none"')
    expect(status === 201 || (mayFail && [404, 409].includes(status)), label).toBe(true)
    if (status === 201) {
      const set = storedNames(attributes).flatMap((name) =>
        attributes[name]?.readOnly ? [[name, document.data.attributes?.[name]]] : [],
      )
      const held = { ...body.data.attributes, ...Object.fromEntries(set) }
      learn(type, document.data.id, { ...body.data, attributes: held })
      checkResource(document.data, '', 'ann', label)
    }
  }

  /** Updates and changes of relationships, each of which is read back. */
  async function change({ method, path, body }: (typeof operations)[number]): Promise<void> {
    const [, type = '', , , relationship] = path.split('/')
    const definition = registry.get(type)
    const id = pick(idsOf(type))
    const sent = filled(one(valid(body?.schema ?? {}, ids())), id, 'w') as { data: Resource }
    if (relationship === undefined) {
      Object.assign(sent.data, { id })
    }
    const { status, label } = await request(method, path.replace('{id}', id), sent)
    const text = JSON.stringify(sent)
    const isReflexive = Object.values(definition.relationships).some((one) => 'reflexive' in one)
    const isRight =
      status < 300 ||
      (status === 409 && isTaken(definition)) ||
      (status === 400 && isReflexive && text.includes(`"id":"${id}"`)) ||
      (status === 404 && text.includes('"none"'))
    expect(isRight, label).toBe(true)
    if (status >= 300) {
      return
    }
    const { links } = all(type).get(id) as Expected
    if (relationship === undefined) {
      learn(type, id, sent.data)
    } else {
      const after = new Map(method === 'PATCH' ? [] : links[relationship])
      for (const member of [sent.data ?? []].flat()) {
        method === 'DELETE' ? after.delete(member.id) : after.set(member.id, member.meta)
      }
      links[relationship] = after
    }
    if (definition.operations.get) {
      expect((await request('GET', `/${type}/${id}`)).status, label).toBe(200)
    }
  }

  /** Several creates in one transaction. */
  async function transact(): Promise<void> {
    const adds = operations.filter(
      ({ method, path }) => method === 'POST' && path.split('/').length === 2,
    )
    const body = filled(one(transactionOf(adds, ids())), '', 't') as {
      'atomic:operations': readonly { data?: Resource }[]
    }
    const { status, document, label } = await request('POST', '/operations', body)
    expect([200, 204, 400, 404, 409], label).toContain(status)
    for (const [index, { data }] of body['atomic:operations'].entries()) {
      const made = document['atomic:results']?.[index]?.data
      if (made && data && JSON.stringify(data).includes('"lid"')) {
        const { computed: _, ...attributes } = made.attributes ?? {}
        learn(made.type, made.id, { ...data, attributes })
      }
    }
  }

  /** Walks a list from the first page to the last, in an order and through filters. Meanwhile a row may go. */
  async function readPages(
    { path, parameters }: Operation,
    definition: ResourceDefinition,
    listed: readonly string[],
    owner = '',
  ): Promise<void> {
    const { type, attributes, relationships, filters = {}, operations: offered } = definition
    const takes = (name: string) => parameters.some((each) => each.name === name)
    const rows = all(type)
    const shownOf = (id: string, field: string) => rows.get(id)?.attributes[field]
    const names = Object.keys(attributes).filter((name) =>
      attributes[name]?.access.some(({ owner }) => !owner),
    )
    const sort = some(
      names.flatMap((field) =>
        attributes[field]?.sortable ? [{ field, descending: below(2) === 0 }] : [],
      ),
      5,
    )
    const valuesOf = (field: string, most: number) =>
      some([...rows.keys()], most)
        .map((id) => shownOf(id, field))
        .filter((value) => value !== undefined && value !== '' && !String(value).includes(','))
        .map(String)
    const filtered = names.filter((name) => attributes[name]?.filter)
    const equal = some(filtered, below(3) === 0 ? 2 : 0)
      .map((field) => [field, valuesOf(field, 3)] as const)
      .filter(([, values]) => values.length > 0)
    const from = some(Object.keys(filters), 1).flatMap((name) =>
      valuesOf(name.replace('.from', ''), 1).map((text) => [name, [text]] as const),
    )
    const include = some(Object.keys(relationships), owner === '' ? 1 : 0)
    const order = sort.map(({ field, descending }) => (descending ? `-${field}` : field))
    const query = [
      ...(order.length > 0 ? [`sort=${order}`] : []),
      ...[...equal, ...from].map(([name, all]) => `filter[${name}]=${all.map(encodeURIComponent)}`),
      ...(include.length > 0 ? [`include=${include}`] : []),
      ...(takes('page[limit]') ? ['page[limit]=2'] : []),
    ].join('&')
    const keyAt = (id: string, field: string) => {
      const value = shownOf(id, field) as string | number | undefined
      return typeof value === 'number' ? value : keyOf(definition, field, String(value ?? ''))
    }
    const passes = (id: string) =>
      equal.every(([field, texts]) => {
        const keys = texts.map((text) => keyOf(definition, field, text))
        return shownOf(id, field) !== undefined && keys.includes(String(keyAt(id, field)))
      }) &&
      from.every(([name, [text = '']]) => {
        const value = shownOf(id, name.replace('.from', '')) as string | undefined
        return value !== undefined && compare(value, text) >= 0
      })
    const expected = listed.filter(passes).toSorted((one, other) => {
      const differences = sort.map(
        ({ field, descending }) =>
          compare(keyAt(one, field), keyAt(other, field)) * (descending ? -1 : 1),
      )
      return differences.find((each) => each !== 0) ?? compare(one, other)
    })
    const isGoing = offered.delete && !takes('page[offset]') && rows.size > 3 && below(3) === 0
    const going = isGoing ? expected.find((id) => id !== owner) : undefined
    const found: string[] = []
    let next: string | null | undefined = `${path.replace('{id}', owner)}?${query}`
    while (next) {
      const { status, document, label }: Awaited<ReturnType<typeof request>> = await request(
        'GET',
        next,
      )
      expect(status, label).toBe(200)
      found.push(...document.data.map(({ id }: Identifier) => id))
      next = document.links?.next
      if (going && rows.has(going)) {
        await remove(type, going)
      }
    }
    const others = (all: readonly string[]) => all.filter((id) => id !== going)
    expect(others(found), `${query} ${path} without ${going}`).toEqual(others(expected))
  }

  // Reference data, and what nobody can create, are written past the service.
  const [created, fixed] = [
    definitions.filter(({ operations: offered }) => offered.create),
    definitions.filter(({ operations: offered }) => !offered.create),
  ]
  for (const definition of definitions) {
    await seedRows(definition)
  }
  for (const definition of fixed) {
    await seedMembers(definition)
  }
  for (let nth = 0; nth < 6; nth++) {
    for (const definition of created) {
      await create(definition, nth)
    }
  }
  for (const operation of operations) {
    const { path, body } = operation
    for (let nth = 0; nth < 2 && body && path.includes('{id}'); nth++) {
      if (all(path.split('/')[1] ?? '').size > 0) {
        await change(operation)
      }
    }
    if (path === '/operations' && created.length > 0) {
      await transact()
    }
  }
  for (const { type, operations: offered } of definitions) {
    for (const id of offered.delete ? some(idsOf(type), 2) : []) {
      await remove(type, id)
    }
  }
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const [, type = '', id, ...names] = operation.path.split('/')
    const definition = registry.types.includes(type) ? registry.get(type) : undefined
    const name = names.at(-1) ?? ''
    const related = definition?.relationships[name]
    for (let nth = 0; nth < 3 && definition; nth++) {
      if (id === undefined) {
        await readPages(operation, definition, idsOf(type))
      } else if (related?.cardinality === 'many' && all(type).size > 0) {
        const owner = pick(idsOf(type))
        const members = all(type).get(owner)?.links[name] ?? new Map()
        await readPages(operation, registry.get(related.target), [...members.keys()], owner)
      }
    }
  }
  // Queries of every kind that are right, by several callers.
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const [, type = ''] = operation.path.split('/')
    for (const caller of ['ann', 'bob', 'client']) {
      const { query } = one(draftOf(operation, { ids: ids(), operations }))
      const path = operation.path.replace('{id}', world.get(type)?.keys().next().value ?? 'none')
      await request('GET', `${path}?${query.join('&')}`, undefined, caller)
    }
  }
  return requests
}

/** The names of the attributes that have columns. */
function storedNames(attributes: ResourceDefinition['attributes']): string[] {
  return Object.keys(attributes).filter((name) => !isComputed(attributes[name]?.stored as never))
}

/** The schemas of the attributes of a type, in answers. */
function attributesIn({ operationOf, resolved }: ReturnType<typeof describeOther>, type: string) {
  const list = contentOf(operationOf(`${type}.list`).responses[200]?.content ?? {}).schema
  const member = (schema: SchemaObject | undefined, name: string) =>
    schema && resolved(resolved(schema).properties?.[name] as SchemaObject)
  const resource = resolved(member(list, 'data')?.items as SchemaObject)
  return resource.properties?.attributes ? (member(resource, 'attributes')?.properties ?? {}) : {}
}

/** The schema of a body without what has no effect: members that hold anything, and `lid`. */
function lean(schema: Schema): Schema {
  const { properties, required = [], items } = schema
  const kept = Object.entries(properties ?? {}).filter(
    ([name, { type, properties: own, items: others }]) =>
      required.includes(name) ||
      !(
        (name === 'lid' && properties?.type) ||
        (type === 'object' && !own) ||
        (type === 'array' && !others?.type)
      ),
  )
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(kept.map(([name, each]) => [name, lean(each)])),
    }),
    ...(items && { items: lean(items) }),
  }
}

function isNothing(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  )
}

function compare(one: string | number | boolean, other: string | number | boolean): number {
  return typeof one === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
    : Number(one) - Number(JSON.parse(String(other)))
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
