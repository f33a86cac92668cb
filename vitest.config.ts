import { defineConfig } from 'vitest/config'

/** Two projects, so that a run of the unit tests alone starts no server. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          globalSetup: 'test/unit/db/d1/setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'http',
          include: ['test/http/**/*.test.ts'],
          globalSetup: 'test/support/setup.ts',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
