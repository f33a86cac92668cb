import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/jsonapi/declare/access.ts'
import { fieldTree } from '../../../../src/jsonapi/request/fields.ts'
import { seesLinkage, viewOf } from '../../../../src/jsonapi/run/view.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { client, person } from '../request/requests.ts'

const reader = () => person('articles.read')
/** A client is never let in for its scopes. */
const machine = () => client('articles.read')

const view = (
  principal: Principal,
  fields?: string[],
  follows: string[] = [],
  isIncluded = false,
) =>
  viewOf(articles, principal, fields && fieldTree(fields), {
    follows: new Set(follows),
    isIncluded,
  })

describe('what is fetched is what the caller may see, and nothing else (contract, section 4)', () => {
  it.each<[string, Principal, fields: string[] | undefined, linked: string[], selection: object]>([
    [
      'a person who may read',
      reader(),
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
      machine(),
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
      reader(),
      ['title', 'layout.columns', 'author'],
      [],
      { attributes: ['title', 'layout'], ownAttributes: [], relationships: ['author'] },
    ],
    [
      'fields without the relationship that include follows',
      reader(),
      ['title'],
      ['tags'],
      { attributes: ['title'], ownAttributes: [], relationships: ['tags'] },
    ],
    ['no fields', reader(), [], [], { attributes: [], ownAttributes: [], relationships: [] }],
    [
      'a field that is hidden',
      machine(),
      ['notes', 'handle', 'contributors'],
      ['contributors'],
      { attributes: [], ownAttributes: [], relationships: [] },
    ],
  ])('for %s', (_, principal, fields, linked, selection) => {
    expect(view(principal, fields, linked).selection).toEqual(selection)
  })
})

describe('what is shown', () => {
  it('differs between own and foreign resources', () => {
    const names = (shown: readonly { name: string }[]) => shown.map(({ name }) => name)
    const { own, foreign } = view(reader())
    expect(names(own).filter((name) => !names(foreign).includes(name))).toEqual(['notes'])
    expect(own.find(({ name }) => name === 'layout')?.hidden).toEqual(new Set())
    expect(foreign.find(({ name }) => name === 'layout')?.hidden).toEqual(new Set(['budget']))
  })

  it('is a relationship with its links only where the linkage is hidden', () => {
    expect(view(machine()).relationships.map(({ name, linkage }) => [name, linkage])).toEqual([
      ['author', true],
      ['contributors', false],
      ['tags', true],
    ])
    expect(seesLinkage(articles, 'contributors', machine())).toBe(false)
    expect(seesLinkage(articles, 'contributors', reader())).toBe(true)
    expect(seesLinkage(articles, 'nothing', reader())).toBe(false)
  })
})
