import { describe, expect, it } from 'vitest'
import { isJsonApi, quality } from '../../../src/http/negotiate.ts'
import { atomicExtension as atomic } from '../../../src/jsonapi/atomic/extension.ts'
import { mediaType as type } from '../../../src/jsonapi/document.ts'

describe('Accept', () => {
  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'APPLICATION/VND.API+JSON',
    'text/html;q=0.9,*/*;q=0.1',
    `${type};q=0.001`,
    `${type};profile="a,b;c\\"d"`,
    `${type}; ext = ""`,
    `${type};ext="https://example.com/x", ${type}`,
    `${type};charset=utf-8, */*;q=0.1`,
    `*/*;q=0, ${type}`,
    `${type};q=0, ${type};q=0.5`,
    `${type};q=0.0000`,
    `${' '.repeat(8_192 - type.length)}${type}`,
  ])('%j is served', (header) => {
    expect(quality(header, type)).toBeGreaterThan(0)
  })

  it.each([
    'application/json',
    `${type}x`,
    `${type};ext=x, ${type};charset=utf-8`,
    `${type};q=0`,
    `${type};q=0.000`,
    `${type};q=0, */*`,
    'application/*;q=0, */*;q=0.5',
    `text/html;x=", ${type}, "`,
    `text/html;x="\\", ${type}, "`,
    ',',
    `${' '.repeat(8_193 - type.length)}${type}`,
  ])('%j is not', (header) => {
    expect(quality(header, type)).toBe(0)
  })

  it.each([
    [`text/html, ${type};q=0.5;ext="${atomic}"`, true],
    ['*/*', true],
    [type, false],
    [`${type};ext="${atomic} https://example.com/y"`, false],
  ])('of a path that supports an extension, %s, is served: %s', (header, isServed) => {
    expect(quality(header, type, atomic) > 0).toBe(isServed)
  })

  it.each<[header: string | undefined, wanted: number]>([
    [undefined, 1],
    ['text/html;level=1', 1],
    ['text/*;q=0.5, */*;q=0.1', 0.5],
    ['text/html;q=0.25, text/*, */*', 0.25],
    ['text/html;q=0.25, text/html;q=0.75, text/html;q=0.5', 0.75],
    ['text/plain', 0],
  ])('tells how much a type is wanted: %j is %d', (header, wanted) => {
    expect(quality(header, 'text/html')).toBe(wanted)
  })
})

describe('Content-Type', () => {
  it.each([
    type,
    'Application/Vnd.Api+Json',
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
    '*/*',
    `${type};charset=utf-8`,
    `${type};ext=x`,
    `${type};ext="\\x"`,
    `${type};ext="x";ext=""`,
    `${type};q=1`,
    `${type}, ${type}`,
    `=;${type}`,
    `${type};profile="${'x'.repeat(8_182 - type.length)}"`,
  ])('%j is not', (header) => {
    expect(isJsonApi(header)).toBe(false)
  })

  it.each([
    ['spaces around it', `" ${atomic} "`, true],
    ['several spaces between two of it', `"${atomic}   ${atomic}"`, true],
    ['no quotes', atomic, true],
    ['another beside it', `"${atomic} https://other.example"`, false],
    ['more letters', `"${atomic}s"`, false],
    ['nothing of it', '""', false],
  ])('names an extension with %s: ext=%s, %s', (_, named, isTaken) => {
    expect(isJsonApi(`${type};ext=${named}`, atomic)).toBe(isTaken)
  })
})
