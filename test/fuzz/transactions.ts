import fc, { type Arbitrary } from 'fast-check'
import type { Operation } from './description.ts'
import { type Ids, pathId, unique, valid } from './values.ts'

/** Is it the operation that is made of others? */
export function isTransaction({ path }: Pick<Operation, 'path'>): boolean {
  return path === '/operations'
}

const verbs: Readonly<Record<string, string>> = { POST: 'add', PATCH: 'update', DELETE: 'remove' }

/**
 * Bodies of transactions that are right: up to five writes in turn of what the caller owns, and of what earlier operations
 * have added; perhaps the last one removes it. Each holds the `data` of a body that the operation by itself would take.
 */
export function transactionOf(
  described: readonly Pick<Operation, 'method' | 'path' | 'body'>[],
  ids: Ids,
): Arbitrary<unknown> {
  const writes = described
    .filter((one) => one.body && !isTransaction(one))
    .map((write) =>
      fc.tuple(fc.constant(write), valid(write.body?.schema ?? {}, ids), fc.boolean()),
    )
  const writesInTurn = fc.array(fc.oneof(...writes), { minLength: 1, maxLength: 5 })
  return fc.tuple(writesInTurn, fc.nat(4)).map(([parts, end]) => {
    const added: string[] = []
    const operations = parts.map(([{ method, path }, body, byLid], index) => {
      const data = dataOf(body, index)
      const [, type = '', , , relationship] = path.split('/')
      if (method === 'POST' && relationship === undefined) {
        const lid = `l${index}`
        added.push(lid)
        return { op: 'add', data: { ...Object(data), lid } }
      }
      const lid = added.at(-1)
      if (relationship === undefined) {
        return { op: 'update', data }
      }
      const named = byLid && lid !== undefined ? { lid } : { id: pathId }
      return { op: verbs[method], ref: { type, ...named, relationship }, data }
    })
    const removal = { op: 'remove', ref: { type: 'users', id: pathId } }
    return { 'atomic:operations': end === 0 ? [...operations, removal] : operations }
  })
}

/** The `data` of a body; no two operations of a transaction have the same text where it must be unique. */
function dataOf(body: unknown, index: number): unknown {
  const text = JSON.stringify((body as { data: unknown }).data)
  return JSON.parse(text.replaceAll(unique, `${unique}-${index}`))
}
