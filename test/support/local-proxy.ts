import type { IncomingHttpHeaders } from 'node:http'

/** Bytes of a body that always arrives whole before it can be answered. */
const short = 4 * 1024

/**
 * Has the local proxy lost a request? Wrangler puts this proxy before a local Worker. It now and then loses a request that is
 * answered before its long body has come, with a 500 of its own, which has no `X-Request-Id`.
 *
 * @param size bytes of the body
 */
export function isLost(
  size: number,
  status: number | undefined,
  headers: Readonly<IncomingHttpHeaders>,
): boolean {
  return size > short && status === 500 && headers['x-request-id'] === undefined
}
