import { Miniflare } from 'miniflare'
import { compatibility } from '../../support/compatibility.ts'
import type { Database } from './d1.ts'

/** A statement and its values. */
export type Sent = readonly [text: string, ...values: readonly unknown[]]

/** A Worker that sends statements to one of its databases as a batch. */
const contents = `export default {
  async fetch(request, env) {
    const { name, statements } = await request.json()
    const prepared = statements.map(([text, ...values]) => env[name].prepare(text).bind(...values))
    try {
      return Response.json(await env[name].batch(prepared))
    } catch ({ message }) {
      return new Response(message, { status: 500 })
    }
  },
}`

/** Starts D1 itself, with databases of these names: one call of Miniflare for each round trip. */
export function startD1(...names: readonly string[]) {
  const modules = { 'worker.js': { type: 'esm', contents } } as const
  const miniflare = new Miniflare({
    cf: false,
    workers: [
      {
        config: {
          name: 'd1',
          compatibilityDate: compatibility.date,
          manifest: { mainModule: 'worker.js', modulesRoot: '/', modules },
          env: Object.fromEntries(names.map((name) => [name, { type: 'd1', id: name }])),
        },
      },
    ],
  })
  const open = (name: string, onRows: (count: number) => void = () => {}) => {
    const send = async (...statements: readonly Sent[]): Promise<D1Result[]> => {
      const body = JSON.stringify({ name, statements })
      const response = await miniflare.dispatchFetch('http://d1', { method: 'POST', body })
      const text = await response.text()
      if (!response.ok) {
        throw new Error(text)
      }
      const results: D1Result[] = JSON.parse(text)
      onRows(results.reduce((sum, { meta }) => sum + meta.rows_read, 0))
      return results
    }
    const bound = new WeakMap<object, Sent>()
    const prepare = (...sent: Sent): object => {
      const statement = {
        bind: (...values: readonly unknown[]) => prepare(sent[0], ...values),
        async raw() {
          const [{ results } = { results: [] }] = await send(sent)
          return results.map((row) => Object.values(row as object))
        },
      }
      bound.set(statement, sent)
      return statement
    }
    const batch = (all: readonly object[]) =>
      send(...all.flatMap((each) => [bound.get(each) as Sent]))
    return { send, database: { prepare, batch } as unknown as Database }
  }
  return {
    /** Opens a database; `onRows` is told how many rows each round trip has read. */
    open,
    close: () => miniflare.dispose(),
  }
}
