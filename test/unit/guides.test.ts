import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { variableNames } from '../../src/config.ts'
import { errorCodes } from '../../src/jsonapi/problems.ts'

const root = new URL('../../', import.meta.url)
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** The functions that a guide shows. */
function shown(guide: string, name: string): (...args: readonly unknown[]) => unknown {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(textOf(`docs/guides/${guide}.md`)) ?? []
  return new Function(`${code}\nreturn ${name}`)()
}

let answers: Response[]
let asked: { url: string; headers: Headers }[]
beforeEach(() => {
  answers = []
  asked = []
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
    asked.push({ url: String(url), headers: new Headers(init.headers) })
    return answers.shift()
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const answer = (status: number, headers: Record<string, string> = {}, body: unknown = {}) =>
  new Response(status === 204 ? null : JSON.stringify(body), { status, headers })

it('The guide to errors tells for each code of the contract, and for no other, what to do', () => {
  const rows = [...textOf('docs/guides/errors.md').matchAll(/^\| (\d{3}) \| `(\w+)` \| .+ \|$/gm)]
  const told = rows.map(([, status, code]) => [code, Number(status)])
  const known = Object.entries(errorCodes).map(([code, { status }]) => [code, status])
  expect(new Set(told.map(String))).toEqual(new Set(known.map(String)))
})

describe('The guide to paging shows a client', () => {
  const read = async (url: string) => {
    const pages = shown('paging', 'pagesOf') as (
      ...args: readonly unknown[]
    ) => AsyncIterable<readonly number[]>
    const found = []
    for await (const page of pages(url, {})) {
      found.push(...page)
    }
    return found
  }

  it('that follows the cursors to the last page, and keeps other parameters', async () => {
    answers = [
      answer(200, {}, { data: [1, 2], meta: { pagination: { nextCursor: 'a' } } }),
      answer(200, {}, { data: [3], meta: { pagination: { nextCursor: 'b' } } }),
      answer(200, {}, { data: [4], meta: {} }),
    ]
    const url = 'https://api.example.com/jsonapi/users?sort=email'
    expect(await read(`${url}&page%5Boffset%5D=20`)).toEqual([1, 2, 3, 4])
    expect(asked.map((each) => each.url)).toEqual([
      `${url}&page%5Boffset%5D=20`,
      `${url}&page%5Bcursor%5D=a`,
      `${url}&page%5Bcursor%5D=b`,
    ])
  })

  it('that ends with the detail of an error', async () => {
    answers = [answer(400, {}, { errors: [{ detail: 'No such cursor.' }] })]
    await expect(read('https://api.example.com/jsonapi/users')).rejects.toThrow('No such cursor.')
  })
})

it('The guide to consistency shows a client that passes the latest bookmark on', async () => {
  const call = shown('consistency', 'call')
  answers = [
    answer(204, { 'X-D1-Bookmark': 'a' }),
    answer(200),
    answer(200, { 'X-D1-Bookmark': 'b' }),
    answer(200),
  ]
  for (let request = 0; request < 4; request++) {
    await call('https://api.example.com')
  }
  expect(asked.map(({ headers }) => headers.get('X-D1-Bookmark'))).toEqual([null, 'a', 'a', 'b'])
})

it('The page on configuration lists each variable that the service reads', () => {
  const rows = textOf('docs/configuration.md').matchAll(/^\| ((?:`[A-Z\d_]+`(?:, )?)+)/gm)
  const listed = [...rows].flatMap(([, names = '']) => names.match(/[A-Z\d_]+/g) ?? [])
  expect(listed.toSorted()).toEqual([...variableNames, 'CARD_KEYS'].toSorted())
})
