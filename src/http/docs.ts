import type { Handler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { quote } from '../jsonapi/validate.ts'
import type { AppEnv } from './context.ts'
import { publicHeaders } from './headers.ts'

/** Characters of the longest path of a file. The binding of static assets takes long to find that a longer one is none. */
const longestFile = 128

/** Fetches a file of the documentation by its path: what the binding of static assets does. */
export type FetchAsset = (request: Request) => Promise<Response>

/** Of the page, and of the client that it asks for tokens as. */
export interface DocsOptions {
  readonly root: string
  readonly asset: FetchAsset
  /** The one other place that the page may talk to: it asks for its tokens there. */
  readonly authUrl: string
  /** The OAuth client that is filled in on the page; empty: whoever reads it knows their own. */
  readonly clientId: string
}

/**
 * `GET {root}/docs` and the files below it. The assets lie at `/docs` and know nothing of the root path, so that it can
 * be another at every deployment.
 */
export function docs({ root, asset, authUrl, clientId }: DocsOptions): Handler<AppEnv> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(authUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return async (c) => {
    const { pathname, origin } = new URL(c.req.url)
    const page = `${root}/docs`
    if (pathname === `${page}/` || pathname === `${page}/index.html`) {
      return new Response(null, { status: 308, headers: { ...publicHeaders, Location: page } })
    }
    const isPage = pathname === page
    const file = isPage ? '/docs/index.html' : pathname.slice(root.length)
    const conditions = isPage ? {} : { headers: c.req.raw.headers }
    const found =
      file.length > longestFile ? undefined : await asset(new Request(origin + file, conditions))
    if (found?.status !== 200 && found?.status !== 304) {
      throw ApiError.of('NOT_FOUND', `There is no ${quote(pathname)}.`)
    }
    const response = new Response(found.body, found)
    for (const [name, value] of Object.entries(publicHeaders)) {
      response.headers.set(name, value)
    }
    response.headers.set('Content-Security-Policy', policy)
    return isPage ? withClient(response, clientId) : response
  }
}

/** Tells the page its client. It is another page then, so the tag of the file is not its own. */
function withClient(response: Response, clientId: string): Response {
  response.headers.delete('ETag')
  return new HTMLRewriter()
    .on('html', { element: (html) => void html.setAttribute('data-client-id', clientId) })
    .transform(response)
}
