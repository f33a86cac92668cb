import type { IdempotencyKey } from '../../../../src/jsonapi/run/idempotency.ts'
import type { Edit, Found, Outcome, Store } from '../../../../src/jsonapi/run/store.ts'
import { transact } from '../../../../src/jsonapi/run/transact.ts'
import { documentOf } from '../../../support/documents.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { ann, judge } from '../request/transactions.ts'
import { memoryStore, type Stored } from './memory-store.ts'

/** How a transaction is run. */
interface Running {
  /** How the store ends, given the ids of what is added. Unless it is given, the store makes what is added. */
  readonly outcome?: (added: readonly string[]) => Outcome
  /** What a further round trip finds. */
  readonly stored?: (added: readonly string[]) => readonly Stored[]
  readonly key?: IdempotencyKey
  readonly principal?: typeof ann
}

/** Runs operations of the second domain as one transaction, on a store that writes nothing. */
export async function run(
  operations: readonly object[],
  { outcome, stored = () => [], key, principal = ann }: Running = {},
) {
  const verdict = judge(operations, principal)
  if (!verdict.ok) {
    throw new Error(`Refused: ${JSON.stringify(verdict.problems)}`)
  }
  const added = verdict.value.filter(({ operation }) => operation === 'create').map(({ id }) => id)
  const writes: { readonly edits: readonly Edit[]; readonly key: IdempotencyKey | undefined }[] = []
  const later = memoryStore(stored(added))
  const store: Store = {
    read: later.store.read,
    async write(edits, key) {
      writes.push({ edits, key })
      return outcome?.(added) ?? { kind: 'done', found: await made(edits) }
    },
  }
  const service = { registry, store, root: '/root', offsetLimit: 100_000, sealer }
  const answer = await transact(service, verdict.value, principal, key)
  return {
    answer,
    added,
    writes,
    reads: later.roundTrips,
    results: documentOf(answer.body ?? '')['atomic:results'] ?? [],
  }
}

/** What the creates among the edits make, as their reads show it to its owner. */
function made(edits: readonly Edit[]): Promise<Found[]> {
  const creates = edits.flatMap(({ type, change }) =>
    change.kind === 'create' ? [{ ...change, type, owned: true }] : [],
  )
  return Promise.all(
    creates.map(async ({ read, ...resource }) => {
      const [found] = await memoryStore([resource]).store.read([read])
      return found
    }),
  )
}
