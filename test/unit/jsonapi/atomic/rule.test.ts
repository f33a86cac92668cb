import { describe, expect, it } from 'vitest'
import { transactionRule } from '../../../../src/jsonapi/atomic/extension.ts'
import { createRegistry } from '../../../../src/jsonapi/declare/registry.ts'
import { anyone, type ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { tags } from '../../db/second-domain/tags.ts'

/** The rule of a service whose only writes are a create and a delete with these rules of access. */
function ruleOf(
  create: NonNullable<ResourceDefinition['operations']['create']>['access'],
  remove = create,
) {
  const written = { create: { access: create, newId: () => '1' }, delete: { access: remove } }
  const operations = { ...tags.operations, ...written }
  return transactionRule(createRegistry([{ ...tags, operations }]))
}

describe('the rule of transactions', () => {
  it('admits who may make at least one of the writes, each alternative once', () => {
    expect(transactionRule(registry)).toEqual({
      access: [
        { scopes: ['articles.write'] },
        { scopes: ['articles.admin'] },
        { scopes: ['people.write'] },
      ],
    })
  })

  it('asks for the scopes of an owner without the ownership, which is judged for each operation', () => {
    expect(ruleOf([{ scopes: ['a'], owner: true }])).toEqual({ access: [{ scopes: ['a'] }] })
  })

  it('takes scopes as the same in whatever order they are declared', () => {
    expect(ruleOf([{ scopes: ['b', 'a'] }], [{ scopes: ['a', 'b'] }])?.access).toHaveLength(1)
    expect(ruleOf([{ scopes: ['ab'] }], [{ scopes: ['a', 'b'] }])?.access).toHaveLength(2)
  })

  it('admits every person where owners need no scope, and everybody where anyone may write', () => {
    expect(ruleOf([{ owner: true }])).toEqual({ access: [{ owner: true }] })
    expect(ruleOf([{ owner: true }], anyone)).toEqual({ access: [{ owner: true }, {}] })
  })

  it('does not exist where nothing can be written', () => {
    expect(transactionRule(createRegistry([tags]))).toBeUndefined()
  })
})
