import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { lockFiles, lockState } from '../lib/lock.ts'
import { serverFolder } from '../postgres/server.ts'

const help = `Forgets all local state: the database with the demo data, and the key that tokens are signed with.
Keeps .dev.vars, which may hold secrets of your own. Refuses while npm start runs. Stop npx wrangler dev first: it
would not notice that its database is gone.

  npm run reset
`

await runCommand(async () => {
  readArguments({ name: 'reset', help, options: {} })
  lockState('npm run reset')
  const own: readonly string[] = lockFiles
  // Where this is root's, the data of PostgreSQL may be elsewhere.
  await rm(await serverFolder(), { recursive: true, force: true })
  const state = (await readdir(paths.state)).filter((name) => !own.includes(name))
  await Promise.all(state.map((name) => rm(join(paths.state, name), { recursive: true })))
  console.log('The local state is gone: npm start begins afresh.')
})
