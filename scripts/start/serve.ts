import { setTimeout as sleep } from 'node:timers/promises'
import { complaint } from '../lib/complaint.ts'
import {
  clients,
  type LocalConfig,
  localVariables,
  paths,
  rootPath,
  tokenCommand,
  tokenLifetime,
} from '../lib/config.ts'
import { outputOf } from '../lib/npm.ts'
import { type DevOptions, runWorker } from '../lib/wrangler.ts'
import { startAuthorizationServer } from './authorization-server.ts'
import { demoPeople as people } from './demo-people.ts'
import { prepare } from './prepare.ts'
import { clientToken, personToken, readScopes } from './tokens.ts'

/**
 * Runs the service on D1, as {@link serve} does.
 *
 * @throws a complaint when a variable is wrong, too
 */
export async function serveD1(config: LocalConfig): Promise<void> {
  await prepare(undefined)
  await serve(config)
}

/**
 * Runs the authorization server and the Worker side by side until the process ends, and says so when both answer.
 *
 * @param dev how the Worker is run because of its database
 * @param database where that is, for people; undefined where it is part of the Worker's own state
 * @throws a complaint when one of them cannot start
 */
export async function serve(
  config: LocalConfig,
  dev: DevOptions = {},
  database?: string,
): Promise<void> {
  const { port, authPort, origin } = config
  const api = origin + rootPath()
  console.log('Starting the authorization server')
  await startAuthorizationServer(authPort, api)
  console.log('Building and starting the service')
  // Wrangler would print what is wrong with a declaration among its own lines.
  await outputOf(paths.root, process.execPath, 'scripts/assets.ts')
  const said: string[] = []
  let log = (line: string): unknown => said.push(line)
  await runWorker(port, localVariables(config), (line) => log(line), dev)
  const status = await firstAnswer(`${api}/countries`, await clientToken(config))
  if (status !== 200) {
    const what = status === undefined ? 'did not answer within a minute' : `answers ${status}`
    throw complaint([`GET ${api}/countries ${what}.`, ...said].join('\n'))
  }
  console.log(await welcome(api, config, database))
  log = console.log
}

/** Waits a minute until the Worker answers a caller with a token, and gives the status of its answer; undefined where there is none. */
async function firstAnswer(url: string, token: string): Promise<number | undefined> {
  const headers = { Authorization: `Bearer ${token}` }
  const deadline = AbortSignal.timeout(60_000)
  while (!deadline.aborted) {
    const response = await fetch(url, { headers, signal: deadline }).catch(() => undefined)
    if (response) {
      return response.status
    }
    await sleep(200)
  }
  return undefined
}

/** What one sees when all is up: where it is, every address one that opens, and two requests to begin with. */
async function welcome(
  api: string,
  config: LocalConfig,
  database: string | undefined,
): Promise<string> {
  const { origin, issuer } = config
  const [{ subject, name } = { subject: '1', name: 'John Doe' }] = people
  return `
Service               ${origin}/
Documentation         ${api}/docs
Interface description ${api}/oas
Health                ${origin}/health
Authorization server  ${issuer}/.well-known/openid-configuration
Client of a machine   ${clients.machine.id}, its secret ${clients.machine.secret}${database === undefined ? '' : `\nPostgreSQL            ${database}`}

# Countries with their currencies, as a machine
${curl(await clientToken(config), `${api}/countries?include=currencies`)}

# ${name}'s own user, with the card
${curl(await personToken(config, subject, readScopes), `${api}/users/${subject}?include=citizenships,placeOfBirth,relatives`)}

The tokens last ${tokenLifetime / 60} minutes. For others: ${tokenCommand(config)}
Ctrl-C ends both servers.
`
}

function curl(token: string, url: string): string {
  return `curl -H 'Authorization: Bearer ${token}' '${url}'`
}
