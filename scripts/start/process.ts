import { once } from 'node:events'
import { createServer } from 'node:net'
import { complaint } from '../lib/complaint.ts'

/**
 * @param variable the environment variable by which another port can be had
 * @throws a complaint when something listens on the port already
 */
export async function demandFreePort(variable: string, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const fault = code === 'EADDRINUSE' ? 'is taken' : `cannot be had (${code})`
    throw complaint(`Port ${port} ${fault}: set ${variable} to another.`, error)
  }
  server.close()
  await once(server, 'close')
}

/** Settles on Ctrl-C and its kin, and when npm is killed: it passes signals to its shell, and no further. */
export function untilInterrupted(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => resolve())
    }
    if (!process.env.npm_lifecycle_event) {
      return
    }
    setInterval(() => process.ppid !== parent && resolve(), 500).unref()
  })
}
