import { rm } from 'node:fs/promises'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths, readConfig } from '../lib/config.ts'

// The next start makes everything anew: database, demo data and the key that tokens are signed with. The
// secrets in .dev.vars stay, they may hold more than this project put there.
await runCommand(async () => {
  const { issuer } = readConfig()
  const running = await fetch(`${issuer}/jwks`).catch(() => undefined)
  if (running?.ok) {
    throw complaint('The service is running: end it with Ctrl-C first.')
  }
  await rm(paths.state, { recursive: true, force: true })
  console.log('The local state is gone: npm start begins afresh.')
})
