import { expect, it } from 'vitest'
import { foldCase, sortKey } from '../../../src/db/stored.ts'

it('a unique value is compared without case, and with its accents', () => {
  expect(foldCase('Zoë@Example.COM')).toBe('zoë@example.com')
})

// test/http/spec/sorting.test.ts has the names of twenty languages.
it.each([
  ['German, in capitals, too', 'GROẞ Straße', 'gross strasse'],
  ['Northern Sami', 'Áŋŋel Ŧiina', 'annel tiina'],
  ['Dutch, a ligature', 'Ĳsbrand', 'ijsbrand'],
  ['Greek, whatever form sigma has', 'Άρης Παπάς', 'αρησ παπασ'],
  ['Hindi, whose vowels are marks', 'राम', 'राम'],
  ['Thai', 'กำพล ดี', 'ก\u0e4d\u0e32พล ดี'],
  ['Arabic', 'أحمد', 'ا\u0654حمد'],
  ['Japanese, a voiced sound', 'が', 'か\u3099'],
  ['none: a number, a smile and a mark alone', 'Ⅷ 😀 \u0301', 'viii 😀 '],
])('the sort key of a name is its letters without case and accents: %s', (_, name, key) => {
  expect(sortKey(name)).toBe(key.normalize('NFKD'))
  expect(sortKey(name.normalize('NFD'))).toBe(sortKey(name.normalize('NFC')))
  expect(sortKey(name.toUpperCase())).toBe(sortKey(name.replace('ı', 'i')))
})

it('a sort key is the first 128 characters of what a text is folded to', () => {
  expect(sortKey('é'.repeat(200))).toBe('e'.repeat(128))
  expect(sortKey('😀'.repeat(129))).toBe('😀'.repeat(128))
  expect(sortKey(`${'\u0301'.repeat(200)}a`)).toBe('a')
  expect(sortKey('ﬃ'.repeat(100))).toBe('ffi'.repeat(43).slice(0, 128))
  expect(sortKey('æ'.repeat(100))).toBe('ae'.repeat(64))
})
