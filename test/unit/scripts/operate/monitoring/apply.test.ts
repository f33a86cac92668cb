import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { alerts } from '../../../../../scripts/operate/monitoring/alerts.ts'
import { accountFrom, applyQueries } from '../../../../../scripts/operate/monitoring/apply.ts'
import {
  type SavedQuery,
  savedQueries,
} from '../../../../../scripts/operate/monitoring/cloudflare.ts'

const queries = savedQueries('the-worker', alerts)

/** Saved queries as an account lists them: with members of its own. */
interface Stored {
  name: string
  parameters: object
}

let server: Server | undefined

/** An account with these queries, which refuses other tokens. */
async function accountWith(stored: Stored[]) {
  const calls: string[] = []
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://api')
    calls.push(`${request.method} ${pathname}`)
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.headers.authorization !== 'Bearer the-token') {
      answer(403, { success: false, errors: [{ code: 10000, message: 'Authentication error' }] })
    } else if (request.method === 'POST') {
      const made = (await json(request)) as SavedQuery
      stored.push(made)
      answer(200, { success: true, result: made })
    } else {
      const [page, size] = ['page', 'perPage'].map((name) => Number(searchParams.get(name)))
      const from = ((page ?? 1) - 1) * (size ?? 0)
      answer(200, { success: true, result: stored.slice(from, from + (size ?? 0)) })
    }
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    calls,
    account: { id: 'the-account', token: 'the-token', api: `http://127.0.0.1:${port}` },
  }
}

afterEach(async () => {
  await new Promise((resolve) => server?.close(resolve))
})

const names = queries.map(({ name }) => name)

describe('npm run monitoring -- --apply', () => {
  it('saves every query in an account that has none, and nothing the second time', async () => {
    const stored: Stored[] = []
    const { account, calls } = await accountWith(stored)
    expect(await applyQueries(queries, account)).toEqual({ made: names, there: [], different: [] })
    expect(stored).toEqual(queries)
    expect(new Set(calls)).toEqual(
      new Set(
        ['GET', 'POST'].map(
          (method) => `${method} /accounts/the-account/workers/observability/queries`,
        ),
      ),
    )

    expect(await applyQueries(queries, account)).toEqual({ made: [], there: names, different: [] })
    expect(stored).toHaveLength(queries.length)
  })

  it('finds queries on later pages, with members that the API adds, and leaves those of others alone', async () => {
    const others = Array.from({ length: 150 }, (_, n) => ({ name: `other ${n}`, parameters: {} }))
    const own = queries.map(({ name, parameters }) => ({
      name,
      id: 'an-id',
      parameters: { ...parameters, limit: 10 },
    }))
    const stored: Stored[] = [...others, ...own]
    const { account } = await accountWith(stored)
    expect(await applyQueries(queries, account)).toEqual({ made: [], there: names, different: [] })
    expect(stored).toHaveLength(150 + queries.length)
  })

  it('tells which queries of an account ask for something else', async () => {
    const [first, ...rest] = queries
    const { account } = await accountWith([
      { name: String(first?.name), parameters: { ...first?.parameters, filters: [] } },
    ])
    expect(await applyQueries(queries, account)).toEqual({
      made: rest.map(({ name }) => name),
      there: [],
      different: [first?.name],
    })
  })

  it('says in one line why the API refuses', async () => {
    const { account } = await accountWith([])
    await expect(applyQueries(queries, { ...account, token: 'another' })).rejects.toMatchObject({
      name: 'Complaint',
      message: 'Cloudflare refuses with 403: Authentication error',
    })
  })

  it('takes the account that wrangler takes, and says in one line what is missing', () => {
    expect(accountFrom({ CLOUDFLARE_ACCOUNT_ID: 'a', CLOUDFLARE_API_TOKEN: 't' })).toEqual({
      id: 'a',
      token: 't',
      api: 'https://api.cloudflare.com/client/v4',
    })
    for (const env of [{ CLOUDFLARE_ACCOUNT_ID: 'a' }, { CLOUDFLARE_API_TOKEN: 't' }]) {
      expect(() => accountFrom(env)).toThrow(/^Which account\? [^\n]+$/)
    }
  })
})
