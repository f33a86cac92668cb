import { createRegistry } from '../jsonapi/declare/registry.ts'
import type { About } from '../openapi/document.ts'
import { countries } from './countries.ts'
import { currencies } from './currencies.ts'
import { users } from './users.ts'

/** The resource types of this service. */
export const registry = createRegistry([users, countries, currencies])

/** The texts about the service in its interface description. */
export const about: About = {
  title: 'Users, Countries and Currencies',
  version: '1.0.0',
  description: 'People with their citizenships and relatives, countries and their currencies.',
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  scopes: {
    'users.read': 'Read-only access to user data.',
    'users.sensitive.read': "Read a user's sensitive attributes.",
    'users.citizenships.read': "Read a user's citizenships relationship.",
    'users.write': 'Create users, and change and delete your own.',
  },
}
