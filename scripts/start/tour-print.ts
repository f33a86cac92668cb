import { STATUS_CODES } from 'node:http'
import { inspect } from 'node:util'
import { mediaType } from '../../src/jsonapi/request/media-type.ts'

/** A request as it goes out. */
export interface TourRequest {
  readonly method: string
  readonly url: string
  readonly body: object | undefined
}

/** What came back; `document` is absent where there is none, or one of another media type. */
export interface TourAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tour looks at what it asked for
  readonly document: any
}

/** The headers that are shown; the others are the same in every answer. */
const shownHeaders = [
  'Location',
  'Cache-Control',
  'ETag',
  'X-RateLimit-Requested-Tokens',
  'X-RateLimit-Remaining',
]

/**
 * Prints what is asked.
 *
 * @param place where the tour stands: `3/19`
 * @param as who asks
 */
export function printRequest(place: string, as: string, { method, url, body }: TourRequest): void {
  const { pathname, search } = new URL(url)
  console.log(`── ${place}, as a ${as}`)
  console.log(`${method} ${pathname}${decodeURIComponent(search)}`)
  if (body) {
    console.log(`Content-Type: ${mediaType}`)
    print(body)
  }
}

/** Prints what is answered: the document short, arrays cut after two items. */
export function printAnswer({ status, headers, document }: TourAnswer): void {
  console.log(`\n${status} ${STATUS_CODES[status]}`)
  for (const name of shownHeaders) {
    const value = headers.get(name)
    if (value !== null) {
      console.log(`${name}: ${value}`)
    }
  }
  if (document) {
    print(document)
  }
  console.log()
}

function print(value: object): void {
  const text = inspect(value, {
    depth: null,
    maxArrayLength: 2,
    maxStringLength: 120,
    breakLength: 100,
    colors: process.stdout.isTTY,
  })
  console.log(text.replace(/^/gm, '  '))
}
