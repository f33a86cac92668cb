import fc from 'fast-check'
import { afterAll, expect, it, vi } from 'vitest'
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

const domains = Number(process.env.DOMAINS ?? (isSlow() ? 200 : 24))
const databases = await databasesFor(domains)
afterAll(databases.close)

it('What the check of declarations accepts is served, on the engine of this run', async () => {
  const first = Number(process.env.SEED ?? 1)
  const faults: string[] = []
  let [served, refused, requests] = [0, 0, 0]
  for (let nth = 0; served < domains; nth++) {
    // Of many, the last one is another one in each run.
    const isLast = isSlow() && served === domains - 1
    const seed = isLast ? Date.now() % 2 ** 31 : first + nth
    const [plan = []] = fc.sample(plans, { seed, numRuns: 1 })
    if (problemsIn(domainOf(plan, d1).registry, scopes).length > 0) {
      refused++
      continue
    }
    served++
    const { registry, tables } = domainOf(plan, engine)
    const { database, run, drop } = await databases.create(tables)
    const serving = (registry: Registry) => ({ registry, send: serviceOn(database, registry) })
    const open = serving(domainOf(plan, engine, true).registry)
    const trial = { ...serving(registry), open, run, seed }
    requests += await tryDomain(trial).catch(({ message, stack }: Error) => {
      const logged = vi.mocked(console.error).mock.calls.at(-1)
      faults.push(`SEED=${seed}: ${message}\n${JSON.stringify(logged)}\n${stack}`)
      return 0
    })
    await drop()
  }
  console.info(`${served} domains served, ${refused} refused, ${requests} requests`)
  expect(faults.map((fault) => fault.slice(0, 3_000))).toEqual([])
}, 3_600_000)
