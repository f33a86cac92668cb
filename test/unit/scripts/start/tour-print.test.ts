import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { curlLine } from '../../../../scripts/start/tour-print.ts'

it('The tour writes a request as a line of curl that a shell reads as the request it stands for', () => {
  const body = { data: { type: 'users', attributes: { fullName: `It's "$HOME" \\ \`x\`` } } }
  const url = 'http://127.0.0.1:8787/jsonapi/users/1?fields[users]=fullName'
  const headers = { 'Content-Type': 'application/vnd.api+json', 'If-Match': '"a"' }
  const line = curlLine('person', { method: 'PATCH', url, headers, body })
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
