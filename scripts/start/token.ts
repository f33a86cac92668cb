import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { readConfig, readScopes, scopes } from '../lib/config.ts'
import { demoPeople as people } from './demo-people.ts'
import { clientToken, personToken } from './oauth.ts'

const help = `Prints an access token of the local authorization server, and nothing else.

  npm run -s token                                  as person 1, to read
  npm run -s token -- --person 2 --scope "users.read users.write"
  npm run -s token -- --client                      as a machine: client credentials

  --client            a token that stands for no person; nothing else counts then
  --person <id>       who you are: ${people.map(({ subject, name }) => `${subject} ${name}`).join(', ')}
  --scope "<scopes>"  what the token is good for: ${Object.keys(scopes).join(', ')};
                      the default is all but users.write

The server is the one that npm start starts; AUTH_PORT says where, if not on 9400.
`

await runCommand(async () => {
  const {
    client,
    person = '1',
    scope = readScopes,
  } = readArguments({
    name: 'token',
    help,
    options: {
      client: { type: 'boolean' },
      person: { type: 'string' },
      scope: { type: 'string' },
    },
  })
  const { issuer } = readConfig()
  console.log(client ? await clientToken(issuer) : await personToken(issuer, person, scope.trim()))
})
