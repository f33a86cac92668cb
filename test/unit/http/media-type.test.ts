import { describe, expect, it } from 'vitest'
import { isJsonApi, quality } from '../../../src/http/negotiate.ts'
import { atomicExtension as atomic } from '../../../src/jsonapi/atomic/extension.ts'
import { mediaType as type } from '../../../src/jsonapi/json.ts'

describe('Accept', () => {
  it.each<[header: string | undefined, weight: number, extension?: string]>([
    [undefined, 1],
    ['*/*', 1],
    ['APPLICATION/VND.API+JSON', 1],
    ['text/html;q=0.9,*/*;q=0.1', 0.1],
    [`${type};q=0.001`, 0.001],
    [`${type};profile="a,b;c\\"d"`, 1],
    [`${type};ext="https://example.com/x", ${type}`, 1],
    [`${type};charset=utf-8, */*;q=0.1`, 0.1],
    [`*/*;q=0, ${type}`, 1],
    [`${type};q=0.0000`, 1],
    [`${type};q="0"`, 1],
    [`${type};q=0.`, 0],
    [`${' '.repeat(8_192 - type.length)}${type}`, 1],
    [`${' '.repeat(8_193 - type.length)}${type}`, 0],
    ['application/json', 0],
    [`${type};ext=x, ${type};charset=utf-8`, 0],
    [`${type};q=0, */*`, 0],
    ['application/*;q=0, */*;q=0.5', 0],
    [`text/html, ${type};q=0.5;ext="${atomic}"`, 0.5, atomic],
    [type, 0, atomic],
    [`${type};ext="${atomic} https://example.com/y"`, 0, atomic],
  ])('%j has the weight %d', (header, weight, extension) => {
    expect(quality(header, type, extension)).toBe(weight)
  })

  it('gives other types a weight', () => {
    expect(quality('text/html;q=0.25, text/html;q=0.75, */*', 'text/html')).toBe(0.75)
    expect(quality('text/*;q=0.5, */*;q=0.1', 'text/html')).toBe(0.5)
  })
})

it.each<[header: string | undefined, accepted: boolean, extension?: string]>([
  [type, true],
  ['Application/Vnd.Api+Json', true],
  [`${type} ; PROFILE=x`, true],
  [`${type};ext=""`, true],
  [`${type};profile="${'x'.repeat(8_181 - type.length)}"`, true],
  [`${type};profile="${'x'.repeat(8_182 - type.length)}"`, false],
  [undefined, false],
  [`${type};charset=utf-8`, false],
  [`${type};ext=x`, false],
  [`${type};q=1`, false],
  [`${type}, ${type}`, false],
  [`${type};ext=" ${atomic}   ${atomic} "`, true, atomic],
  [`${type};ext="${atomic} https://other.example"`, false, atomic],
  [type, false, atomic],
])('the Content-Type %j is accepted: %s', (header, accepted, extension) => {
  expect(isJsonApi(header, extension)).toBe(accepted)
})
