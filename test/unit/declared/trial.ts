import { expect } from 'vitest'
import { isComputed } from '../../../src/db/stored.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import type { Operation } from '../../fuzz/description.ts'
import { draftOf } from '../../fuzz/drafts.ts'
import { transactionOf } from '../../fuzz/transactions.ts'
import { filled, valid } from '../../fuzz/values.ts'
import type { Resource } from '../../support/documents.ts'
import { describeOther } from '../openapi/second-domain.ts'
import { readPages } from './pages.ts'
import {
  existing,
  expectShown,
  idsOf,
  operationsOf,
  remove,
  request,
  type Subject,
  type Trial,
  trialOf,
} from './requests.ts'

/** Sends requests that a domain describes, and holds each answer against the description, and what is shown against what was written. */
export async function tryDomain(subject: Subject): Promise<number> {
  const trial = trialOf(subject)
  const { registry, operations, chance } = trial
  await fill(trial)
  for (const operation of operations) {
    const { path, body } = operation
    for (let nth = 0; nth < 2 && body && path.includes('{id}'); nth++) {
      if (idsOf(trial, path.split('/')[1] ?? '').length > 0) {
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
    for (const id of isRemovable ? chance.some(idsOf(trial, type), 2) : []) {
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
      const { query } = chance.one(draftOf(operation, { ids: existing(trial), operations }))
      const path = operation.path.replace('{id}', idsOf(trial, type)[0] ?? 'none')
      await request(trial, 'GET', `${path}?${query.join('&')}`, undefined, caller)
    }
  }
  return trial.requests
}

/** Creates resources of all types: of those that nobody can create, by a service in which everybody can. */
async function fill(trial: Trial): Promise<void> {
  const { registry, run, open, ids } = trial
  const definitions = registry.types.map(registry.get)
  for (const { stored } of definitions) {
    await (stored.counter &&
      run(`INSERT INTO counters (name, value) VALUES ('${stored.counter}', 0)`))
  }
  const opened = {
    ...open,
    operations: operationsOf(describeOther(open.registry)),
    chance: trial.chance,
    ids,
  }
  for (let nth = 0; nth < 6; nth++) {
    for (const { type } of definitions.filter((one) => !one.operations.create)) {
      const { status, document } = await open.send(
        'POST',
        `/${type}`,
        draftedFor(opened, type, nth),
      )
      // What nobody can create may be declared so that nobody could.
      idsOf(trial, type).push(...(status === 201 ? [document.data.id] : []))
    }
  }
  for (let nth = 0; nth < 6; nth++) {
    for (const definition of definitions.filter((one) => one.operations.create)) {
      await create(trial, definition, nth)
    }
  }
}

/** The body of a create. */
function draftedFor(
  trial: Pick<Trial, 'operations' | 'chance' | 'ids'>,
  type: string,
  nth: number,
) {
  const operation = trial.operations.find(
    ({ method, path }) => method === 'POST' && path === `/${type}`,
  )
  const drafted = trial.chance.one(valid(operation?.body?.schema ?? {}, existing(trial)))
  return filled(drafted, '', `u${nth}`) as { data: Resource }
}

/** Can a value of the type be taken? */
const isTaken = ({ attributes }: ResourceDefinition) =>
  Object.values(attributes).some(({ stored }) => !isComputed(stored) && stored.unique)

async function create(trial: Trial, definition: ResourceDefinition, nth: number): Promise<void> {
  const { type } = definition
  const body = draftedFor(trial, type, nth)
  const { status, document, label } = await request(trial, 'POST', `/${type}`, body)
  const mayFail = isTaken(definition) || JSON.stringify(body).includes('"none"')
  expect(status === 201 || (mayFail && [404, 409].includes(status)), label).toBe(true)
  if (status === 201) {
    idsOf(trial, type).push(document.data.id)
    expectShown(document.data, body.data, label)
  }
}

/** An update, or a change of a relationship, which is read back. */
async function change(trial: Trial, { method, path, body }: Operation): Promise<void> {
  const { chance } = trial
  const [, type = '', , , relationship] = path.split('/')
  const definition = trial.registry.get(type)
  const id = chance.pick(idsOf(trial, type))
  const drafted = chance.one(valid(body?.schema ?? {}, existing(trial)))
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
  if (status < 300 && definition.operations.get) {
    const { document } = await request(trial, 'GET', `/${type}/${id}`)
    const replaced = method === 'PATCH' &&
      relationship && { relationships: { [relationship]: sent } }
    expectShown(document.data, replaced || (relationship ? {} : sent.data), label)
    const shown = [document.data.relationships?.[relationship ?? '']?.data ?? []].flat()
    for (const member of method === 'PATCH' ? [] : [sent.data].flat()) {
      const isShown = shown.some((one: Resource) => one.id === member.id)
      expect([isShown, label]).toEqual([method === 'POST', label])
    }
  }
}

/** Several creates in one transaction. */
async function transact(trial: Trial): Promise<void> {
  const { chance } = trial
  const adds = trial.operations.filter(
    ({ method, path }) => method === 'POST' && path.split('/').length === 2,
  )
  const body = filled(chance.one(transactionOf(adds, existing(trial))), '', 't') as object
  const { status, document, label } = await request(trial, 'POST', '/operations', body)
  expect([200, 204, 400, 404, 409], label).toContain(status)
  for (const { data } of document['atomic:results'] ?? []) {
    if (data) {
      idsOf(trial, data.type).push(data.id)
    }
  }
}

/** Walks a collection, or the members of a resource. */
async function readLists(trial: Trial, operation: Operation): Promise<void> {
  const { registry, chance } = trial
  const [, type = '', id, ...names] = operation.path.split('/')
  const definition = registry.types.includes(type) ? registry.get(type) : undefined
  const related = definition?.relationships[names.at(-1) ?? '']
  if (definition && id === undefined) {
    await readPages(trial, operation, definition)
  } else if (related?.cardinality === 'many' && idsOf(trial, type).length > 0) {
    const owner = chance.pick(idsOf(trial, type))
    await readPages(trial, operation, registry.get(related.target), owner)
  }
}
