import { getHeapSnapshot } from 'node:v8'
import { expect, it } from 'vitest'
import { editBinder } from '../../../src/db/edit.ts'
import { readBinder } from '../../../src/db/read.ts'
import type { Read } from '../../../src/jsonapi/run/store.ts'
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
const bindRead = readBinder(registry, binding.cipher)

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

/** Binds reads of every kind, each with values of its own. */
function bindReads(nth: number): void {
  const ids = [sent('id', nth), sent('other', nth)]
  const page = { filter: { id: ids }, sort: [], after: [sent('after', nth)], limit: 20 }
  const rest = {
    show: { attributes: ['handle'], ownAttributes: ['notes'], relationships: ['contributors'] },
    alongside: [],
    viewer: sent('viewer', nth),
  } as const
  const of = { type: 'articles', relationship: 'contributors', id: sent('owner', nth) }
  const reads: Read[] = [
    { ...rest, type: 'articles', from: { kind: 'ids', ids } },
    { ...rest, type: 'articles', from: { kind: 'ids', ids: [sent('one', nth)] } },
    { ...rest, type: 'articles', from: { kind: 'page', ...page, total: true, offset: 0 } },
    {
      ...rest,
      type: 'people',
      show: { attributes: [], ownAttributes: [], relationships: [] },
      from: { kind: 'page', ...page, of, total: false, offset: 0 },
    },
    {
      ...rest,
      type: 'articles',
      from: { kind: 'linkage', ...page, relationship: 'contributors', id: sent('linked', nth) },
    },
  ]
  for (const read of reads) {
    bindRead(read)
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

it('what is compiled for an edit or a read keeps names, and nothing of a request', async () => {
  const mine = sent('witness', 1)
  for (let nth = 1; nth <= 50; nth++) {
    await bindAll(nth)
    bindReads(nth)
  }
  expect(await held()).toEqual([mine])
})
