import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import {
  clients,
  type LocalConfig,
  localVariables,
  readConfig,
  rootPath,
  tokenCommand,
} from '../lib/config.ts'
import { demandFreePort } from '../lib/ports.ts'
import { untilInterrupted } from './process.ts'

const help = `Runs the authorization server alone, beside npx wrangler dev, until Ctrl-C. npm start runs both.

  npm run issuer

  AUTH_PORT   the port that it listens on; the default is 9400, as in wrangler.toml
  PORT        the port of the service that its tokens are for; the default is 8787
`

await runCommand(async () => {
  readArguments({ name: 'issuer', help, options: {} })
  const config = readConfig()
  const { origin, authPort } = config
  await demandFreePort('AUTH_PORT', authPort)
  // Loaded only now: help is printed at once.
  const { startAuthorizationServer } = await import('./authorization-server.ts')
  const audience = origin + rootPath()
  const { issuer } = await startAuthorizationServer(authPort, audience)
  console.log(`
Authorization server  ${issuer}/.well-known/openid-configuration
Client of a machine   ${clients.machine.id}, its secret ${clients.machine.secret}

Its tokens are for ${audience}. In another terminal:

${devCommand(config)}

For a token: ${tokenCommand(config)}
Ctrl-C ends it.
`)
  await untilInterrupted()
})
process.exit()

/** The command that starts the service beside this authorization server: wrangler.toml tells the usual ports. */
function devCommand(config: LocalConfig): string {
  if (config.port === 8787 && config.authPort === 9400) {
    return 'npx wrangler dev'
  }
  const variables = Object.entries(localVariables(config))
  const options = variables.map(([name, value]) => `--var ${name}:${value}`)
  return [`npx wrangler dev --port ${config.port}`, ...options].join(' \\\n  ')
}
