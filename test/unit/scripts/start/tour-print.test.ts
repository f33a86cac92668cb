import { execFileSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { curlLine, printAnswer } from '../../../../scripts/start/tour-print.ts'

const numbers = Array.from({ length: 20 }, (_, n) => ({ type: 'currencies', id: `C${n}` }))
const document = {
  jsonapi: { version: '1.1' },
  data: numbers,
  included: [
    { type: 'users', id: '1', attributes: { fullName: 'Anne "A" O\'Neill', rate: -1.5e3 } },
  ],
  links: { first: '/jsonapi/users', prev: null },
}

/** What is printed of an answer with a document. */
function printed(): string {
  const lines: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line = '') => void lines.push(line))
  printAnswer({ status: 200, headers: new Headers({ ETag: '"1"' }), document })
  spy.mockRestore()
  return lines.join('\n')
}

/** The JSON between the headers and what follows it. */
function jsonOf(text: string): unknown {
  const plain = stripVTControlCharacters(text)
  return JSON.parse(plain.slice(plain.indexOf('{'), plain.lastIndexOf('}') + 1))
}

describe('The tour prints an answer', () => {
  it('as JSON with two members of each list, and says how many there are', () => {
    const text = printed()
    expect(jsonOf(text)).toEqual({ ...document, data: numbers.slice(0, 2) })
    expect(stripVTControlCharacters(text)).toContain('\nThe first 2 of 20 in /data.')
  })
})

describe('The tour writes a request as a line of curl', () => {
  it('that a shell reads as the request it stands for', () => {
    const body = { data: { type: 'users', attributes: { fullName: `It's "$HOME" \\ \`x\`` } } }
    const url = 'http://127.0.0.1:8787/jsonapi/users/1?fields[users]=fullName'
    const line = curlLine('person', { method: 'PATCH', url, headers: { 'If-Match': '"a"' }, body })
    const shell = `curl() { printf '%s\\0' "$@"; }; person=a.b.c; ${line}`
    const words = execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).split('\0').slice(0, -1)
    expect(words).toEqual([
      '-g',
      '-X',
      'PATCH',
      '-H',
      'Authorization: Bearer a.b.c',
      '-H',
      'Content-Type: application/vnd.api+json',
      '-H',
      'If-Match: "a"',
      '-d',
      JSON.stringify(body),
      url,
    ])
  })

  it('without a method for a GET, and without a body where there is none', () => {
    const url = 'http://127.0.0.1:8787/jsonapi/countries'
    expect(curlLine('machine', { method: 'GET', url, headers: {}, body: undefined })).toBe(
      `curl -g -H "Authorization: Bearer $machine" '${url}'`,
    )
  })
})
