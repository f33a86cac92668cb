import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { readConfig, rootPath } from '../lib/config.ts'
import { clientToken } from '../start/oauth.ts'
import { tryPrograms } from './programs.ts'

const help = `Tries the programs of docs/guides/clients.md on the service that npm start runs: generates their clients, compiles them under
strict, and runs each behind a proxy that makes trouble.

  npm run clients
`

await runCommand(async () => {
  readArguments({ name: 'clients', help, options: {} })
  const config = readConfig()
  // Complains in one line where npm start does not run.
  await clientToken(config.issuer)
  const failed = await tryPrograms({ ...config, rootPath: rootPath() })
  process.exitCode = failed > 0 ? 1 : 0
})
