import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  deploymentOf,
  longestWrite,
  quiet,
  serviceAt,
} from '../../../../scripts/postgres/move/quiet.ts'

const vars = {
  AUTH_URL: 'https://login.example',
  TOKEN_ISSUER: 'https://login.example',
  TOKEN_AUDIENCE: 'https://api.example/jsonapi',
  JWKS_URL: 'https://login.example/jwks',
  READ_ONLY: 'true',
}

describe('The wait for writes that were under way', () => {
  it('is that of the body, the limiter and all calls of the database', () => {
    expect(longestWrite(vars)).toBe(10_000 + 500 + 2 * 5_000)
    const slower = { ...vars, D1_DEADLINE_MS: '20000', RATE_LIMIT_DEADLINE_MS: '3000' }
    expect(longestWrite(slower)).toBe(10_000 + 3_000 + 2 * 20_000)
  })
})

describe('A service on this machine', () => {
  /** The address of one whose report is this. */
  async function reporting(report: unknown): Promise<string> {
    const server = createServer((request, response) =>
      response.end(request.url === '/health' ? JSON.stringify(report) : '{"readOnly":true}'),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('is quiet once it takes no writes and the longest one has ended', async () => {
    const address = await reporting({ status: 'ok', readOnly: true, checks: {} })
    const waits: number[] = []
    const lines: string[] = []
    await quiet(
      serviceAt(address, vars),
      (line) => lines.push(line),
      async (milliseconds) => waits.push(milliseconds),
    )
    expect(waits).toEqual([20_500])
    expect(lines).toEqual(['No write is taken. Waiting 21 s for those that were under way'])
  })

  it('is refused while it takes writes', async () => {
    const address = await reporting({ status: 'ok', checks: {} })
    await expect(serviceAt(address, vars).demandReadOnly()).rejects.toThrow(
      `The service at ${address} takes writes: set READ_ONLY to "true" there, and begin again.`,
    )
  })

  it('is refused where nothing answers', async () => {
    await expect(serviceAt('http://127.0.0.1:1', vars).demandReadOnly()).rejects.toThrow(
      'http://127.0.0.1:1/health tells nothing',
    )
  })
})

describe('A deployment at Cloudflare', () => {
  type Version = readonly [id: string, percentage: number, vars: Readonly<Record<string, string>>]
  const asked: string[] = []
  let deployment = 'first'
  afterEach(() => {
    deployment = 'first'
  })

  /** What wrangler answers of versions on D1 that have these shares of the traffic. */
  const deployed = (...versions: readonly Version[]) => deployedOn('d1', ...versions)
  const deployedOn = (type: string, ...versions: readonly Version[]) =>
    deploymentOf(
      async (...args) => {
        asked.push(args.join(' '))
        if (args[0] === 'deployments') {
          return JSON.stringify({
            id: deployment,
            versions: versions.map(([version_id, percentage]) => ({ version_id, percentage })),
          })
        }
        const [, , own = {}] = versions.find(([id]) => id === args[2]) ?? []
        const texts = Object.entries(own).map(([name, text]) => ({
          type: 'plain_text',
          name,
          text,
        }))
        const others = [
          { type: 'secret_text', name: 'CARD_KEYS' },
          { type, name: 'DB' },
        ]
        return JSON.stringify({ id: args[2], resources: { bindings: [...others, ...texts] } })
      },
      ['--config', 'wrangler.toml', '--env', 'production'],
      'd1',
    )

  it('is quiet where all traffic is on versions that take no writes, by the slowest of them', async () => {
    const users = deployed(
      ['one', 90, vars],
      ['two', 10, { ...vars, D1_DEADLINE_MS: '9000' }],
      ['three', 0, {}],
    )
    await users.demandReadOnly()
    expect(users.settleMs()).toBe(60_000 + 10_000 + 500 + 2 * 9_000)
    expect(asked).toContain('versions view two --config wrangler.toml --env production --json')
  })

  it('is refused while a version has traffic that takes writes, and it is named', async () => {
    const { READ_ONLY: _, ...writing } = vars
    const users = deployed(['one', 95, vars], ['two', 5, writing])
    await expect(users.demandReadOnly()).rejects.toThrow(
      'Not all traffic is on a version with READ_ONLY: two (5 %). Set READ_ONLY to "true", deploy, and begin again.',
    )
    await expect(
      deployed(['one', 100, { ...vars, READ_ONLY: 'false' }]).demandReadOnly(),
    ).rejects.toThrow('one (100 %)')
  })

  it('is refused where it uses the database that would be written to, also while it takes no writes', async () => {
    await expect(deployedOn('hyperdrive', ['one', 100, vars]).demandReadOnly()).rejects.toThrow(
      'The version one has traffic and uses postgres, not d1',
    )
    await expect(deployedOn('kv_namespace', ['one', 100, vars]).demandReadOnly()).rejects.toThrow(
      'uses no database, not d1',
    )
  })

  it('is refused where another deployment came meanwhile, whatever is live now', async () => {
    const users = deployed(['one', 100, vars])
    await users.demandReadOnly()
    await users.demandReadOnly()
    deployment = 'back and forth'
    await expect(users.demandReadOnly()).rejects.toThrow(
      'There was a deployment or a roll-back meanwhile, by which writes may have been taken: begin again.',
    )
  })
})
