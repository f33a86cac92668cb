import { mediaType } from '../jsonapi/media-type.ts'

/** Headers of every JSON:API answer: its media type, what it varies by, and what a browser must not do with it. */
export const baseHeaders: Readonly<Record<string, string>> = {
  'Content-Type': mediaType,
  Vary: 'Accept, Authorization',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-site',
}
