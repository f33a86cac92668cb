import { defineConfig } from 'vitest/config'

/** Tests that send requests to the built Worker; everything else runs in Node alone. */
const overHttp = ['test/{spec,api,model,oas}/**/*.test.ts']

/** Two projects, so that a run of the unit tests alone starts no server. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: overHttp,
          globalSetup: 'test/db/d1/setup.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'http',
          include: overHttp,
          globalSetup: 'test/harness/setup.ts',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
