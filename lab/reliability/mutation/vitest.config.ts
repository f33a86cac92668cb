import { defineConfig } from 'vitest/config'
import { alias } from '../../../vitest.config.ts'

/** The tests that mutants are tried against: those that run in Node alone. Instrumented code is slow. */
export default defineConfig({
  test: {
    alias,
    include: ['test/unit/{jsonapi,openapi,auth,rate-limit}/**/*.test.ts'],
    testTimeout: 60_000,
  },
})
