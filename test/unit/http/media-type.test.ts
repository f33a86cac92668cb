import { describe, expect, it } from 'vitest'
import { isJsonApi, quality } from '../../../src/http/negotiate.ts'

const type = 'application/vnd.api+json'

describe('Accept (contract, section 6; RFC 9110, section 12.5.1)', () => {
  it.each([
    undefined,
    '',
    ' ',
    '*/*',
    '*/*;level=1',
    'application/*',
    type,
    'APPLICATION/VND.API+JSON',
    `text/html, ${type}`,
    `text/html;q=0.9,*/*;q=0.1`,
    `${type};q=0.001`,
    `${type};q=1.000`,
    `${type}; profile="https://example.com/a https://example.com/b"`,
    `${type};profile="a,b;c\\"d"`,
    `${type};ext=""`,
    `${type};ext`,
    `${type}; ext = ""`,
    `${type};ext="https://example.com/x", ${type}`,
    `${type};charset=utf-8, */*;q=0.1`,
    `text/html;q=0, ${type}`,
    `*/*;q=0, ${type}`,
    `application/*;q=0, ${type};q=0.5`,
    ` ${type} ; q=0.3 `,
    `${type};q=0, ${type};q=0.5`,
    `${type};q="0"`,
    `${type};q=nonsense`,
    `${type};q=1.5`,
    `${type};q=-1`,
    `${type};q=0.0000`,
    `${type};q=01`,
    `${type};q=`,
    `${type};q`,
    `${type};q=1"`,
    `${' '.repeat(8_192 - type.length)}${type}`,
  ])('%j is served', (header) => {
    expect(quality(header, type)).toBeGreaterThan(0)
  })

  it.each([
    'text/html',
    'application/json',
    'application/vnd.api',
    `${type}x`,
    `${type};ext="https://example.com/x"`,
    `${type};ext=x, ${type};charset=utf-8`,
    `${type};charset=utf-8`,
    `${type};version=1`,
    `${type};q=0`,
    `${type};q=0.000`,
    `${type};q=0, */*`,
    '*/*;q=0',
    'application/*;q=0, */*;q=0.5',
    `text/html;profile="${type}"`,
    `text/html;x=", ${type}"`,
    `text/html;x=", ${type}, "`,
    `text/html;x="\\", ${type}, "`,
    ',',
    `${' '.repeat(8_193 - type.length)}${type}`,
  ])('%j is not', (header) => {
    expect(quality(header, type)).toBe(0)
  })
})

describe('Accept of a path that supports an extension (contract, section 13)', () => {
  const extension = 'https://example.com/x'

  it.each([
    [`${type};ext="${extension}"`, true],
    [`${type};ext="${extension} ${extension}"`, true],
    [`text/html, ${type};q=0.5;ext="${extension}"`, true],
    ['*/*', true],
    [type, false],
    [`${type};ext="${extension},y"`, false],
    [`${type};ext="${extension};y"`, false],
    [`${type};ext="${extension} https://example.com/y"`, false],
  ])('%s is served: %s', (header, isServed) => {
    expect(quality(header, type, extension) > 0).toBe(isServed)
  })
})

describe('how much a type is wanted (RFC 9110, section 12.5.1)', () => {
  it.each<[header: string | undefined, wanted: number]>([
    [undefined, 1],
    ['text/html', 1],
    ['text/html;level=1', 1],
    ['text/html;q;0.5', 1],
    ['text/html;q=0.25', 0.25],
    ['text/*;q=0.5, */*;q=0.1', 0.5],
    ['text/html;q=0.25, text/*, */*', 0.25],
    ['text/html;q=0.25, text/html;q=0.75, text/html;q=0.5', 0.75],
    ['text/plain', 0],
  ])('for the header %j is %d', (header, wanted) => {
    expect(quality(header, 'text/html')).toBe(wanted)
  })
})

describe('Content-Type (contract, section 6)', () => {
  it.each([
    type,
    'Application/Vnd.Api+Json',
    `${type};profile="https://example.com/a"`,
    `${type} ; PROFILE=x`,
    `${type};ext=""`,
    `${type};`,
    `${type};profile="${'x'.repeat(8_181 - type.length)}"`,
  ])('%j is JSON:API', (header) => {
    expect(isJsonApi(header)).toBe(true)
  })

  it.each([
    undefined,
    '',
    'application/json',
    'text/plain',
    '*/*',
    'application/*',
    `${type};charset=utf-8`,
    `${type};ext="https://example.com/x"`,
    `${type};charset=`,
    `${type};extx`,
    `${type};ext=x`,
    `${type};ext="\\x"`,
    `${type};ext=""""`,
    `${type};ext="x";ext=""`,
    `${type};q=1`,
    `${type}, ${type}`,
    `;${type}`,
    ` ; ${type}`,
    `=;${type}`,
    `${type};profile="${'x'.repeat(8_182 - type.length)}"`,
    `${type}x`,
  ])('%j is not', (header) => {
    expect(isJsonApi(header)).toBe(false)
  })
})

describe('the extensions that a Content-Type names (contract, section 13)', () => {
  const extension = 'https://jsonapi.org/ext/atomic'

  it.each([
    ['one with spaces around it', `" ${extension} "`],
    ['one twice, with several spaces between', `"${extension}   ${extension}"`],
    ['one in quotes that do not end', `"${extension}`],
    ['one without quotes', extension],
  ])('may be %s: ext=%s', (_, named) => {
    expect(isJsonApi(`${type};ext=${named}`, extension)).toBe(true)
    expect(isJsonApi(`${type};ext=${named}`)).toBe(false)
  })

  it.each([
    ['another beside it', `"${extension} https://other.example"`],
    ['one that only begins so', `"${extension}s"`],
    ['none', '""'],
  ])('may not be %s: ext=%s', (_, named) => {
    expect(isJsonApi(`${type};ext=${named}`, extension)).toBe(false)
  })
})
