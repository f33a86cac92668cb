import { describe, expect, it } from 'vitest'
import type { ResourceRecord } from '../../../../src/jsonapi/run/store.ts'
import { client, person } from '../request/requests.ts'
import { ask } from './reading.ts'

/** A resource with a revision, as a store may hand it over for any read. */
function record(type: string, owned = true): ResourceRecord {
  return { type, id: 'x', owned, attributes: {}, linkage: {}, revision: 'r1' }
}

describe('the revision of an answer (contract, section 9)', () => {
  it.each([
    ['articles.get', 'articles'],
    ['articles.author.readOne', 'articles'],
    ['articles.tags.readMany', 'articles'],
  ])('is that of the one resource in the path: %s', async (name, type) => {
    const principal = person('articles.read')
    const { revision } = await ask(name, {
      principal,
      id: 'a1',
      instead: { records: [record(type)] },
    })
    expect(revision).toBe('r1')
  })

  it.each([
    ['articles.list', undefined, 'articles'],
    ['articles.author.relatedOne', 'a1', 'people'],
    ['articles.tags.relatedMany', 'a1', 'tags'],
  ])('is absent where the answer shows other resources: %s', async (name, id, type) => {
    const principal = person('articles.read')
    const { revision } = await ask(name, {
      principal,
      ...(id !== undefined && { id }),
      instead: { records: [record(type)] },
    })
    expect(revision).toBeUndefined()
  })

  it.each([
    ['its owner, with whatever scope', 'articles', true, person(), 'r1'],
    ['a person who does not own it', 'articles', false, person('articles.write'), undefined],
    ['a client', 'articles', false, client('articles.admin'), undefined],
    ['who may write it without owning it', 'articles', false, person('articles.admin'), 'r1'],
    ['who may write what nobody owns', 'people', false, person('people.write'), 'r1'],
    ['who may not write what nobody owns', 'people', false, person('articles.write'), undefined],
  ])('is told as it should be to %s', async (_, type, owned, principal, told) => {
    const instead = { records: [record(type, owned)] }
    for (const name of [
      `${type}.get`,
      `${type}.${type === 'people' ? 'follows' : 'tags'}.readMany`,
    ]) {
      expect((await ask(name, { principal, id: 'x', instead })).revision, name).toBe(told)
    }
  })

  it('is absent where nothing is found', async () => {
    const { revision } = await ask('articles.list', { instead: { records: [] } })
    expect(revision).toBeUndefined()
  })
})

describe('a read of linkage', () => {
  it('reads nothing of the resource but that it exists', async () => {
    const { reads } = await ask('articles.tags.readMany', { id: 'a1' })
    expect(reads[0]?.show).toEqual({ attributes: [], ownAttributes: [], relationships: [] })
  })
})
