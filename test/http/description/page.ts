import { request } from '../../support/service.ts'

/** Where the protected resource metadata are, and the catalog of the host. */
export const metadata = '/.well-known/oauth-protected-resource/jsonapi'
export const catalog = '/.well-known/api-catalog'

/** GET without a token. */
export function fetchPage(path: string, headers: Readonly<Record<string, string>> = {}) {
  return request('GET', path, { headers: { accept: '*/*', ...headers } })
}
