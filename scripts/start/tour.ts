import { decodeJwt } from 'jose'
import { endpointName, endpointsOf } from '../../src/jsonapi/declare/endpoint.ts'
import { registry } from '../../src/resources/index.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { readConfig, scopes } from '../lib/config.ts'
import { clientToken, personToken } from './oauth.ts'
import { printAnswer, printRequest, type TourAnswer, type TourRequest } from './tour-print.ts'
import { look, send } from './tour-send.ts'
import { farewell, type Seen, stops, transaction } from './tour-stops.ts'

const help = `Visits every operation of the running service once, and shows what is asked and what is answered.

  npm run tour
  npm run tour -- --whole

  --whole   every member of every list; else the first two

The curl lines take their tokens from variables of the shell; the tour says first how to set them. PORT and AUTH_PORT
say where the service and its authorization server are, if not on 8787 and 9400.
`

/**
 * Visits every operation of the running service once (contract, section 1), and shows what is asked and what is
 * answered. Fails unless each answers as it should. Deletes the user that it has created.
 */
await runCommand(async () => {
  const { whole = false } = readArguments({
    name: 'tour',
    help,
    options: { whole: { type: 'boolean' } },
  })
  const { origin, issuer } = readConfig()
  const scope = Object.keys(scopes).join(' ')
  const tokens = {
    machine: await clientToken(issuer),
    person: await personToken(issuer, '1', scope),
  }
  const api = origin + rootOf(tokens.machine)
  const unseen = new Set([...endpointsOf(registry).map(endpointName), transaction])
  const total = unseen.size
  let seen: Seen = { made: '', somebody: '' }
  try {
    for (const [index, { name, as, method, path, body, type, status }] of stops.entries()) {
      const request = { method, url: api + path(seen), body: body?.(seen), type }
      const answer = await ask(request, tokens[as])
      if (index === 0) {
        console.log(`machine=$(npm run -s token -- --client)
person=$(npm run -s token -- --person 1 --scope "${scope}")
`)
      }
      printRequest(`${index + 1}/${total}`, as, request)
      printAnswer(answer, whole)
      if (answer.status === status) {
        unseen.delete(name)
      } else {
        console.log(`${status} was promised.\n`)
      }
      seen = look(seen, name, answer)
    }
  } finally {
    // The data stay as they were, whatever went wrong.
    if (seen.made && unseen.has(farewell)) {
      const request = { method: 'DELETE', url: `${api}/users/${seen.made}`, body: undefined }
      await send(request, tokens.person).catch(() => undefined)
    }
  }
  for (const name of unseen) {
    console.log(`Not as promised: ${name}`)
  }
  console.log(`${total - unseen.size} of ${total}`)
  process.exitCode = unseen.size === 0 ? 0 : 1
})

/** The root path of the API, from a token for it: its audience is the API. */
function rootOf(token: string): string {
  return new URL(String(decodeJwt(token).aud)).pathname
}

/** Sends a request to a service that must be there. */
async function ask(request: TourRequest, token: string): Promise<TourAnswer> {
  try {
    return await send(request, token)
  } catch (error) {
    const { origin } = new URL(request.url)
    throw complaint(`No service answers at ${origin}: start it with npm start, or set PORT.`, error)
  }
}
