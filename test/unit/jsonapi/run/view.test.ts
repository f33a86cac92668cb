import { describe, expect, it } from 'vitest'
import type { Principal } from '../../../../src/jsonapi/declare/resource.ts'
import { fieldTree } from '../../../../src/jsonapi/request/query.ts'
import { viewOf } from '../../../../src/jsonapi/run/plan.ts'
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
  viewOf(
    articles,
    principal,
    new Map(fields ? [['articles', fieldTree(fields)]] : []),
    new Set(follows),
    isIncluded,
  )

/** What is fetched for who may not read: attributes, those of own resources, relationships. */
const foreign = ['title,section,words,layout', '', 'author,tags']

describe('what is fetched is what the caller may see, and nothing else', () => {
  it.each<[who: string, seen: ReturnType<typeof view>, ...selected: string[]]>([
    [
      'a person who may read',
      view(reader()),
      ...['title,handle,section,words,layout', 'notes', 'author,contributors,tags'],
    ],
    ['a client', view(machine(), undefined, ['contributors']), ...foreign],
    ['a person with other scopes', view(person('articles.write', 'articles.admin')), ...foreign],
    [
      'some fields',
      view(reader(), ['title', 'layout.columns', 'author']),
      ...['title,layout', '', 'author'],
    ],
    [
      'fields without the relationship that include follows',
      view(reader(), ['title'], ['tags']),
      ...['title', '', 'tags'],
    ],
    ['no fields', view(reader(), []), '', '', ''],
    [
      'fields that are hidden',
      view(machine(), ['notes', 'handle', 'contributors'], ['contributors']),
      ...['', '', ''],
    ],
  ])('for %s', (_, { selection }, ...selected) => {
    const { attributes, ownAttributes, relationships } = selection
    expect([attributes, ownAttributes, relationships].map(String)).toEqual(selected)
  })
})

describe('what is shown', () => {
  it('differs between own and foreign resources', () => {
    const names = (shown: readonly { name: string }[]) => shown.map(({ name }) => name)
    const { own, foreign } = view(reader())
    expect(names(own).filter((name) => !names(foreign).includes(name))).toEqual(['notes'])
    expect(own.find(({ name }) => name === 'layout')?.hidden).toEqual([])
    expect(foreign.find(({ name }) => name === 'layout')?.hidden).toEqual(['budget'])
  })

  it('is a relationship with its links only where the linkage is hidden', () => {
    expect(view(machine()).relationships.map(({ name, linkage }) => [name, linkage])).toEqual([
      ['author', true],
      ['contributors', false],
      ['tags', true],
    ])
  })
})
