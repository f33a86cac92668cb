import fc from 'fast-check'
import { expect } from 'vitest'
import { isComputed } from '../../../src/db/stored.ts'
import type { ResourceDefinition } from '../../../src/jsonapi/declare/resource.ts'
import type { Operation } from '../../fuzz/description.ts'
import { draftOf } from '../../fuzz/drafts.ts'
import { transactionOf } from '../../fuzz/transactions.ts'
import { filled, valid } from '../../fuzz/values.ts'
import type { Resource } from '../../support/documents.ts'
import { readPages } from './pages.ts'
import {
  existing,
  expectShown,
  idsOf,
  remove,
  request,
  type Subject,
  some,
  type Trial,
  trialOf,
} from './requests.ts'

/** Sends requests that a domain describes, and holds each answer against the description, and what is shown against what was written. */
export async function tryDomain(subject: Subject): Promise<void> {
  const trial = trialOf(subject)
  const { registry, operations, gen } = trial
  await fill(trial)
  for (const operation of operations.filter(({ path, body }) => body && path.includes('{id}'))) {
    for (let nth = 0; nth < 2; nth++) {
      await change(trial, operation)
    }
  }
  await transact(trial)
  for (const type of registry.types) {
    const isRemovable = registry.get(type).operations.delete
    for (const id of isRemovable ? some(trial, idsOf(trial, type), 2) : []) {
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
      const { query } = gen(() => draftOf(operation, { ids: existing(trial), operations }))
      const path = operation.path.replace('{id}', idsOf(trial, type)[0] ?? 'none')
      await request(trial, 'GET', `${path}?${query.join('&')}`, undefined, caller)
    }
  }
}

/** Creates resources of all types: first those that nobody can create, by a service in which everybody can. */
async function fill(trial: Trial): Promise<void> {
  const { registry, run, open, ids } = trial
  const definitions = registry.types.map(registry.get)
  for (const { stored } of definitions) {
    await (stored.counter &&
      run(`INSERT INTO counters (name, value) VALUES ('${stored.counter}', 0)`))
  }
  const opened = { ...trialOf({ ...trial, ...open }), ids }
  for (const by of [opened, trial]) {
    for (let nth = 0; nth < 6; nth++) {
      for (const definition of definitions) {
        await (!definition.operations.create === (by === opened) && create(by, definition, nth))
      }
    }
  }
}

/** Can a value of the type be taken? */
const isTaken = ({ attributes }: ResourceDefinition) =>
  Object.values(attributes).some(({ stored }) => !isComputed(stored) && stored.unique)

async function create(trial: Trial, definition: ResourceDefinition, nth: number): Promise<void> {
  const { type } = definition
  const operation = trial.operations.find(
    ({ method, path }) => method === 'POST' && path === `/${type}`,
  )
  const drafted = trial.gen(() => valid(operation?.body?.schema ?? {}, existing(trial)))
  const body = filled(drafted, '', `u${nth}`) as { data: Resource }
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
  const [, type = '', , , relationship] = path.split('/')
  const definition = trial.registry.get(type)
  const ids = idsOf(trial, type)
  if (ids.length === 0) {
    return
  }
  const id = trial.gen(fc.constantFrom<string[]>, ...ids)
  const drafted = trial.gen(() => valid(body?.schema ?? {}, existing(trial)))
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

/** Several creates in one transaction, where anything can be created. */
async function transact(trial: Trial): Promise<void> {
  const adds = trial.operations.filter(
    ({ method, path }) => method === 'POST' && trial.registry.types.includes(path.slice(1)),
  )
  if (adds.length === 0) {
    return
  }
  const drafted = trial.gen(() => transactionOf(adds, existing(trial)))
  const body = filled(drafted, '', 't') as object
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
  const { registry, gen } = trial
  const [, type = '', id, ...names] = operation.path.split('/')
  const definition = registry.types.includes(type) ? registry.get(type) : undefined
  const related = definition?.relationships[names.at(-1) ?? '']
  if (definition && id === undefined) {
    await readPages(trial, operation, definition)
  } else if (related?.cardinality === 'many' && idsOf(trial, type).length > 0) {
    const owner = gen(fc.constantFrom<string[]>, ...idsOf(trial, type))
    await readPages(trial, operation, registry.get(related.target), owner)
  }
}
