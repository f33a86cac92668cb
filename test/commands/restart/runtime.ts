import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { vi } from 'vitest'
import { paths } from '../../../scripts/lib/config.ts'
import { cardKeys } from '../../support/card-keys.ts'
import { makeCheckout } from '../../support/checkout.ts'

/** The local runtime as a process that can be killed, with state that stays behind. */
export interface Runtime {
  readonly origin: string
  /** Kills the runtime and all its processes at once, like a power cut, so that nothing can clean up. */
  kill(): Promise<void>
}

/** Copies the project, with a database that has tables and no rows: `wrangler dev` prepares none of its own there. */
export async function makeEmptyCheckout(): Promise<string> {
  const folder = await makeCheckout()
  const config = join(folder, 'wrangler.toml')
  const text = await readFile(config, 'utf8')
  await writeFile(config, text.replace(' && node scripts/start/dev.ts', ''))
  const { child, said } = launch(folder, ['d1', 'migrations', 'apply', 'DB', '--local'])
  const [code] = await once(child, 'close')
  if (code !== 0) {
    throw new Error(`The migrations could not be applied:\n${said.join('\n')}`)
  }
  return folder
}

/** What `wrangler dev` writes when it serves. */
const ready = /Ready on (http:\S+)/

/**
 * Starts the Worker of a checkout, and waits until it serves. The runtime chooses its port itself: one that was looked for before may
 * be taken by another test until it is opened.
 */
export async function startRuntime(
  folder: string,
  vars: Readonly<Record<string, string>>,
): Promise<Runtime> {
  const { child, said } = launch(folder, [
    'dev',
    '--ip=127.0.0.1',
    '--port=0',
    '--inspector-port=0',
    '--show-interactive-dev-session=false',
    ...Object.entries(vars).map(([name, value]) => `--var=${name}:${value}`),
  ])
  const closed = once(child, 'close')
  const origin = await Promise.race([
    vi.waitUntil(() => ready.exec(said.join('\n'))?.[1], { timeout: 120_000 }),
    closed.then(() => {
      throw new Error(`wrangler dev has ended:\n${said.join('\n')}`)
    }),
  ])
  return {
    origin,
    async kill() {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
      await closed
    },
  }
}

/** Each child leads a process group, so that wrangler and the runtime it starts die together. */
function launch(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [paths.wranglerCommand, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_WRITE_LOGS: 'false',
      CARD_KEYS: cardKeys,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => said.push(line))
  }
  return { child, said }
}

/** An issuer of tokens with its key set on an address of this machine. */
export interface Issuer {
  /** What the Worker has to know of it. */
  readonly vars: Readonly<Record<string, string>>
  /** A token of a person who may do everything. */
  tokenFor(sub: string): Promise<string>
  close(): void
}

/** Starts an issuer. */
export async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'restart', alg: 'ES256' }]
  const server = createServer((_, response) => response.end(JSON.stringify({ keys })))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    vars: {
      AUTH_URL: issuer,
      TOKEN_ISSUER: issuer,
      TOKEN_AUDIENCE: 'restart',
      JWKS_URL: `${issuer}/jwks`,
    },
    tokenFor: (sub) =>
      new SignJWT({
        client_id: 'restart-app',
        scope: 'users.read users.citizenships.read users.write',
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'restart', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience('restart')
        .setSubject(sub)
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
