import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { complaint } from '../lib/complaint.ts'
import { clients, type LocalConfig, paths, readScopes, tokenLifetime } from '../lib/config.ts'
import { wranglerDev } from '../lib/wrangler.ts'
import { startAuthorizationServer } from './authorization-server.ts'
import { prepareDatabase } from './database.ts'
import { demoPeople as people } from './demo.ts'
import { cardKeys, signingKey } from './keys.ts'
import { clientToken, personToken } from './oauth.ts'

/**
 * Runs the authorization server and the Worker side by side, and says so when both answer.
 *
 * @returns never: it goes on until the process ends
 * @throws a complaint when one of them cannot start, and when the Worker ends of itself
 */
export async function serve(config: LocalConfig): Promise<never> {
  const { port, authPort, origin, issuer } = config
  const api = origin + (await rootPath())
  const [key, ring] = await Promise.all([signingKey(paths.signingKey), cardKeys(paths.secrets)])
  await startAuthorizationServer({ port: authPort, audience: api, people, signingKey: key })
  console.log('Bringing the database up to date; the first time takes some seconds')
  await prepareDatabase(ring)
  console.log('Building and starting the service')
  const ended = wranglerDev(port, {
    AUTH_URL: issuer,
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: api,
    JWKS_URL: `${issuer}/jwks`,
  }).then(() => {
    throw complaint('The Worker has ended: wrangler dev is gone.')
  })
  await Promise.race([ended, answering(api, issuer)])
  console.log(await welcome(api, config))
  return ended
}

/** Waits until the Worker answers a caller with a token. Whatever but 200 it answers is worth a line. */
async function answering(api: string, issuer: string): Promise<void> {
  const headers = { Authorization: `Bearer ${await clientToken(issuer)}` }
  const deadline = AbortSignal.timeout(60_000)
  while (!deadline.aborted) {
    const request = fetch(`${api}/countries`, { headers, signal: deadline })
    const response = await request.catch(() => undefined)
    if (response) {
      if (!response.ok) {
        console.error(`GET ${api}/countries answers ${response.status}.`)
      }
      return
    }
    await sleep(200)
  }
  throw complaint('The Worker did not answer within a minute.')
}

/** What one sees when all is up: where it is, every address one that opens, and two requests to begin with. */
async function welcome(api: string, { authPort, origin, issuer }: LocalConfig): Promise<string> {
  const [anybody, [me]] = [await clientToken(issuer), people]
  if (!me) {
    throw new Error('There are no demo people.')
  }
  const where = authPort === 9400 ? '' : `AUTH_PORT=${authPort} `
  return `
Service               ${origin}/
Documentation         ${api}/docs
Interface description ${api}/oas
Health                ${origin}/health
Authorization server  ${issuer}/.well-known/openid-configuration
Client of a machine   ${clients.machine.id}, its secret ${clients.machine.secret}

# Countries with their currencies, as a machine
${curl(anybody, `${api}/countries?include=currencies`)}

# ${me.name}'s own user, with the card
${curl(await personToken(issuer, me.subject, readScopes), `${api}/users/${me.subject}?include=citizenships,placeOfBirth,relatives`)}

The tokens last ${tokenLifetime / 60} minutes. For others: ${where}npm run -s token -- --help
Ctrl-C ends both servers.
`
}

function curl(token: string, url: string): string {
  return `curl -H 'Authorization: Bearer ${token}' '${url}'`
}

/** The root path that the Worker will serve, from the file that tells the Worker. */
async function rootPath(): Promise<string> {
  const [, path] =
    /^ROOT_PATH\s*=\s*"(.*)"/m.exec(await readFile(paths.wranglerConfig, 'utf8')) ?? []
  return path ?? '/jsonapi'
}
