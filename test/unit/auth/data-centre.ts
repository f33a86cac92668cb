import { beforeEach, vi } from 'vitest'
import { createKeyCache } from '../../../src/auth/keys.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { background, find, pass, startIsolate, url } from './remote-keys.ts'

const base = 'https://api.example/jsonapi'

/** A ring of one key, made of one letter. */
export const ringOf = (letter: string) =>
  parseKeyRing(JSON.stringify({ current: 'k', keys: { k: letter.repeat(43) } }))
/** The ring of the isolates, unless they are given another. */
export const ring = ringOf('A')

/** A cache that counts what it is asked, and can be told to do other things. */
function createStore() {
  const kept = new Map<string, Response>()
  return {
    kept,
    match: vi.fn(async (address: string) => kept.get(address)?.clone()),
    put: vi.fn(async (address: string, response: Response): Promise<void> => {
      kept.set(address, response)
    }),
  }
}

/** The cache that isolates share. */
export let store: ReturnType<typeof createStore>

/** Begins each test of a file with an empty cache. */
export function useDataCentre(): void {
  beforeEach(() => {
    store = createStore()
  })
}

/** Starts an isolate in this data centre; options take the place of those of the other isolates. */
export function start(options: Partial<Parameters<typeof createKeyCache>[0]> = {}): void {
  startIsolate(createKeyCache({ store, ring, url, base, ...options }))
}

/** Has an isolate fetch the keys, and another one start this many milliseconds later. */
export async function warm(later = 0): Promise<void> {
  start()
  await find('a')
  await Promise.all(background)
  pass(later)
  start()
}
