import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { complaint } from '../../../scripts/lib/complaint.ts'
import { freePort } from '../../../test/support/ports.ts'

/**
 * Starts PgBouncer before a server, in the place of Hyperdrive: its connections to the server stay, and a transaction at a time uses each.
 * Like a Hyperdrive that is near the Worker it takes little: it asks nobody for a password.
 *
 * @param url the address of the database
 * @param folder for its configuration
 * @throws a complaint where the machine has no PgBouncer
 */
export async function startPooler(
  url: string,
  folder: string,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  await mkdir(folder, { recursive: true })
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
log_connections = 0
log_disconnections = 0
`,
    { mode: 0o600 },
  )
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const program = spawn('pgbouncer', [...account, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(program, 'close')
  const end = () => program.kill('SIGINT')
  process.once('exit', end)
  const lines: string[] = []
  const isReady = new Promise<void>((resolve, reject) => {
    program.on('error', () => reject(complaint('PgBouncer is not installed on this machine')))
    program.on('close', () => reject(complaint(`PgBouncer has ended:\n${lines.join('\n')}`)))
    createInterface(program.stderr).on('line', (line) => {
      lines.push(line)
      if (line.includes('process up')) {
        resolve()
      }
    })
  })
  ended.catch(() => {})
  await isReady
  return {
    url: `postgres://${username}:none@127.0.0.1:${own}${pathname}`,
    async stop() {
      process.off('exit', end)
      end()
      await ended
    },
  }
}
