import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'

it('With a wrong configuration every answer is a 500, and health a 503; the log names the variable and the version that runs', async () => {
  const lines: string[] = []
  for (const level of ['log', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => lines.push(line))
  }
  const { JWKS_URL } = env
  // A version is named by its tag, which is the deployed commit.
  const version = { id: 'an id', tag: 'a commit', timestamp: '' }
  Object.assign(env, { JWKS_URL: 'nowhere', CF_VERSION_METADATA: version })
  const { default: worker } = await import('../../src/worker.ts')
  Object.assign(env, { JWKS_URL })
  Reflect.deleteProperty(env, 'CF_VERSION_METADATA')
  const ask = async (path: string) => {
    const answer = await worker.fetch(new Request(`https://api.example${path}`))
    return { status: answer.status, text: await answer.text() }
  }
  const { status, text } = await ask('/jsonapi/countries')
  expect([status, JSON.parse(text).errors[0].code]).toEqual([500, 'INTERNAL_SERVER_ERROR'])
  expect(text).not.toContain('JWKS_URL')
  const health = await ask('/health')
  expect([health.status, JSON.parse(health.text).checks]).toEqual([
    503,
    { configuration: 'failing' },
  ])
  expect(lines.filter((line) => line.includes('JWKS_URL must be'))).not.toEqual([])
  const requests = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request')
  expect(requests.map(({ version }) => version)).toEqual(['a commit', 'a commit'])
})
