import type { Env, Handler } from 'hono'
import { ApiError, quote } from '../jsonapi/problems.ts'
import { publicHeaders } from './respond.ts'

/** The maximum length of the path of a file. The binding of static assets is slow to refuse a longer one. */
const maxFilePath = 128

/** The path or URL of the documentation page below a root. */
export function docsPath(root: string): string {
  return `${root}/docs`
}

/** Fetches a file of the documentation by its path, from the binding of static assets. */
export type FetchAsset = (request: Request) => Promise<Response>

/**
 * `GET {root}/docs` and the files below it. The assets contain no root path, so that each deployment can have
 * its own.
 *
 * @param authUrl the URL of the authorization server: the page may send requests there and to the service, and nowhere else
 * @param clientId the public OAuth client that the page fills in for the flow of persons; empty to leave it to readers
 */
export function docs(
  root: string,
  asset: FetchAsset,
  authUrl: string,
  clientId: string,
): Handler<Env> {
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
    // The router matches the decoded path.
    const { path } = c.req
    const page = docsPath(root)
    if (path === `${page}/` || path === `${page}/index.html`) {
      return new Response(null, { status: 308, headers: { ...publicHeaders, Location: page } })
    }
    const isPage = path === page
    const file = new URL(
      isPage ? '/docs/index.html' : encodeURI(path.slice(root.length)),
      c.req.url,
    )
    const conditions = isPage ? {} : { headers: c.req.raw.headers }
    // A path with dots that nobody has resolved yet may lead to another folder.
    const isServed = file.pathname.startsWith('/docs/') && file.pathname.length <= maxFilePath
    const found = isServed ? await asset(new Request(file, conditions)) : undefined
    if (found?.status !== 200 && found?.status !== 304) {
      await found?.body?.cancel()
      throw ApiError.of('NOT_FOUND', `There is no page ${quote(path)}.`)
    }
    const response = new Response(found.body, found)
    for (const [name, value] of Object.entries(publicHeaders)) {
      response.headers.set(name, value)
    }
    response.headers.set('Content-Security-Policy', policy)
    return isPage ? withClient(response, clientId) : response
  }
}

/** Fills in the client on the page. This changes its bytes, so the tag of the file is removed. */
function withClient(response: Response, clientId: string): Response {
  response.headers.delete('ETag')
  return new HTMLRewriter()
    .on('html', {
      element(html) {
        html.setAttribute('data-client-id', clientId)
      },
    })
    .transform(response)
}
