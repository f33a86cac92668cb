import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { loadDatabase } from '../data/database.ts'
import { databaseOn } from '../data/sqlite.ts'

/** Makes a database in a folder, as the migrations make it, and fills in people. Returns its file. */
export async function createDatabase(folder: string, people: number): Promise<string> {
  const file = join(folder, 'peer.sqlite')
  const sqlite = new DatabaseSync(file)
  await loadDatabase(databaseOn(sqlite), { people, seal: async () => null })
  sqlite.close()
  return file
}
