import type { Context } from 'hono'
import type { AppEnv } from './context.ts'

/**
 * Tells in the answer to a HEAD how long the body of a GET would be (RFC 9110, section 9.3.2). Hono leaves the body out later. A
 * client of HTTP/1.1 can take an answer without a length to end with the connection, and makes a new one for each request.
 */
export async function tellLength({ res }: Context<AppEnv>): Promise<void> {
  if (res.body !== null && !res.headers.has('Content-Length')) {
    const { byteLength } = await res.arrayBuffer()
    res.headers.set('Content-Length', String(byteLength))
  }
}
