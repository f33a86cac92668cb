import { expect } from 'vitest'
import { isComputed } from '../../../src/db/stored.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { mapRecord } from '../../../src/openapi/json-schema.ts'
import type { Document, Identifier, Resource } from '../../support/documents.ts'

/** A resource as it should be: its attributes, and the members of its relationships with their meta. */
interface Expected {
  readonly attributes: Record<string, unknown>
  readonly links: Record<string, Map<string, unknown>>
}

/** What was written to a domain, by type and id, and what answers should show of it. */
export class Memory {
  readonly #registry: Registry
  readonly #world: ReadonlyMap<string, Map<string, Expected>>

  constructor(registry: Registry) {
    this.#registry = registry
    this.#world = new Map(registry.types.map((type) => [type, new Map()]))
  }

  /** The resources of a type. */
  of(type: string): Map<string, Expected> {
    return this.#world.get(type) as Map<string, Expected>
  }

  ids(type: string): string[] {
    return [...this.of(type).keys()]
  }

  /** Ids of each type; one that nothing has where there is none. */
  allIds(): Record<string, string[]> {
    const { types } = this.#registry
    const idsOf = (type: string) => (this.of(type).size > 0 ? this.ids(type) : ['none'])
    return Object.fromEntries(types.map((type) => [type, idsOf(type)]))
  }

  /** Keeps what a write that was accepted has done. */
  learn(type: string, id: string, { attributes, relationships }: Partial<Resource>): void {
    const blank = { attributes: Object.create(null), links: Object.create(null) }
    const known: Expected = this.of(type).get(id) ?? blank
    for (const [name, value] of Object.entries(attributes ?? {})) {
      known.attributes[name] = isNothing(value) ? undefined : value
    }
    for (const [name, { data }] of Object.entries(relationships ?? {})) {
      const members = [data ?? []].flat() as readonly Identifier[]
      known.links[name] = new Map(members.map(({ id, meta }) => [id, meta]))
    }
    this.of(type).set(id, known)
  }

  /** Forgets a resource that is deleted, and what refers to it. */
  forget(type: string, id: string): void {
    this.of(type).delete(id)
    for (const other of this.#registry.types) {
      for (const [name, { target }] of Object.entries(this.#registry.get(other).relationships)) {
        for (const { links } of target === type ? this.of(other).values() : []) {
          links[name]?.delete(id)
        }
      }
    }
  }

  /** Is everything in an answer shown as it was written, with all that the caller may see, and all that include paths lead to? */
  check({ data, included }: Document, path: string, caller: string, label: string): void {
    const shown: Resource[] = [data ?? [], included ?? []].flat()
    for (const resource of shown) {
      if (resource.links && this.of(resource.type).has(resource.id)) {
        this.checkResource(resource, path, caller, label)
      }
    }
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

  checkResource(resource: Resource, path: string, caller: string, label: string): void {
    const { attributes, links } = this.of(resource.type).get(resource.id) as Expected
    const { attributes: declared, relationships } = this.#registry.get(resource.type)
    const seen = Object.entries(declared).flatMap(([name, { stored, access }]) => {
      const isSeen = access.some(
        ({ owner, scopes }) =>
          (caller === 'ann' || !owner) && (caller !== 'client' || (!scopes && !owner)),
      )
      const value = isComputed(stored)
        ? stored.value(mapRecord(stored.columns, (_, column) => attributes[column] ?? null))
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
}

/** Is it what an answer leaves out: no value, or an empty object or array? */
function isNothing(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0)
}

/** The order of two values of one kind, as a database has it. */
export function compare(one: string | number | boolean, other: string | number | boolean): number {
  return typeof one === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
    : Number(one) - Number(JSON.parse(String(other)))
}
