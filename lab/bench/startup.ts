import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spreadOf } from './figures.ts'
import { exactCpuOf, startServer } from './server/process.ts'

const empty = `
import { DurableObject } from 'cloudflare:workers'
export class TokenBucket extends DurableObject {}
export default { fetch: () => new Response(null, { status: 204 }) }
`

/**
 * Milliseconds of CPU that loading a Worker takes: what workerd has used until its first answer, less what it
 * has used for a Worker that does nothing; the median of so many starts.
 *
 * @param scripts bundles by name
 * @param folder an empty folder
 */
export async function startUps(
  scripts: Readonly<Record<string, string>>,
  vars: Readonly<Record<string, string>>,
  folder: string,
  times: number,
): Promise<Record<string, number>> {
  await mkdir(folder, { recursive: true })
  const nothing = join(folder, 'empty.js')
  await writeFile(nothing, empty)
  const start = async (script: string): Promise<number> => {
    const storage = join(folder, 'storage')
    const file = join(import.meta.dirname, 'server', 'worker.ts')
    const server = await startServer(file, { script, storage, vars })
    // Without a token the answer comes from the code that was loaded, and from nothing else.
    await (await fetch(server.url)).arrayBuffer()
    const cpu = await exactCpuOf(server.pid)
    await server.stop()
    return cpu / 1000
  }
  const used: Record<string, number[]> = {}
  for (let time = 0; time < times; time++) {
    const base = await start(nothing)
    for (const [name, script] of Object.entries(scripts)) {
      used[name] = [...(used[name] ?? []), (await start(script)) - base]
    }
  }
  return Object.fromEntries(
    Object.entries(used).map(([name, values]) => [name, spreadOf(values).median]),
  )
}
