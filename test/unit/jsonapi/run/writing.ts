import { isRead } from '../../../../src/jsonapi/declare/operation.ts'
import type { Payload } from '../../../../src/jsonapi/request/body.ts'
import type { IdempotencyKey } from '../../../../src/jsonapi/run/idempotency.ts'
import type { Edit, Outcome, Store } from '../../../../src/jsonapi/run/store.ts'
import { write } from '../../../../src/jsonapi/run/write.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'
import { judge } from '../request/bodies.ts'
import { requestTo, type Sent } from '../request/requests.ts'
import { memoryStore, type Stored } from './memory-store.ts'
import { specOf } from './readers.ts'

/** What is written, and how the store says that it ended. */
interface Writing extends Sent {
  readonly body?: object | undefined
  readonly outcome?: Outcome
  readonly expected?: readonly string[]
  readonly key?: IdempotencyKey
  /** What a further round trip finds; without it, none is allowed. */
  readonly stored?: readonly Stored[]
}

/** What a store was asked to write. */
type Written = Omit<Edit, 'revision'>

const nothing: Payload = { attributes: {}, relationships: {} }

/** Runs a write operation of the second domain on a store that writes nothing, but ends as it is told. */
export async function send(
  name: string,
  { body, expected, key, stored, outcome = { kind: 'done', found: [] }, ...sent }: Writing,
) {
  const request = requestTo(name, sent)
  const { operation, path } = request
  if (isRead(operation)) {
    throw new Error(`${name} writes nothing`)
  }
  const writes: Written[] = []
  const revisions: string[] = []
  const keys: (IdempotencyKey | undefined)[] = []
  const store: Store = {
    read: stored
      ? memoryStore(stored).store.read
      : () => Promise.reject(new Error('A write is one round trip')),
    async write(edits, key) {
      keys.push(key)
      for (const { revision, ...edit } of edits) {
        writes.push(edit)
        revisions.push(revision)
      }
      return outcome
    },
  }
  const answer = await write(
    { registry, store, root: '/root', offsetLimit: 100_000, sealer },
    { ...request, operation },
    specOf(name, sent.query ?? {}, path),
    { payload: body ? payloadOf(name, body) : nothing, expected, key },
  )
  return { answer, writes, revisions, keys }
}

function payloadOf(name: string, body: object): Payload {
  const verdict = judge(name, body)
  if (!verdict.ok) {
    throw new Error(`Refused: ${JSON.stringify(verdict.problems)}`)
  }
  return verdict.value
}
