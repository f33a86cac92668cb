import { createCallerNames } from '../../src/http/callers.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { readRing } from '../deploy/secrets.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import {
  configOf,
  type Engine,
  engineOf,
  environments,
  readConfig,
  secretsOf,
} from '../lib/config.ts'

const help = `Prints the names that the log has for callers, one for each key of the ring.

  npm run -s caller -- --subject 1
  npm run -s caller -- --env production --subject <sub> --secrets-file secrets.json
  npm run -s caller -- --env production --client <client id> --secrets-file secrets.json

  --subject <sub>        a person: sub of their access tokens; may be given again and again
  --client <id>          a machine: client_id of its access tokens; may be given again and again
  --env <name>           staging or production, whose TOKEN_ISSUER is in wrangler.toml; npm start unless given
  --database <db>        postgres: it is in wrangler.postgres.toml
  --secrets-file <file>  where the key ring is; .dev.vars unless given, for npm start

Each line has a name, the id of its key and the caller. A name in BLOCKED_CALLERS blocks the caller (docs/operations.md).
`

await runCommand(async () => {
  const {
    subject = [],
    client = [],
    env,
    database,
    'secrets-file': file,
  } = readArguments({
    name: 'caller',
    help,
    options: {
      subject: { type: 'string', multiple: true },
      client: { type: 'string', multiple: true },
      env: { type: 'string' },
      database: { type: 'string' },
      'secrets-file': { type: 'string' },
    },
  })
  const callers = [
    ...subject.map((id) => ({ kind: 'user', id }) as const),
    ...client.map((id) => ({ kind: 'client', id }) as const),
  ]
  if (callers.length === 0) {
    throw complaint('Whose names? Name a person with --subject, or a machine with --client.')
  }
  if (env !== undefined && file === undefined) {
    throw complaint(`Bring the key ring of ${env} with --secrets-file.`)
  }
  const issuer = await issuerOf(env, engineOf(database))
  const namesOf = createCallerNames(parseKeyRing(await readRing(file ?? secretsOf())))
  for (const { kind, id } of callers) {
    for (const [key, name] of await namesOf({ kind, issuer, id })) {
      console.log(`${name} ${key} ${kind} ${id}`)
    }
  }
})

/** `iss` of the tokens of an environment; of the local authorization server where none is named. */
async function issuerOf(name: string | undefined, engine: Engine): Promise<string> {
  if (name === undefined) {
    return readConfig().issuer
  }
  const env = environments.find((each) => each === name)
  if (env === undefined) {
    throw complaint(`--env must be one of ${environments.join(', ')}.`)
  }
  // It imports the whole of wrangler, which takes a second.
  const { readSettings } = await import('../deploy/settings.ts')
  const issuer = readSettings(configOf[engine], env).vars.TOKEN_ISSUER
  if (!issuer) {
    throw complaint(`The var TOKEN_ISSUER of ${name} is empty.`)
  }
  return String(issuer)
}
