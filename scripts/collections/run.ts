import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { complaint } from '../lib/complaint.ts'
import { paths, readConfig, scopes } from '../lib/config.ts'
import { installed } from '../lib/install.ts'
import { clientToken, personToken } from '../start/oauth.ts'

const folder = import.meta.dirname
const clients = join(paths.root, 'clients')

/**
 * Sends both collections to the running service, each with the tool that it is made for.
 *
 * @throws a complaint when a request is not answered as the tour promises
 */
export async function runCollections(): Promise<void> {
  const { origin, issuer } = readConfig()
  const machine = await clientToken(issuer)
  const person = await personToken(issuer, '1', Object.keys(scopes).join(' '))
  const api = origin + new URL(String(decodeJwt(machine).aud)).pathname
  await installed(folder)
  const variables = Object.entries({ api, machine, person }).map(
    ([name, value]) => `${name}=${value}`,
  )
  await send('Bruno', join(clients, 'bruno'), join('@usebruno', 'cli', 'bin', 'bru.js'), [
    ...['run', '--env', 'local'],
    ...variables.flatMap((variable) => ['--env-var', variable]),
  ])
  await send('httpYac', clients, join('httpyac', 'bin', 'httpyac.js'), [
    ...['send', 'tour.http', '--all', '--output', 'none', '--no-color'],
    ...['--var', ...variables],
  ])
}

async function send(name: string, cwd: string, file: string, options: readonly string[]) {
  const program = join(folder, 'node_modules', file)
  const child = spawn(process.execPath, [program, ...options], { cwd, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) {
    throw complaint(`The collection for ${name} is not answered as the tour promises.`)
  }
}
