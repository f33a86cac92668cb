import { expect, it } from 'vitest'
import { transactionRule } from '../../../../src/jsonapi/atomic/extension.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { type AccessRule, anyone } from '../../../../src/jsonapi/declare/resource.ts'
import { tags } from '../../db/second-domain/tags.ts'

it.each<[create: AccessRule, remove: AccessRule, transaction: object[]]>([
  // Each operation is held to its ownership by itself.
  [[{ scopes: ['a'], owner: true }], [{ scopes: ['b'] }], [{ scopes: ['a'] }, { scopes: ['b'] }]],
  [[{ scopes: ['b', 'a'] }], [{ scopes: ['a', 'b'] }], [{ scopes: ['a', 'b'] }]],
  [[{ scopes: ['ab'] }], [{ scopes: ['a', 'b'] }], [{ scopes: ['ab'] }, { scopes: ['a', 'b'] }]],
  [[{ owner: true }], anyone, [{ owner: true }, {}]],
])('who may create (%j) or delete (%j) may send a transaction: %j', (create, remove, access) => {
  const written = { create: { access: create, newId: () => '1' }, delete: { access: remove } }
  const operations = { ...tags.operations, ...written }
  expect(transactionRule(createRegistry([{ ...tags, operations }]))).toEqual({ access })
})
