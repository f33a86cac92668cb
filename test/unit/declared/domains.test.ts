import fc from 'fast-check'
import { afterAll, it, vi } from 'vitest'
import * as engine from '#columns'
import { problemsIn } from '../../../scripts/checks/declarations.ts'
import * as d1 from '../../../src/db/columns.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { isSlow } from '../runs.ts'
import { databasesFor } from './databases.ts'
import { domainOf, plans } from './domains.ts'
import { scopes, serviceOn } from './service.ts'
import { tryDomain } from './trial.ts'

vi.spyOn(console, 'log').mockReturnValue()
vi.spyOn(console, 'error').mockReturnValue()

const numRuns = isSlow() ? 100 : 10
const databases = await databasesFor(numRuns)
afterAll(databases.close)

it('What the check of declarations accepts is served, on the engine of this run', async () => {
  const served = fc.asyncProperty(plans, fc.gen(), async (plan, gen) => {
    fc.pre(problemsIn(domainOf(plan, d1).registry, scopes).length === 0)
    const { registry, open, tables } = domainOf(plan, engine)
    const { database, run, drop } = await databases.create(tables)
    const serving = (registry: Registry) => ({ registry, send: serviceOn(database, registry) })
    await tryDomain({ ...serving(registry), open: serving(open), run, gen })
    await drop()
  })
  const seed = Number(process.env.SEED ?? (isSlow() ? Date.now() : 3))
  const options = { seed, endOnFailure: true, unbiased: true }
  const { failed, errorInstance } = await fc.check(served, { ...options, numRuns })
  if (failed) {
    const logged = vi.mocked(console.error).mock.lastCall
    throw new Error(`SEED=${seed}: ${logged}`, { cause: errorInstance })
  }
}, 3_600_000)
