import { about } from '../../src/resources/index.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { readConfig } from '../lib/config.ts'
import { demoPeople as people } from './demo-people.ts'
import { clientToken, personToken, readScopes } from './tokens.ts'

const help = `Prints an access token for the local service, and nothing else.

  npm run -s token                                  as person 1, to read
  npm run -s token -- --person 2 --scope "users.read users.write"
  npm run -s token -- --client                      as a machine: client credentials

  --client            a token that stands for no person; nothing else counts then
  --person <id>       who you are: ${people.map(({ subject, name }) => `${subject} ${name}`).join(', ')}
  --scope "<scopes>"  what the token is good for: ${Object.keys(about.scopes).join(', ')};
                      the default is all but users.write

It is signed with the key of the local authorization server. PORT and AUTH_PORT are those of npm start.
`

await runCommand(async () => {
  const { client, person, scope } = readArguments({
    name: 'token',
    help,
    options: {
      client: { type: 'boolean' },
      person: { type: 'string', default: '1' },
      scope: { type: 'string', default: readScopes },
    },
  })
  const config = readConfig()
  const scopes = scope.split(' ').filter(Boolean)
  const unknown = scopes.find((name) => !Object.hasOwn(about.scopes, name))
  if (!people.some(({ subject }) => subject === person)) {
    throw complaint(`There is no person "${person}": npm run token -- --help lists all.`)
  }
  if (unknown) {
    throw complaint(`There is no scope ${unknown}: npm run token -- --help lists all.`)
  }
  console.log(await (client ? clientToken(config) : personToken(config, person, scopes.join(' '))))
})
