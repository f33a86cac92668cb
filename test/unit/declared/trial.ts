import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { linksOf, storedAttribute } from '../../../src/db/stored.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import { foldCase, sortKey } from '../../../src/jsonapi/sort-key.ts'
import { operationsIn } from '../../fuzz/description.ts'
import { draftOf } from '../../fuzz/drafts.ts'
import { transactionOf } from '../../fuzz/transactions.ts'
import { filled, type Schema, valid } from '../../fuzz/values.ts'
import { conformity } from '../../http/description/conformity.ts'
import { contentOf, type SchemaObject } from '../../http/description/read-description.ts'
import { documentOf, type Resource } from '../../support/documents.ts'
import { describeOther } from '../openapi/second-domain.ts'
import type { serviceOn } from './service.ts'

/** A resource as it should be: its attributes, and the members of its relationships with their meta. */
interface Expected {
  attributes: Record<string, unknown>
  readonly links: Record<string, Map<string, unknown>>
}

type Identifier = { readonly id: string; readonly meta?: object }

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
  const numbers = fc.sample(fc.infiniteStream(fc.nat()), {
    seed,
    numRuns: 1,
  })[0] as Iterator<number>
  const below = (end: number): number => numbers.next().value % end
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
  let requests = 0

  /** Sends a request, and checks what is true of every answer. */
  async function request(method: string, path: string, body?: object, caller = 'ann') {
    requests++
    const { status, document } = await send(method, path, body, caller)
    const label = `${caller}: ${status} ${JSON.stringify(document.errors ?? document)} ${method} ${path} ${JSON.stringify(body)}`
    const [below = ''] = path.split('?')
    const operation = described.operations.find(
      (each) =>
        each.method === method &&
        each.path.split('/').length === below.split('/').length &&
        each.path.split('/').every((part, at) => part === '{id}' || part === below.split('/')[at]),
    )
    const response = operation?.responses[status]
    expect([status < 500, operation !== undefined, response !== undefined], label).toEqual([
      true,
      true,
      true,
    ])
    if (response?.content) {
      documentOf(JSON.stringify(document))
      conform(contentOf(response.content).schema, document, label)
    }
    if (status < 300 && body && operation?.requestBody) {
      conform(contentOf(operation.requestBody.content).schema, body, `The body of ${label}`)
    }
    const { data = [], included = [] } = document
    for (const resource of [data, included].flat()) {
      if (
        status < 300 &&
        resource?.links &&
        all(resource.type).has(resource.id) &&
        method === 'GET'
      ) {
        checkResource(resource, path, caller, label)
      }
    }
    return { status, document, label }
  }

  /** Is a resource shown as it was written, with all that the caller may see? */
  function checkResource(resource: Resource, path: string, caller: string, label: string): void {
    const { attributes, links } = all(resource.type).get(resource.id) as Expected
    const { attributes: declared } = registry.get(resource.type)
    const seen = Object.entries(attributes).filter(([name]) =>
      declared[name]?.access.some(
        ({ owner, scopes }) =>
          (caller === 'ann' || !owner) && (caller !== 'client' || (!scopes && !owner)),
      ),
    )
    const query = decodeURIComponent(path)
    if (!query.includes(`fields[${resource.type}]`)) {
      expect(resource.attributes ?? {}, label).toEqual(Object.fromEntries(seen))
    }
    for (const [name, { data }] of Object.entries(resource.relationships ?? {})) {
      if (data !== undefined) {
        expect([data ?? []].flat(), label).toEqual(membersOf(resource.type, name, links[name]))
      }
    }
  }

  function membersOf(type: string, name: string, links: Map<string, unknown> = new Map()) {
    const to = registry.get(type).relationships[name]?.target
    return [...links]
      .toSorted(([one], [other]) => compare(one, other))
      .map(([id, meta]) => ({ type: to, id, ...(meta !== undefined && { meta }) }))
  }

  /** What a write that was accepted has done. */
  function learn(
    type: string,
    id: string,
    {
      attributes = {},
      relationships = {},
    }: { attributes?: object; relationships?: Record<string, { data: unknown }> },
  ): void {
    const known = all(type).get(id) ?? { attributes: {}, links: Object.create(null) }
    const sent = Object.entries({ ...known.attributes, ...attributes })
    known.attributes = Object.assign(
      Object.create(null),
      Object.fromEntries(sent.filter(([, value]) => !isNothing(value))),
    )
    for (const [name, { data }] of Object.entries(relationships)) {
      known.links[name] = new Map(
        [data ?? []]
          .flat()
          .map((each) => [(each as Identifier).id, (each as Identifier).meta] as const),
      )
    }
    all(type).set(id, known)
  }

  // Reference data, and what nobody can create, are written past the service.
  for (const definition of definitions) {
    const { type, stored, attributes, operations: offered } = definition
    const schemas = attributesIn(described, type)
    for (let nth = 0; nth < 5 && !offered.create; nth++) {
      const id = `r${nth}`
      const cells: Cell[] = [
        [stored.id, id],
        [stored.owner, 'ann'],
      ]
      const shown: Record<string, unknown> = {}
      for (const name of Object.keys(attributes)) {
        const { column, key, as, unique } = storedAttribute(definition, name)
        const isNull = as === 'sealed' || (!column.notNull && below(3) === 0)
        const value = isNull
          ? null
          : one(valid({ ...(schemas[name] as Schema), nullable: false }, {}))
        shown[name] = value
        const time = column.dataType === 'date' && value !== null
        const held = time ? new Date(String(value)) : value
        cells.push([column, as && value !== null ? JSON.stringify(value) : held])
        cells.push([key, value === null ? '' : (unique ? foldCase : sortKey)(String(value))])
      }
      // There are fewer rows where a value of a few must be unique.
      const isMade = await insert(run, stored.table, cells).catch(() => undefined)
      if (isMade) {
        learn(type, id, { attributes: shown })
      }
    }
    if (stored.counter) {
      await run(
        `INSERT INTO counters (name, value) VALUES ('${stored.counter}', ${idsOf(type).length})`,
      )
    }
  }
  for (const definition of definitions.filter(({ operations: offered }) => !offered.create)) {
    for (const [name, { target }] of Object.entries(definition.relationships)) {
      const { isMany, table, owner, target: column, meta } = linksOf(definition, name)
      for (const id of isMany && !registry.get(target).operations.create
        ? idsOf(definition.type)
        : []) {
        const members = some(idsOf(target), 4)
        for (const member of members) {
          await insert(run, table, [
            [owner, id],
            [column, member],
            ...meta.map(([, each]) => [each, 'NEAR'] as const),
          ])
        }
        const value =
          meta.length > 0 ? Object.fromEntries(meta.map(([each]) => [each, 'NEAR'])) : undefined
        ;(all(definition.type).get(id) as Expected).links[name] = new Map(
          members.map((member) => [member, value]),
        )
      }
    }
  }

  const ids = () =>
    Object.fromEntries(
      registry.types.map((type) => [type, idsOf(type).length > 0 ? idsOf(type) : ['none']]),
    )
  const created = definitions.filter(({ operations: offered }) => offered.create)
  const isTaken = (definition: ResourceDefinition) =>
    Object.keys(definition.attributes).some((name) => storedAttribute(definition, name).unique)
  for (let nth = 0; nth < 6; nth++) {
    for (const definition of created) {
      const { type } = definition
      const operation = operations.find(
        ({ method, path }) => method === 'POST' && path === `/${type}`,
      )
      const body = filled(one(valid(operation?.body?.schema ?? {}, ids())), '', `u${nth}`) as {
        data: Resource
      }
      const { status, document, label } = await request('POST', `/${type}`, body)
      const mayFail = isTaken(definition) || JSON.stringify(body).includes('"none"')
      expect(status === 201 || (mayFail && [404, 409].includes(status)), label).toBe(true)
      if (status === 201) {
        const set = Object.entries(definition.attributes).flatMap(([name, { readOnly }]) =>
          readOnly ? [[name, document.data.attributes?.[name]]] : [],
        )
        learn(type, document.data.id, {
          ...body.data,
          attributes: { ...body.data.attributes, ...Object.fromEntries(set) },
        } as never)
        checkResource(document.data, '', 'ann', label)
      }
    }
  }
  await write()
  await readPages()
  await readAnything()

  /** Updates, changes of relationships, transactions, and at last some deletes, each of which is read back. */
  async function write(): Promise<void> {
    for (const { method, path, body } of operations) {
      const [, type = '', , , relationship] = path.split('/')
      const definition = path.includes('{id}') ? registry.get(type) : undefined
      for (let nth = 0; nth < 2 && definition && body && idsOf(type).length > 0; nth++) {
        const id = pick(idsOf(type))
        const sent = filled(one(valid(body.schema, ids())), id, `w${nth}`) as { data: Resource }
        if (relationship === undefined) {
          Object.assign(sent.data, { id })
        }
        const { status, label } = await request(method, path.replace('{id}', id), sent)
        const [members] =
          relationship === undefined ? [[]] : [[sent.data ?? []].flat() as readonly Identifier[]]
        const isSelf =
          JSON.stringify(sent).includes(`"id":"${id}"`) &&
          Object.values(definition.relationships).some((each) => 'reflexive' in each)
        expect(
          status < 300 ||
            (isTaken(definition) && status === 409) ||
            (isSelf && status === 400) ||
            (status === 404 && JSON.stringify(sent).includes('"none"')),
          label,
        ).toBe(true)
        if (status >= 300) {
          continue
        }
        const known = all(type).get(id) as Expected
        if (relationship === undefined) {
          learn(type, id, sent.data as never)
        } else {
          const before = method === 'PATCH' ? [] : [...(known.links[relationship] ?? [])]
          const after = new Map(before)
          for (const member of members ?? []) {
            method === 'DELETE' ? after.delete(member.id) : after.set(member.id, member.meta)
          }
          known.links[relationship] = after
        }
        if (definition.operations.get) {
          expect((await request('GET', `/${type}/${id}`)).status, label).toBe(200)
        }
      }
      if (path === '/operations' && created.length > 0) {
        const body = filled(
          one(
            transactionOf(
              operations.filter(
                ({ path: at, method: how }) => how === 'POST' && at.split('/').length === 2,
              ),
              ids(),
            ),
          ),
          '',
          't',
        ) as { 'atomic:operations': readonly { data?: Resource }[] }
        const { status, document, label } = await request('POST', '/operations', body)
        expect([200, 204, 400, 404, 409], label).toContain(status)
        for (const [index, { data }] of body['atomic:operations'].entries()) {
          const made = document['atomic:results']?.[index]?.data
          if (made && data && JSON.stringify(data).includes('"lid"')) {
            const { type } = made
            learn(type, made.id, { ...data, attributes: made.attributes } as never)
          }
        }
      }
    }
    for (const { type, operations: offered } of definitions) {
      for (const id of offered.delete ? some(idsOf(type), 2) : []) {
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
    }
  }

  /** Walks lists from the first page to the last. */
  async function readPages(): Promise<void> {
    for (const { path, method, parameters } of operations) {
      const parts = path.split('/')
      const [, type = ''] = parts
      const name = parts.at(-1) ?? ''
      const related = registry.types.includes(type)
        ? registry.get(type).relationships[name]
        : undefined
      const isList = parts.length === 2 && registry.types.includes(type)
      if (
        method !== 'GET' ||
        !(isList || related?.cardinality === 'many') ||
        (related && idsOf(type).length === 0)
      ) {
        continue
      }
      const definition = registry.get(related && !isList ? related.target : type)
      for (let nth = 0; nth < 3; nth++) {
        const id = isList ? '' : pick(idsOf(type))
        const isShown = ({ access }: ResourceDefinition['attributes'][string]) =>
          access.some(({ owner }) => !owner)
        const fields = Object.entries(definition.attributes).filter(([, each]) => isShown(each))
        const sort = some(
          fields.flatMap(([field, { sortable }]) =>
            sortable ? [{ field, descending: below(2) === 0 }] : [],
          ),
          5,
        )
        const filtered = some(
          fields.filter(([, { filter }]) => filter).map(([field]) => field),
          below(3) === 0 ? 2 : 0,
        )
        const from = isList
          ? idsOf(type)
          : [...((all(type).get(id) as Expected).links[name] ?? new Map()).keys()]
        const valuesOf = (field: string) =>
          some(
            [...all(definition.type).values()].map((each) => each.attributes[field]),
            3,
          )
            .filter(
              (value) => value !== undefined && !/,/.test(String(value)) && String(value) !== '',
            )
            .map(String)
        const filters = filtered
          .map((field) => [field, valuesOf(field)] as const)
          .filter(([, values]) => values.length > 0)
        const canLimit = parameters.some((each) => each.name === 'page[limit]')
        const pairs = [
          ...(sort.length > 0
            ? [`sort=${sort.map(({ field, descending }) => (descending ? '-' : '') + field)}`]
            : []),
          ...filters.map(([field, values]) => `filter[${field}]=${values.map(encodeURIComponent)}`),
          ...(canLimit ? ['page[limit]=2'] : []),
          ...some(
            Object.keys(definition.relationships)
              .slice(0, 1)
              .map((each) => `include=${each}`),
            isList ? 1 : 0,
          ),
        ]
        const found: string[] = []
        let next: string | null | undefined =
          `${path.replace('{id}', id)}${pairs.length > 0 ? '?' : ''}${pairs.join('&')}`
        while (next) {
          const { status, document, label }: Awaited<ReturnType<typeof request>> = await request(
            'GET',
            next,
          )
          expect(status, label).toBe(200)
          found.push(...document.data.map((each: Identifier) => each.id))
          next = document.links?.next
        }
        const keyOf = (of: string, field: string) => {
          const value = all(definition.type).get(of)?.attributes[field]
          const { key, unique } = storedAttribute(definition, field)
          return key
            ? (unique ? foldCase : sortKey)(String(value ?? ''))
            : (value as string | number)
        }
        const passes = (of: string) =>
          filters.every(([field, values]) => {
            const { key, unique } = storedAttribute(definition, field)
            const folded = key ? values.map(unique ? foldCase : sortKey) : values
            return (
              all(definition.type).get(of)?.attributes[field] !== undefined &&
              folded.includes(String(keyOf(of, field)))
            )
          })
        const expected = from.filter(passes).toSorted((one, other) => {
          const differences = sort.map(
            ({ field, descending }) =>
              compare(keyOf(one, field), keyOf(other, field)) * (descending ? -1 : 1),
          )
          return differences.find((each) => each !== 0) ?? compare(one, other)
        })
        expect(found, `${pairs.join('&')} ${path}`).toEqual(expected)
      }
    }
  }

  /** Reads with queries that are right, by several callers. */
  async function readAnything(): Promise<void> {
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const [, type = ''] = operation.path.split('/')
      for (const caller of ['ann', 'bob', 'client']) {
        const { query } = one(draftOf(operation, { ids: ids(), operations }))
        const path = operation.path.replace('{id}', idsOf(type)[0] ?? 'none')
        await request('GET', `${path}?${query.join('&')}`, undefined, caller)
      }
    }
  }

  return requests
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
    : Number(one) - Number(other)
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
