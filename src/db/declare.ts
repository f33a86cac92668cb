import { createRegistry as collect } from '../jsonapi/declare/registry.ts'
import { declarations } from '../jsonapi/declare/resource.ts'
import type { StoredDefinition, StoredRegistry, Tables } from './source.ts'

/** The functions that declare resource types which are stored in tables. */
export const { defineResource, toOne, toMany } = declarations<Tables>()

/**
 * Collects resource types that are stored in tables.
 *
 * @throws Error when a type is declared twice
 */
export const createRegistry: (definitions: readonly StoredDefinition[]) => StoredRegistry = collect
