import { join } from 'node:path'
import { readOrMake } from '../lib/private-file.ts'
import { connected } from './client.ts'
import { timeouts } from './demands.ts'
import { newPassword, serverFolder, startPostgres } from './server.ts'

const ownName = 'users'

/** Starts the server of this folder, which ends with this process if nobody stops it, and gives the address of its database. */
export async function ownDatabase(): Promise<string> {
  console.log('Starting PostgreSQL; the first time takes some seconds')
  const folder = await serverFolder()
  const password = await readOrMake(join(folder, 'password'), async () => newPassword())
  const { url } = await startPostgres({ data: join(folder, 'data'), password })
  const client = await connected(url)
  const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [ownName])
  if (rows.length === 0) {
    await client.query(`CREATE DATABASE ${ownName}`)
  }
  for (const [name, milliseconds] of Object.entries(timeouts)) {
    await client.query(`ALTER DATABASE ${ownName} SET ${name} = ${milliseconds}`)
  }
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${ownName}` }).href
}
