import { describe, expect, it } from 'vitest'
import { fold, letters } from '../../../../src/jsonapi/declare/resource.ts'
import { canCompare } from '../../../../src/jsonapi/request/query.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { client, person } from '../request/requests.ts'

const reader = person('articles.read')
const machine = client('articles.read')

describe('who may not read an attribute', () => {
  it.each([
    { caller: 'a client', principal: machine, allowed: ['title', 'section', 'words'] },
    { caller: 'a reader', principal: reader, allowed: ['title', 'handle', 'section', 'words'] },
  ])('may not compare it: $caller compares $allowed', ({ principal, allowed }) => {
    // Only the owner sees the notes and one member of the layout: a sort or a filter by them would reveal those of others.
    const names = Object.keys(articles.attributes)
    expect(names.filter((name) => canCompare(articles, name, principal))).toEqual(allowed)
  })

  it('may compare ids, and nobody what is no attribute at all', () => {
    const fields = ['id', 'nothing']
    expect(fields.map((field) => canCompare(articles, field, machine))).toEqual([true, false])
  })
})

it('a unique value is compared without case, and with its accents', () => {
  expect(fold('Zoë@Example.COM')).toBe('zoë@example.com')
})

describe('the letters of a text, by which it is sorted', () => {
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
})
