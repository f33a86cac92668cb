import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'

it('The log names the version by its tag, which is the deployed commit', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line))
  Object.assign(env, { CF_VERSION_METADATA: { id: 'an id', tag: 'a commit', timestamp: '' } })
  const { default: worker } = await import('../../src/worker.ts')
  await worker.fetch(new Request('https://api.example/'))
  Reflect.deleteProperty(env, 'CF_VERSION_METADATA')
  expect(lines.map((line) => JSON.parse(line).version)).toEqual(['a commit'])
})
