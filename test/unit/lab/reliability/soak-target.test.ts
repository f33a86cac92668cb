import { describe, expect, it } from 'vitest'
import { wishFrom } from '../../../../lab/reliability/soak/target.ts'

const url = 'https://api.example.com/jsonapi/'
const allow = 'api.example.com'
const wish = { url, allow, writes: false }

describe('What npm run soak puts under load', () => {
  it('is a service of its own, unless an address is given', () => {
    expect(wishFrom({ writes: false }, undefined)).toEqual({ minutes: 60, callers: 50, rate: 50 })
  })

  it('is a deployment whose host is named twice, gently unless more is asked for', () => {
    expect(wishFrom(wish, 'token')).toEqual({
      url: 'https://api.example.com/jsonapi',
      tokens: ['token'],
      writes: false,
      minutes: 5,
      callers: 5,
      rate: 5,
    })
    expect(wishFrom({ ...wish, minutes: '60', callers: '20', rate: '50' }, 'token')).toMatchObject({
      minutes: 60,
      callers: 20,
      rate: 50,
    })
  })

  it.each([
    ['an address alone', { url, writes: false }, /--allow api\.example\.com/],
    [
      'an address with another host',
      { ...wish, allow: 'example.com' },
      /--allow api\.example\.com/,
    ],
    ['another port', { ...wish, url: 'http://127.0.0.1:8787/jsonapi', allow: '127.0.0.1' }, /8787/],
    ['what is no address', { ...wish, url: 'api.example.com' }, /--url must be an address/],
    ['another protocol', { ...wish, url: 'ftp://api.example.com/' }, /--url must be an address/],
    ['more than an hour', { ...wish, minutes: '61' }, /--minutes .* at most 60/],
    ['too many callers', { ...wish, callers: '21' }, /--callers .* at most 20/],
    ['too high a rate', { ...wish, rate: '51' }, /--rate .* at most 50/],
    ['a rate that is none', { ...wish, rate: 'fast' }, /--rate .*"fast"/],
    ['no time at all', { ...wish, minutes: '0' }, /--minutes/],
    ['a host without an address', { allow, writes: false }, /--url/],
    ['writes without an address', { writes: true }, /--url/],
  ])('is nothing for %s, and one line says why', (_, given, words) => {
    const refusal = wishFrom(given, 'token')
    expect(refusal).toMatch(words)
    expect(refusal).toMatch(/^[^\n]+$/)
  })

  it('is nothing without a token', () => {
    expect(wishFrom(wish, undefined)).toMatch(/^SOAK_TOKEN /)
    expect(wishFrom(wish, '')).toMatch(/^SOAK_TOKEN /)
  })
})
