import { expect } from 'vitest'
import { isComputed } from '../../../src/db/stored.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import type { Operation } from '../../fuzz/description.ts'
import { draftOf } from '../../fuzz/drafts.ts'
import { transactionOf } from '../../fuzz/transactions.ts'
import { filled, valid } from '../../fuzz/values.ts'
import type { Resource } from '../../support/documents.ts'
import { readPages } from './pages.ts'
import { remove, request, type Subject, type Trial, trialOf } from './requests.ts'
import { seedMembers, seedRows, storedNames } from './rows.ts'

/** Sends requests that a domain describes, and holds each answer against the description and against what was written. */
export async function tryDomain(subject: Subject): Promise<number> {
  const trial = trialOf(subject)
  const { registry, operations, chance, memory } = trial
  await fill(trial)
  for (const operation of operations) {
    const { path, body } = operation
    for (let nth = 0; nth < 2 && body && path.includes('{id}'); nth++) {
      if (memory.of(path.split('/')[1] ?? '').size > 0) {
        await change(trial, operation)
      }
    }
    const isCreated = registry.types.some((type) => registry.get(type).operations.create)
    if (path === '/operations' && isCreated) {
      await transact(trial)
    }
  }
  for (const type of registry.types) {
    const isRemovable = registry.get(type).operations.delete
    for (const id of isRemovable ? chance.some(memory.ids(type), 2) : []) {
      await remove(trial, type, id)
    }
  }
  const reads = operations.filter(({ method }) => method === 'GET')
  for (const operation of reads) {
    await readLists(trial, operation)
  }
  // Queries of every kind that are right, by several callers.
  for (const operation of reads) {
    const [, type = ''] = operation.path.split('/')
    for (const caller of ['ann', 'bob', 'client']) {
      const { query } = chance.one(draftOf(operation, { ids: memory.allIds(), operations }))
      const path = operation.path.replace('{id}', memory.ids(type)[0] ?? 'none')
      await request(trial, 'GET', `${path}?${query.join('&')}`, undefined, caller)
    }
  }
  return trial.requests
}

/** Writes reference data, and what nobody can create, past the service, and creates the rest. */
async function fill(trial: Trial): Promise<void> {
  const definitions = trial.registry.types.map(trial.registry.get)
  for (const definition of definitions) {
    await seedRows(trial, definition)
  }
  for (const definition of definitions.filter(({ operations }) => !operations.create)) {
    await seedMembers(trial, definition)
  }
  for (let nth = 0; nth < 6; nth++) {
    for (const definition of definitions.filter(({ operations }) => operations.create)) {
      await create(trial, definition, nth)
    }
  }
}

/** Can a value of the type be taken? */
const isTaken = ({ attributes }: ResourceDefinition) =>
  Object.values(attributes).some(({ stored }) => !isComputed(stored) && stored.unique)

async function create(trial: Trial, definition: ResourceDefinition, nth: number): Promise<void> {
  const { chance, memory } = trial
  const { type, attributes } = definition
  const operation = trial.operations.find(
    ({ method, path }) => method === 'POST' && path === `/${type}`,
  )
  const drafted = chance.one(valid(operation?.body?.schema ?? {}, memory.allIds()))
  const body = filled(drafted, '', `u${nth}`) as { data: Resource }
  const { status, document, label } = await request(trial, 'POST', `/${type}`, body)
  const mayFail = isTaken(definition) || JSON.stringify(body).includes('"none"')
  expect(status === 201 || (mayFail && [404, 409].includes(status)), label).toBe(true)
  if (status === 201) {
    const set = storedNames(definition).flatMap((name) =>
      attributes[name]?.readOnly ? [[name, document.data.attributes?.[name]]] : [],
    )
    const held = { ...body.data.attributes, ...Object.fromEntries(set) }
    memory.learn(type, document.data.id, { ...body.data, attributes: held })
    memory.checkResource(document.data, '', 'ann', label)
  }
}

/** An update, or a change of a relationship, which is read back. */
async function change(trial: Trial, { method, path, body }: Operation): Promise<void> {
  const { chance, memory } = trial
  const [, type = '', , , relationship] = path.split('/')
  const definition = trial.registry.get(type)
  const id = chance.pick(memory.ids(type))
  const drafted = chance.one(valid(body?.schema ?? {}, memory.allIds()))
  const sent = filled(drafted, id, 'w') as { data: Resource }
  if (relationship === undefined) {
    Object.assign(sent.data, { id })
  }
  const { status, label } = await request(trial, method, path.replace('{id}', id), sent)
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
  const links = memory.of(type).get(id)?.links ?? {}
  if (relationship === undefined) {
    memory.learn(type, id, sent.data)
  } else {
    const after = new Map(method === 'PATCH' ? [] : links[relationship])
    for (const member of [sent.data ?? []].flat()) {
      method === 'DELETE' ? after.delete(member.id) : after.set(member.id, member.meta)
    }
    links[relationship] = after
  }
  if (definition.operations.get) {
    expect((await request(trial, 'GET', `/${type}/${id}`)).status, label).toBe(200)
  }
}

/** Several creates in one transaction. */
async function transact(trial: Trial): Promise<void> {
  const { chance, memory } = trial
  const adds = trial.operations.filter(
    ({ method, path }) => method === 'POST' && path.split('/').length === 2,
  )
  const body = filled(chance.one(transactionOf(adds, memory.allIds())), '', 't') as {
    'atomic:operations': readonly { data?: Resource }[]
  }
  const { status, document, label } = await request(trial, 'POST', '/operations', body)
  expect([200, 204, 400, 404, 409], label).toContain(status)
  for (const [index, { data }] of body['atomic:operations'].entries()) {
    const made = document['atomic:results']?.[index]?.data
    if (made && data && JSON.stringify(data).includes('"lid"')) {
      const { computed: _, ...attributes } = made.attributes ?? {}
      memory.learn(made.type, made.id, { ...data, attributes })
    }
  }
}

/** Walks a collection, or the members of a resource, several times. */
async function readLists(trial: Trial, operation: Operation): Promise<void> {
  const { registry, chance, memory } = trial
  const [, type = '', id, ...names] = operation.path.split('/')
  const definition = registry.types.includes(type) ? registry.get(type) : undefined
  const name = names.at(-1) ?? ''
  const related = definition?.relationships[name]
  for (let nth = 0; nth < 3 && definition; nth++) {
    if (id === undefined) {
      await readPages(trial, operation, definition, memory.ids(type))
    } else if (related?.cardinality === 'many' && memory.of(type).size > 0) {
      const owner = chance.pick(memory.ids(type))
      const members = memory.of(type).get(owner)?.links[name] ?? new Map()
      const target = registry.get(related.target)
      await readPages(trial, operation, target, [...members.keys()], owner)
    }
  }
}
