import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { readConfig, readScopes, scopes } from '../lib/config.ts'
import { demoPeople as people } from './demo-people.ts'
import { clientToken, personToken } from './oauth.ts'

const help = `Prints an access token of the local authorization server, and nothing else.

  npm run -s token                                  as person 1, to read
  npm run -s token -- --person 2 --scope "users.read users.write"
  npm run -s token -- --client                      as a machine: client credentials

  --client            a token that stands for no person
  --person <id>       who you are: ${people.map(({ subject, name }) => `${subject} ${name}`).join(', ')}
  --scope "<scopes>"  what the token is good for: ${Object.keys(scopes).join(', ')};
                      the default is all but users.write

The server is the one that npm start starts; AUTH_PORT says where, if not on 9400.
`

await runCommand(async () => {
  const wish = readWish()
  const { issuer } = readConfig()
  console.log(
    wish.client ? await clientToken(issuer) : await personToken(issuer, wish.person, wish.scope),
  )
})

/** What the arguments ask for. Throws a complaint on those that make no sense. */
function readWish() {
  const { client, person, scope } = readArguments({
    name: 'token',
    help,
    options: {
      client: { type: 'boolean' },
      person: { type: 'string' },
      scope: { type: 'string' },
    },
  })
  if (client && (person !== undefined || scope !== undefined)) {
    throw complaint('--client stands alone: a machine is no person and has no scopes.')
  }
  if (person !== undefined && !people.some(({ subject }) => subject === person)) {
    const known = people.map(({ subject }) => subject).join(', ')
    throw complaint(`--person must be one of ${known}, not "${person}".`)
  }
  const unknown = scope?.split(/\s+/).find((name) => name && !Object.hasOwn(scopes, name))
  if (unknown) {
    throw complaint(`"${unknown}" is no scope: there are ${Object.keys(scopes).join(', ')}.`)
  }
  return { client, person: person ?? '1', scope: scope?.trim() ?? readScopes }
}
