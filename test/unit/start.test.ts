import { expect, it, vi } from 'vitest'
import * as z from 'zod/mini'

it('a start makes schemas of seven kinds, because the first schema of a kind takes long (docs/performance.md, "Starting the Worker")', async () => {
  vi.stubGlobal('caches', { default: {} })
  vi.spyOn(console, 'log').mockImplementation(() => {})
  // Other files have made the schemas of the modules that they share with this one.
  vi.resetModules()
  const kinds = new Set<string>()
  z.config({
    postProcessor: (made) => {
      if (made instanceof z.ZodMiniType) {
        kinds.add(made.type)
      }
    },
  })
  // A name that vitest follows but the compiler does not: the platform's types do not mix with Node's.
  const { default: worker } = await import('../../src/worker.ts' as string)
  const { status } = await worker.fetch(new Request('https://api.example/'))
  expect(status).toBe(200)
  expect([...kinds].sort()).toEqual([
    'custom',
    'enum',
    'never',
    'object',
    'optional',
    'record',
    'string',
  ])
})
