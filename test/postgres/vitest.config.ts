import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { http } from '../../vitest.config.ts'

const root = join(import.meta.dirname, '..', '..')

/** Commands read the declarations as they are for D1. */
const commands = ['test/postgres/{move,operate}.test.ts', 'test/postgres/failover.slow.test.ts']

/** Declarations of other domains are served on both engines. */
const declared = 'test/unit/declared/*.test.ts'

const common = { ...http, globalSetup: [], testTimeout: 300_000, hookTimeout: 300_000 }

/** The HTTP tests on PostgreSQL, and tests of that alone: `npm run test:postgres`. */
export default defineConfig({
  root,
  test: {
    // Many tests wait for locks and deadlines.
    maxWorkers: availableParallelism() + 1,
    globalSetup: 'test/postgres/setup.ts',
    projects: [
      { test: { ...common, name: 'postgres-commands', include: commands } },
      {
        test: {
          ...common,
          name: 'postgres',
          alias: {
            ...http.alias,
            '#columns': join(root, 'src', 'db', 'postgres', 'pg-columns.ts'),
            '#engine': join(root, 'src', 'db', 'postgres', 'pg-engine.ts'),
          },
          include: ['test/http/**/*.test.ts', 'test/postgres/**/*.test.ts', declared],
          exclude: [
            ...configDefaults.exclude,
            ...commands,
            // What these ask about is decided before the database, or knows none (docs/decisions.md).
            'test/http/{clients,description,faults,guides}/**',
            'test/http/api/{blocked,dearest-requests,deployment,rate-limit,tokens}.test.ts',
            'test/http/spec/{bodies-in-parts,content-negotiation,cors,methods}.test.ts',
            '**/*.slow.test.ts',
          ],
        },
      },
    ],
  },
})
