import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeCheckout, startIn } from '../../support/checkout.ts'
import { freePorts } from '../../support/ports.ts'

/** A copy of the repository as a new user has it, with the packages of the original. */
export interface Scratch {
  /** The origin of the service, once it is started. */
  readonly service: string
  /** Puts another text in the place of a file, or makes a file of it. */
  change(path: string, changed: (text: string) => string): Promise<void>
  /**
   * Runs commands in a shell. They reach the service at the port that they name, 8787.
   *
   * @returns what they print
   * @throws Error with what they print when one of them fails
   */
  run(commands: string): Promise<string>
  /**
   * Runs `npm start` until the checkout is removed.
   *
   * @throws Error with what the command prints when it ends before it is ready
   */
  start(): Promise<void>
  /** Ends what runs and removes the copy. */
  remove(): Promise<void>
}

/** Copies the repository to a folder outside of it, and finds free ports for its servers. */
export async function scratchCopy(): Promise<Scratch> {
  const folder = await makeCheckout()
  const ports = await freePorts()
  const [port, authPort] = ports
  const options = {
    cwd: folder,
    env: { ...process.env, PORT: String(port), AUTH_PORT: String(authPort) },
  }
  let stop = async (): Promise<void> => {}

  return {
    service: `http://127.0.0.1:${port}`,
    async change(path, changed) {
      const file = join(folder, path)
      const text = await readFile(file, 'utf8').catch(() => '')
      await writeFile(file, changed(text))
    },
    async run(commands) {
      const script = commands.replaceAll(':8787/', `:${port}/`)
      const { stdout } = await promisify(execFile)('bash', ['-euc', script], options).catch(
        ({ stdout, stderr }) => {
          throw new Error(`${commands}\n${stdout}${stderr}`)
        },
      )
      return stdout
    },
    async start() {
      ;({ stop } = await startIn(folder, ports))
    },
    async remove() {
      await stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
