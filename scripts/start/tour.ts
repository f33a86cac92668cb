import { endpointName, endpointsOf } from '../../src/jsonapi/declare/registry.ts'
import { registry } from '../../src/resources/index.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { readConfig, rootPath, scopes } from '../lib/config.ts'
import { look, requestAt, send, type TourAnswer, type TourRequest } from '../tour/send.ts'
import { farewell, newRound, stops, transaction } from '../tour/stops.ts'
import { clientToken, personToken } from './oauth.ts'
import { printAnswer, printRequest } from './tour-print.ts'

const help = `Calls every operation of the running service, and shows what is asked and what is answered.

  npm run tour

Of each list the first two members are shown. The curl lines take their tokens from variables of the shell; the tour
says first how to set them. PORT and AUTH_PORT say where the service and its authorization server are, if not on 8787
and 9400.
`

/**
 * Calls every operation of the running service, and shows what is asked and what is answered. Fails
 * unless each answers as it should. Deletes the user that it has created.
 */
await runCommand(async () => {
  readArguments({ name: 'tour', help, options: {} })
  const { origin, issuer } = readConfig()
  const scope = Object.keys(scopes).join(' ')
  const tokens = {
    machine: await clientToken(issuer),
    person: await personToken(issuer, '1', scope),
  }
  const api = origin + rootPath()
  const operations = [...endpointsOf(registry).map(endpointName), transaction]
  /** Has each answer of an operation been as it should be? */
  const isRight = new Map<string, boolean>()
  let seen = newRound()
  try {
    for (const [index, stop] of stops.entries()) {
      const { name, as, status } = stop
      const request = requestAt(stop, api, seen)
      const answer = await ask(request, tokens[as])
      if (index === 0) {
        console.log(`machine=$(npm run -s token -- --client)
person=$(npm run -s token -- --person 1 --scope "${scope}")
`)
      }
      printRequest(`${index + 1}/${stops.length}`, as, request)
      printAnswer(answer)
      if (answer.status !== status) {
        console.log(`${status} was promised.\n`)
      }
      isRight.set(name, answer.status === status && isRight.get(name) !== false)
      seen = look(seen, name, answer)
    }
  } finally {
    // The data stay as they were, whatever went wrong.
    if (seen.made && !isRight.get(farewell)) {
      const request = { method: 'DELETE', url: `${api}/users/${seen.made}`, headers: {} }
      await send(request, tokens.person).catch(() => undefined)
    }
  }
  const faulty = operations.filter((name) => !isRight.get(name))
  for (const name of faulty) {
    console.log(`Not as promised: ${name}`)
  }
  const { length } = operations
  console.log(`${length - faulty.length} of ${length} operations answer as promised.`)
  process.exitCode = faulty.length === 0 ? 0 : 1
})

/** Sends a request to a service that must be there. */
async function ask(request: TourRequest, token: string): Promise<TourAnswer> {
  try {
    return await send(request, token)
  } catch (error) {
    const { origin } = new URL(request.url)
    throw complaint(`No service answers at ${origin}: start it with npm start, or set PORT.`, error)
  }
}
