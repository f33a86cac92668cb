import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { fold, letters, readableFaults } from '../../../../src/jsonapi/declare/readable.ts'
import type { Attribute, ResourceDefinition } from '../../../../src/jsonapi/declare/resource.ts'
import { anyText } from '../../../support/texts.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { client, person } from '../request/requests.ts'

const reader = person('articles.read')
const machine = client('articles.read')
const any = () => z.string()

/** Articles with a sort and a filter for every attribute. */
const open: ResourceDefinition = {
  ...articles,
  attributes: Object.fromEntries(
    Object.entries<Attribute>(articles.attributes).map(([name, attribute]) => [
      name,
      { ...attribute, sortable: true, filter: any },
    ]),
  ),
}

describe('who may not read an attribute may neither sort nor filter by it (contract, section 4)', () => {
  it('is told of each of them, with what is allowed', () => {
    const uses = { sort: ['handle', 'title'], filter: ['handle', 'id', 'section'] }
    expect(readableFaults(articles, uses, machine).problems).toEqual([
      {
        code: 'INVALID_ENUM_VALUE',
        detail: 'This caller may not sort by handle. Allowed: title, section.',
        source: { parameter: 'sort' },
      },
      {
        code: 'INVALID_ENUM_VALUE',
        detail: 'This caller may not filter by handle. Allowed: id, section.',
        source: { parameter: 'filter[handle]' },
      },
    ])
    expect(readableFaults(articles, uses, reader).problems).toEqual([])
  })

  it.each([
    { caller: 'a client', principal: machine, allowed: ['title', 'section', 'words'] },
    { caller: 'a reader', principal: reader, allowed: ['title', 'handle', 'section', 'words'] },
  ])('$caller may use $allowed of all attributes', ({ principal, allowed }) => {
    // Only the owner sees the notes and one member of the layout: a sort or a filter by them would reveal those of others.
    const names = Object.keys(articles.attributes)
    const refused = names.filter((name) => !allowed.includes(name))
    const { problems } = readableFaults(open, { sort: names, filter: ['id', ...names] }, principal)
    expect(problems.map(({ source }) => Object.values(source ?? {})[0])).toEqual([
      ...refused.map(() => 'sort'),
      ...refused.map((name) => `filter[${name}]`),
    ])
  })

  it('is told to everybody of what is no attribute at all', () => {
    const uses = { sort: ['nothing', 'id'], filter: ['nothing'] }
    expect(readableFaults(articles, uses, reader).problems).toHaveLength(2)
  })
})

it('a unique value is compared without case, and with its accents (contract, section 6)', () => {
  expect(fold('Zoë@Example.COM')).toBe('zoë@example.com')
})

describe('the letters of a text, by which it is sorted (contract, section 7)', () => {
  it.each([
    ['Émile', 'emile'],
    ['e\u0301', 'e'],
    ['ﬁn', 'fin'],
    ['Ⅷ', 'viii'],
    ['İstanbul', 'istanbul'],
    ['straße', 'straße'],
    ['Ørsted', 'ørsted'],
    ['가', '\u1100\u1161'],
    ['😀', '😀'],
    ['\u0301', ''],
  ])('of %s are %s', (text, folded) => {
    expect(letters(text)).toBe(folded)
  })

  it('are the first 128 characters of what they are folded to', () => {
    expect(letters(`${'é'.repeat(200)}`)).toBe('e'.repeat(128))
    expect(letters('😀'.repeat(129))).toBe('😀'.repeat(128))
    expect(letters(`${'\u0301'.repeat(200)}a`)).toBe('a')
    expect(letters('ﬃ'.repeat(100))).toBe('ffi'.repeat(43).slice(0, 128))
  })

  it('stay the same when they are folded again', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const once = letters(text)
        fc.pre(!/Σ/.test(text))
        expect(letters(once)).toBe(once)
      }),
    )
  })
})
