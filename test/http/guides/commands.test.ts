import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  configuredService,
  get,
  mediaType,
  person,
  reader,
  request,
} from '../../support/service.ts'
import { documentedRequest, urlOf } from '../description/documented.ts'
import { description, operations } from '../description/openapi.ts'

const run = promisify(execFile)

/** The fenced blocks of a guide that have a language, in their order. */
function blocksOf(guide: string, language: string): string[] {
  const text = readFileSync(new URL(`../../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  )
}

/** Writes the status of each answer to stderr, on a line of its own. */
const curl = `curl() { command curl -sS -w '%{stderr}%{http_code}\\n' "$@"; }\n`

/** Runs commands of a guide as John Doe, where only the tests of this file write to the demo people: they run one after the other. */
async function follow(script: string) {
  const { origin } = await configuredService()
  const token = await person('1', 'users.read users.citizenships.read users.write')
  const env = { ...process.env, api: `${origin}/jsonapi`, token }
  const { stdout, stderr } = await run('bash', ['-c', curl + script], { env })
  return { stdout, statuses: stderr.match(/^\d{3}$/gm) ?? [] }
}

describe.each(['errors', 'filtering', 'paging', 'rate-limits', 'consistency'])(
  'The commands in the guide %s',
  (guide) => {
    it('are answered with the statuses that stand behind them', async () => {
      const script = blocksOf(guide, 'sh').join('')
      const told = [...script.matchAll(/# (\d{3})$/gm)].map(([, status]) => status)
      const sent = script.match(/\bcurl\b/g)
      expect(told.length).toBe(sent?.length)
      expect((await follow(script)).statuses).toEqual(told)
    })
  },
)

/** A function that a guide shows. */
function shown(guide: string, name: string) {
  const [code] = blocksOf(guide, 'js')
  return new Function(`${code}\nreturn ${name}`)()
}

it('The guide to paging shows a client that reads all pages, and ends with the detail of an error', async () => {
  const { origin } = await configuredService()
  const headers = { Authorization: `Bearer ${await reader()}` }
  const read = async (query: string) => {
    const url = `${origin}/jsonapi/users?filter[id]=1,2,3,4,5,6&sort=email&page[offset]=1&${query}`
    const found: object[] = []
    for await (const page of shown('paging', 'pagesOf')(url, headers)) {
      found.push(...page)
    }
    return found
  }
  const all = await read('page[limit]=100')
  expect(all).toHaveLength(5)
  expect(await read('page[limit]=2')).toEqual(all)
  await expect(read('page[limit]=no')).rejects.toThrow('"no"')
})

it('The guide to consistency shows a client that passes the latest bookmark on', async () => {
  const { origin } = await configuredService()
  const call = shown('consistency', 'call')
  const Authorization = `Bearer ${await person('1', 'users.write')}`
  const bookmarkOf = async (path: string, init = {}): Promise<string | null> => {
    const headers = { Authorization, 'Content-Type': mediaType }
    return (await call(`${origin}/jsonapi${path}`, { headers, ...init })).headers.get(
      'X-D1-Bookmark',
    )
  }
  const data = { type: 'users', id: '1', attributes: {} }
  const body = JSON.stringify({ data })
  expect(await bookmarkOf('/users/1')).toBeNull()
  const written = await bookmarkOf('/users/1', { method: 'PATCH', body })
  const read = await bookmarkOf('/users/1')
  expect([typeof written, typeof read]).toEqual(['string', 'string'])
})

it('The guide to errors shows the answer to its command, but for the ids and what is allowed', async () => {
  const [command = ''] = blocksOf('errors', 'sh')
  const [shown = ''] = blocksOf('errors', 'json')
  const anonymous = (text: string) =>
    text.replaceAll(/"id": ?"[^"]+"/g, '"id":""').replace(/Allowed: [^"]+/, 'Allowed: …')
  const { stdout } = await follow(command)
  expect(JSON.parse(anonymous(stdout))).toEqual(JSON.parse(anonymous(shown)))
})

/** Every scope that the description names. */
const scopes = Object.keys(
  description.components.securitySchemes.Authorization_Code_With_PKCE.flows.authorizationCode
    .scopes,
).join(' ')

it('The examples of the description can be sent one after the other, in the order of the document, to the demo people, and each succeeds', async () => {
  const { origin } = await configuredService()
  const token = await person('1', scopes)
  const outcomes: string[] = []
  for (const operation of operations) {
    const { operationId, responses } = operation
    const [success] = Object.keys(responses)
    const sent = documentedRequest(operation)
    const target = `/jsonapi${urlOf(sent)}`
    const { status } = await request(sent.method, target, { ...sent, token, origin })
    outcomes.push(`${operationId}: ${status === Number(success)}`)
  }

  expect(outcomes).toHaveLength(operations.length)
  expect(outcomes.filter((outcome) => !outcome.endsWith('true'))).toEqual([])
  // John is still there.
  const { text } = await get('/users/1', token, { origin })
  expect(text).toContain('john.doe@example.com')
}, 120_000)
