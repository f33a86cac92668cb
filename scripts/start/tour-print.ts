import { STATUS_CODES } from 'node:http'
import { styleText } from 'node:util'
import { mediaType } from '../../src/jsonapi/json.ts'
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

/** Members of an array that are shown. */
const shownMembers = 2

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
  const shown = { ...(body && { 'Content-Type': mediaType }), ...headers }
  const parts = [
    'curl -g',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    `-H "Authorization: Bearer $${token}"`,
    ...Object.entries(shown).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(JSON.stringify(body))}`] : []),
    quoted(url),
  ]
  return parts.join(' ')
}

/** A text that the shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Prints what is answered: the document as JSON, with the first two members of every array, and how many there are. */
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
    const { shown, cuts } = shortened(document)
    console.log(JSON.stringify(shown, null, 2))
    for (const cut of cuts) {
      console.log(styleText('dim', cut))
    }
  }
  console.log()
}

/** A document whose arrays of resources have their first members alone, and a sentence about each that lost some. */
function shortened(document: Readonly<Record<string, unknown>>) {
  const cuts: string[] = []
  const cut = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      if (value.length > shownMembers) {
        cuts.push(`The first ${shownMembers} of ${value.length} in ${path}.`)
      }
      return value.slice(0, shownMembers).map((member, index) => cut(member, `${path}/${index}`))
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([name, member]) => [name, cut(member, `${path}/${name}`)]),
        )
      : value
  }
  return { shown: cut(document, ''), cuts }
}
