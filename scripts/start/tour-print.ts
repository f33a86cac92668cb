import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import type { TourAnswer, TourRequest } from '../tour/send.ts'

/** The headers that are shown; the others are the same in every answer. */
const shownHeaders = [
  'Location',
  'Cache-Control',
  'ETag',
  'Idempotency-Replayed',
  'X-RateLimit-Requested-Tokens',
  'X-RateLimit-Remaining',
]

/**
 * Prints what is asked, as a line for a shell, too. The token is a variable of the shell there, `$person` or `$machine`.
 *
 * @param place where the tour stands: `3/26`
 * @param as who asks
 */
export function printRequest(place: string, as: 'machine' | 'person', request: TourRequest): void {
  const { pathname, search } = new URL(request.url)
  console.log(styleText('bold', `── ${place}, as a ${as}`))
  console.log(`${request.method} ${pathname}${decodeURIComponent(search)}`)
  console.log(styleText('dim', curlLine(as, request)))
}

/** A request as a line for a shell. */
export function curlLine(token: string, { method, url, headers, body }: TourRequest): string {
  const parts = [
    `curl -g -X ${method} -H "Authorization: Bearer $${token}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(JSON.stringify(body))}`] : []),
    quoted(url),
  ]
  return parts.join(' ')
}

/** A text that the shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Prints what is answered: the document, with the first two members of every array. */
export function printAnswer({ status, headers, document }: TourAnswer): void {
  const color = status < 400 ? 'green' : 'red'
  console.log(`\n${styleText(color, `${status} ${STATUS_CODES[status]}`)}`)
  for (const name of shownHeaders) {
    const value = headers.get(name)
    if (value !== null) {
      console.log(`${name}: ${value}`)
    }
  }
  if (document) {
    console.dir(document, { depth: null, maxArrayLength: 2 })
  }
  console.log()
}
