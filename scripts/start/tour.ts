import { decodeJwt } from 'jose'
import { endpointName, endpointsOf } from '../../src/jsonapi/declare/endpoint.ts'
import { mediaType } from '../../src/jsonapi/request/media-type.ts'
import { registry } from '../../src/resources/index.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { readConfig, scopes } from '../lib/config.ts'
import { clientToken, personToken } from './oauth.ts'
import { printAnswer, printRequest, type TourAnswer, type TourRequest } from './tour-print.ts'
import { farewell, type Seen, stops } from './tour-stops.ts'

/**
 * Visits every operation of the running service once (contract, section 1), and shows what is asked and what is
 * answered. Fails unless each answers as it should. Deletes the user that it has created.
 */
await runCommand(async () => {
  const { origin, issuer } = readConfig()
  const tokens = {
    machine: await clientToken(issuer),
    person: await personToken(issuer, '1', Object.keys(scopes).join(' ')),
  }
  const api = origin + rootOf(tokens.machine)
  const unseen = new Set(endpointsOf(registry).map(endpointName))
  const total = unseen.size
  let seen: Seen = { made: '', somebody: '' }
  try {
    for (const [index, { name, as, method, path, body, status }] of stops.entries()) {
      const request = { method, url: api + path(seen), body: body?.(seen) }
      const answer = await send(request, tokens[as])
      printRequest(`${index + 1}/${total}`, as, request)
      printAnswer(answer)
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

async function send({ method, url, body }: TourRequest, token: string): Promise<TourAnswer> {
  const headers = {
    Accept: mediaType,
    Authorization: `Bearer ${token}`,
    ...(body && { 'Content-Type': mediaType }),
  }
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const isDocument = response.headers.get('Content-Type') === mediaType
    const text = await response.text()
    const document = isDocument ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, document }
  } catch (error) {
    const { origin } = new URL(url)
    throw complaint(`No service answers at ${origin}: start it with npm start, or set PORT.`, error)
  }
}

/** What later stops need to know. */
function look(seen: Seen, name: string, { document }: TourAnswer): Seen {
  switch (name) {
    case 'users.list':
      return { ...seen, somebody: document?.data?.[0]?.id ?? '' }
    case 'users.create':
      return { ...seen, made: document?.data?.id ?? '' }
    default:
      return seen
  }
}
