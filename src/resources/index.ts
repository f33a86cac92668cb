import type { TableSource } from '../db/source.ts'
import { createRegistry } from '../jsonapi/registry.ts'
import { countries } from './countries.ts'
import { currencies } from './currencies.ts'
import { users } from './users.ts'

/** The resource types of this service. */
export const registry = createRegistry<TableSource>([users, countries, currencies])
