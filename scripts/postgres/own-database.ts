import { join } from 'node:path'
import { readOrMake } from '../lib/private-file.ts'
import { connected } from './client.ts'
import { timeouts } from './demands.ts'
import { newPassword, serverFolder, startPostgres } from './server.ts'

/** Starts the server of this folder, which ends with this process if nobody stops it, and gives the address of its database. */
export async function ownDatabase(): Promise<string> {
  console.log('Starting PostgreSQL; the first time takes some seconds')
  const folder = await serverFolder()
  const password = await readOrMake(join(folder, 'password'), async () => newPassword())
  const { url } = await startPostgres({ data: join(folder, 'data'), password })
  const client = await connected(url)
  for (const [name, milliseconds] of Object.entries(timeouts)) {
    await client.query(`ALTER DATABASE postgres SET ${name} = ${milliseconds}`)
  }
  await client.end()
  return url
}
