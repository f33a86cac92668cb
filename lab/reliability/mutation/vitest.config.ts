import { defineConfig } from 'vitest/config'

/** The tests that mutants are tried against: those that run in Node alone. Instrumented code is slow. */
export default defineConfig({
  test: {
    include: ['test/unit/{jsonapi,openapi,auth,rate-limit}/**/*.test.ts'],
    testTimeout: 60_000,
  },
})
