import { describe, expect, it } from 'vitest'
import type { WriteOperation } from '../../../../src/jsonapi/declare/operation.ts'
import type { Principal } from '../../../../src/jsonapi/declare/resource.ts'
import type { Payload } from '../../../../src/jsonapi/request/body.ts'
import { editOf } from '../../../../src/jsonapi/run/write-operation.ts'
import { client, person } from '../request/requests.ts'
import { endpointOf } from './readers.ts'

/** The edit of an operation of the second domain, `articles.update`. */
function edit(name: string, principal: Principal, payload: Partial<Payload> = {}) {
  const { definition, operation, relationship } = endpointOf(name)
  const sent = { attributes: {}, relationships: {}, ...payload }
  const write = operation as WriteOperation
  return editOf({ definition, operation: write, relationship, id: 'a1', payload: sent }, principal)
}

const people = (...ids: readonly string[]) => ids.map((id) => ({ id }))

describe('The edit of an operation', () => {
  it.each([
    ['articles.create', 'create'],
    ['articles.update', 'update'],
    ['articles.delete', 'delete'],
    ['articles.author.replaceOne', 'update'],
    ['articles.contributors.replaceMany', 'update'],
    ['articles.contributors.addMany', 'add'],
    ['articles.contributors.removeMany', 'remove'],
  ])('%s is: %s. It has a revision, and what was sent twice once', (name, kind) => {
    const payload = {
      attributes: { title: 'T' },
      relationships: { contributors: people('p1', 'p2', 'p1'), author: [] },
    }
    expect(edit(name, person('articles.write'), payload)).toEqual({
      type: 'articles',
      id: 'a1',
      kind,
      attributes: { title: 'T' },
      relationships: { contributors: people('p1', 'p2'), author: [] },
      owner: 'ann',
      revision: expect.stringMatching(/^[0-9a-f]{24}$/),
    })
  })

  it.each<[name: string, Principal, owner: string | null]>([
    ['articles.update', person('articles.write'), 'ann'],
    ['articles.update', person('articles.admin'), null],
    ['articles.delete', person('articles.write', 'articles.admin'), null],
    // A client is never let in for its scopes.
    ['articles.update', client('articles.admin'), 'ann'],
    ['people.favourite.replaceOne', person('people.write'), null],
    ['articles.author.replaceOne', person('articles.write'), 'ann'],
    // What is new belongs to the caller, also where callers may write any resource of the type.
    ['people.create', person('people.write'), 'ann'],
  ])('%s by %j is of a resource that must be, or will be, of %s', (name, principal, owner) => {
    expect(edit(name, principal).owner).toBe(owner)
  })
})
