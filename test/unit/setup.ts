import { afterAll, vi } from 'vitest'
import * as z from 'zod/mini'

// Runs before each file. Files share what they import (vitest.config.ts): a file gets the globals as they were before any other.
const before = { Date, clearTimeout, setImmediate, setTimeout }

// Miniflare brings a Zod with messages in English and a search for cycles, for the whole process. The Worker has neither.
z.config({ localeError: undefined, memoizer: undefined })

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  // A spy on a timer that stood still puts that one back.
  Object.assign(globalThis, before)
})
