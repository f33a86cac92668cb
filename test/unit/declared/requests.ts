import fc, { type GeneratorValue } from 'fast-check'
import { expect } from 'vitest'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { operationsIn } from '../../fuzz/description.ts'
import { conformity } from '../../http/description/conformity.ts'
import { contentOf, type SchemaObject } from '../../http/description/read-description.ts'
import { documentOf, type Identifier, type Resource } from '../../support/documents.ts'
import { describeOther } from '../openapi/second-domain.ts'
import type { serviceOn } from './service.ts'

/** How a domain is tried: its service, one in which all can be created, a way past both, and all chance. */
export interface Subject {
  readonly registry: Registry
  readonly send: ReturnType<typeof serviceOn>
  readonly open: Pick<Subject, 'registry' | 'send'>
  readonly run: (text: string) => Promise<unknown>
  readonly gen: GeneratorValue
}

/** A domain that is tried, with its description and the ids of what was made, by type. */
export type Trial = ReturnType<typeof trialOf>

/** The schema of a body without what takes anything, which has no effect. */
const lean = <Body>(body: Body): Body =>
  JSON.parse(JSON.stringify(body), (_, part: SchemaObject | null) => {
    const { type, properties, items } = part ?? {}
    const takesAll = (type === 'object' && !properties) || (type === 'array' && !items?.type)
    return takesAll ? undefined : part
  })

/** Begins a trial. */
export function trialOf(subject: Subject) {
  const { registry } = subject
  const described = describeOther(registry)
  return {
    ...subject,
    operations: operationsIn(described).map((each) => ({
      ...each,
      ...(each.body && { body: lean(each.body) }),
    })),
    conform: conformity(described.document),
    ids: Object.fromEntries(registry.types.map((type): [string, string[]] => [type, []])),
  }
}

/** Some of all, so many at most. */
export function some<Value>({ gen }: Subject, all: readonly Value[], most: number): Value[] {
  const length = Math.min(gen(fc.nat, most), all.length)
  return gen(() => fc.shuffledSubarray([...all], { minLength: length, maxLength: length }))
}

/** Sends a request, and checks what is true of every answer. */
export async function request(
  trial: Trial,
  method: string,
  path: string,
  body?: object,
  caller = 'ann',
) {
  const { status, document } = await trial.send(method, path, body, caller)
  const label = `${caller}: ${status} ${JSON.stringify(document.errors ?? document)} ${method} ${path} ${JSON.stringify(body)}`
  const parts = path.split('?')[0]?.split('/') ?? []
  const operation = trial.operations.find((each) => {
    const own = each.path.split('/')
    const isSame = own.every((part, at) => part === '{id}' || part === parts[at])
    return each.method === method && own.length === parts.length && isSame
  })
  const response = operation?.responses[status]
  expect([status < 500, response !== undefined], label).toEqual([true, true])
  if (response?.content) {
    documentOf(JSON.stringify(document))
    trial.conform(contentOf(response.content).schema, document, label)
  }
  if (status < 300 && body && operation?.requestBody) {
    trial.conform(contentOf(operation.requestBody.content).schema, body, `The body of ${label}`)
  }
  return { status, document, label }
}

/** Deletes a resource, and with it what refers to it. */
export async function remove(trial: Trial, type: string, id: string): Promise<void> {
  const { status, label } = await request(trial, 'DELETE', `/${type}/${id}`)
  expect(status, label).toBe(204)
  trial.ids[type] = idsOf(trial, type).filter((one) => one !== id)
}

/** The ids of what was made of a type. */
export const idsOf = ({ ids }: Pick<Trial, 'ids'>, type: string): string[] => ids[type] ?? []

/** Ids of each type; one that nothing has where there is none. */
export function existing({ ids }: Pick<Trial, 'ids'>): Record<string, string[]> {
  const all = Object.entries(ids).map(([type, own]) => [type, own.length > 0 ? own : ['none']])
  return Object.fromEntries(all)
}

/** Expects that a resource is shown as it was sent. Nothing is shown of an empty value. */
export function expectShown(shown: Resource, sent: Partial<Resource>, label: string): void {
  for (const [name, value] of Object.entries(sent.attributes ?? {})) {
    const isEmpty = value == null || (typeof value === 'object' && Object.keys(value).length === 0)
    expect(shown.attributes?.[name], label).toEqual(isEmpty ? undefined : value)
  }
  for (const [name, { data }] of Object.entries(sent.relationships ?? {})) {
    const members = [data ?? []].flat() as Identifier[]
    const each = new Map(members.map((one) => [one.id, one]))
    const expected = [...each.values()].toSorted((one, other) => compare(one.id, other.id))
    // Other members of an identifier have no effect.
    expect(expected, label).toMatchObject([shown.relationships?.[name]?.data ?? []].flat())
  }
}

/** The order of two values of one kind, as a database has it. */
export function compare(one: string | number | boolean, other: string | number | boolean): number {
  return typeof one === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
    : Number(one) - Number(JSON.parse(String(other)))
}
