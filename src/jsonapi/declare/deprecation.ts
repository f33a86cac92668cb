/** The deprecation of an operation or an attribute, which works as before until it is gone (contract, section 20). */
export interface Deprecation {
  /** The day from which it is deprecated, in UTC: `2026-11-21`. The day may be in the future. */
  readonly since: string
  /** The day from which it may be gone, in UTC; absent while that is not decided. */
  readonly sunset?: string
  /** The URL of a page that tells what to use instead. */
  readonly link?: string
}

/** Response headers that tell of deprecations (contract, section 20). */
export const deprecationHeaders = ['Deprecation', 'Sunset', 'Link'] as const

/** One of {@link deprecationHeaders}. */
export type DeprecationHeader = (typeof deprecationHeaders)[number]

/** What is wrong with the declaration of a deprecation, and how to correct it; undefined where nothing is. */
export function deprecationFault({ since, sunset = since, link }: Deprecation): string | undefined {
  if (!isDay(since) || !isDay(sunset)) {
    return 'declares a deprecation with a day that does not exist: write days like 2026-11-21'
  }
  if (sunset < since) {
    return `declares the sunset ${sunset}, which is before its deprecation on ${since}: declare a later sunset (RFC 9745, section 4)`
  }
  return link === undefined || URL.canParse(link)
    ? undefined
    : `declares a deprecation with the link ${link}, which is not a URL: declare an absolute URL`
}

/** Is the text a day of the calendar, in the form of ISO 8601? */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
