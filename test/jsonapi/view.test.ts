import { describe, expect, it } from 'vitest'
import type { Principal } from '../../src/jsonapi/access.ts'
import { fieldTree } from '../../src/jsonapi/fields.ts'
import { seesLinkage, sortProblems, viewOf } from '../../src/jsonapi/view.ts'
import { articles } from '../db/second-domain/articles.ts'

const person = (...scopes: string[]): Principal => ({
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(scopes),
})
const client: Principal = { ...person('articles.read'), kind: 'client' }
const reader = person('articles.read')

const view = (principal: Principal, fields?: string[], linked: string[] = []) =>
  viewOf(articles, principal, fields && fieldTree(fields), new Set(linked))

describe('what is fetched is what the caller may see, and nothing else (contract, section 4)', () => {
  it.each<[string, Principal, fields: string[] | undefined, linked: string[], selection: object]>([
    [
      'a person who may read',
      reader,
      undefined,
      [],
      {
        attributes: ['title', 'handle', 'section', 'words', 'layout'],
        ownAttributes: ['notes'],
        relationships: ['author', 'contributors', 'tags'],
      },
    ],
    [
      'a client',
      client,
      undefined,
      ['contributors'],
      {
        attributes: ['title', 'section', 'words', 'layout'],
        ownAttributes: [],
        relationships: ['author', 'tags'],
      },
    ],
    [
      'a person with other scopes',
      person('articles.write', 'articles.admin'),
      undefined,
      [],
      {
        attributes: ['title', 'section', 'words', 'layout'],
        ownAttributes: [],
        relationships: ['author', 'tags'],
      },
    ],
    [
      'some fields',
      reader,
      ['title', 'layout.columns', 'author'],
      [],
      { attributes: ['title', 'layout'], ownAttributes: [], relationships: ['author'] },
    ],
    [
      'fields without the relationship that include follows',
      reader,
      ['title'],
      ['tags'],
      { attributes: ['title'], ownAttributes: [], relationships: ['tags'] },
    ],
    ['no fields', reader, [], [], { attributes: [], ownAttributes: [], relationships: [] }],
    [
      'a field that is hidden',
      client,
      ['notes', 'handle', 'contributors'],
      ['contributors'],
      { attributes: [], ownAttributes: [], relationships: [] },
    ],
  ])('%s', (_, principal, fields, linked, selection) => {
    expect(view(principal, fields, linked).selection).toEqual(selection)
  })
})

describe('what is shown', () => {
  it('differs between own and foreign resources', () => {
    const names = (shown: readonly { name: string }[]) => shown.map(({ name }) => name)
    const { own, foreign } = view(reader)
    expect(names(own).filter((name) => !names(foreign).includes(name))).toEqual(['notes'])
    expect(own.find(({ name }) => name === 'layout')?.hidden).toEqual(new Set())
    expect(foreign.find(({ name }) => name === 'layout')?.hidden).toEqual(new Set(['budget']))
  })

  it('is a relationship with its links only where the linkage is hidden', () => {
    expect(view(client).relationships.map(({ name, linkage }) => [name, linkage])).toEqual([
      ['author', true],
      ['contributors', false],
      ['tags', true],
    ])
    expect(seesLinkage(articles, 'contributors', client)).toBe(false)
    expect(seesLinkage(articles, 'contributors', reader)).toBe(true)
    expect(seesLinkage(articles, 'nothing', reader)).toBe(false)
  })
})

describe('an order tells of its values: who may not read them may not sort by them', () => {
  const sort = [
    { field: 'handle', descending: true },
    { field: 'title', descending: false },
  ]

  it('is a problem for each such field', () => {
    expect(sortProblems(articles, sort, client)).toEqual([
      {
        code: 'INVALID_ENUM_VALUE',
        detail: 'This caller may not sort by handle. Allowed: title, section.',
        source: { parameter: 'sort' },
      },
    ])
  })

  it('is none for who may read all of them', () => {
    expect(sortProblems(articles, sort, reader)).toEqual([])
  })

  it('goes by what is seen of foreign resources: an order holds all of them', () => {
    const owned = { ...articles, sorts: ['notes'] as const }
    expect(sortProblems(owned, [{ field: 'notes', descending: false }], reader)).toHaveLength(1)
  })
})
