import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { openD1 } from '../../scripts/lib/d1.ts'
import { createProgress } from '../../scripts/lib/progress.ts'
import { d1Through } from '../../scripts/operate/database.ts'
import { connected } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { copy } from '../../scripts/postgres/move/copy.ts'
import { startPostgres } from '../../scripts/postgres/server.ts'
import { loadDatabase } from './database.ts'
import { scratchFolder } from './scratch.ts'

/** Fills a local D1 with so many people, and moves them in a process of its own, as `npm run move` does. */
export async function printMove(people: number): Promise<void> {
  const folder = scratchFolder()
  const { binding, close } = await openD1(undefined, false, { state: folder })
  await loadDatabase(binding, people, async (_, number) => `v1.k1.${number}`)
  await close()
  const limits = ['--max-old-space-size=200', '--max-semi-space-size=2']
  execFileSync(process.execPath, [...limits, import.meta.filename, folder], { stdio: 'inherit' })
}

/** Moves what is in a folder to a server that writes to its disk, and prints time and memory. */
async function moveFrom(folder: string): Promise<void> {
  const server = await startPostgres({
    settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' },
  })
  await migrate(server.url)
  const client = await connected(server.url)
  const { binding, close } = await openD1(undefined, false, { state: folder })
  const start = Date.now()
  const rows = await copy(d1Through('D1', async () => binding).rows, client, {
    empty: false,
    progress: createProgress(),
    last: async () => {},
  })
  const seconds = ((Date.now() - start) / 1_000).toFixed(1)
  const [, peak] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  console.log(`${rows} rows in ${seconds} s, with at most ${Math.round(Number(peak) / 1_000)} MB`)
  await Promise.all([client.end(), close()])
  await server.stop()
}

const [, file, folder] = process.argv
if (file === import.meta.filename && folder !== undefined) {
  await moveFrom(folder)
  process.exit()
}
