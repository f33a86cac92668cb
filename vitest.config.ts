import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

/** What stands in for modules of the platform in Node. */
export const alias = {
  'cloudflare:workers': join(import.meta.dirname, 'test', 'support', 'cloudflare-workers.ts'),
}

/** Tests that take long or install packages: `npm run test:slow`. */
const slow = '*.slow.test.ts'

/** Files share the modules that they import, and a run of the unit tests alone starts no server. */
const common = {
  alias,
  isolate: false,
  execArgv: [`--require=${join(import.meta.dirname, 'scripts', 'lib', 'drizzle.js')}`],
  testTimeout: 60_000,
  hookTimeout: 60_000,
}
const unit = {
  ...common,
  setupFiles: 'test/unit/setup.ts',
}
/** Tests over HTTP on the built service. */
export const http = { ...common, globalSetup: 'test/support/setup.ts' }
/** The project's commands, builds and the local runtime, each of which is a process. They wait for processes, on a busy machine long. */
const commands = { ...common, testTimeout: 300_000, hookTimeout: 300_000 }
/** Slow tests run after all others. */
const patient = { sequence: { groupOrder: 1 }, testTimeout: 300_000 }
const exclude = [...configDefaults.exclude, `**/${slow}`]

export default defineConfig({
  test: {
    // Many tests wait for timers and processes.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { ...unit, name: 'unit', include: ['test/unit/**/*.test.ts'], exclude } },
      { test: { ...http, name: 'http', include: ['test/http/**/*.test.ts'], exclude } },
      { test: { ...commands, name: 'commands', include: ['test/commands/**/*.test.ts'], exclude } },
      { test: { ...unit, ...patient, name: 'slow-unit', include: [`test/unit/**/${slow}`] } },
      { test: { ...http, ...patient, name: 'slow-http', include: [`test/http/**/${slow}`] } },
      {
        test: {
          ...commands,
          ...patient,
          name: 'slow-commands',
          include: [`test/commands/**/${slow}`],
        },
      },
    ],
  },
})
