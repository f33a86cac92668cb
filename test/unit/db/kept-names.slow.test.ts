import { getHeapSnapshot } from 'node:v8'
import { expect, it } from 'vitest'
import { editBinder } from '../../../src/db/edit.ts'
import { contributors, create, edit, update } from './changes.ts'
import { registry } from './second-domain/registry.ts'
import { storeOptions } from './store-options.ts'

const binding = {
  registry,
  quotas: storeOptions.quotas,
  cipher: { encrypt: async () => 'sealed', decrypt: async () => '' },
  bindRead: () => ({}) as never,
}

const bindEdits = editBinder(binding)

/** A text that stands in no code as it is: what holds it has it from here. */
const sent = (what: string, nth: number): string => ['sent', what, nth * 7919].join('-')

/** Binds changes of every kind with their probes, each with values of its own. */
async function bindAll(nth: number): Promise<void> {
  const values = { handle: sent('handle', nth), notes: sent('notes', nth) }
  const author = [{ id: sent('author', nth) }]
  const contributor = sent('contributor', nth)
  for (const change of [
    create(sent('created', nth), values, { author }),
    update(sent('updated', nth), values, { author }),
    contributors('replace', sent('replaced', nth), [contributor]),
    contributors('remove', sent('removed', nth), [contributor]),
  ]) {
    const [bound] = await bindEdits([edit(change)])
    bound?.probe()
  }
}

/** The texts of {@link sent} that the heap holds after a collection, which each snapshot begins with. */
async function held(): Promise<readonly string[]> {
  const parts: Uint8Array[] = []
  for await (const part of getHeapSnapshot()) {
    parts.push(part)
  }
  return (
    Buffer.concat(parts)
      .toString('latin1')
      .match(/\bsent-\w+-\d+/g) ?? []
  )
}

it('what is compiled for an edit keeps names, and nothing of a request', async () => {
  const mine = sent('witness', 1)
  for (let nth = 1; nth <= 50; nth++) {
    await bindAll(nth)
  }
  expect(await held()).toEqual([mine])
})
