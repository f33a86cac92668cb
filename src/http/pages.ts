import type { Context, Env, Hono } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { jsonapi, mediaType } from '../jsonapi/json.ts'
import type { About } from '../openapi/document.ts'
import { docs, docsPath, type FetchAsset } from './docs.ts'
import { healthPath } from './health.ts'
import { quality, requireAcceptable } from './negotiate.ts'
import { oas, oasPath, validateVersion } from './oas.ts'
import { addPage } from './paths.ts'
import { publicHeaders } from './respond.ts'

/** What the pages about the service are made from. */
export interface Pages {
  readonly about: About
  /** The URL of the root path. If it is undefined, it follows from the URL of the request. */
  readonly publicUrl: string | undefined
  readonly authUrl: string
  readonly issuer: string
  /** The OAuth client on the documentation page. Empty if there is none. */
  readonly clientId: string
  readonly asset: FetchAsset
  /** Is the database replicated? */
  readonly replicated: boolean
}

/** The path of the catalog (RFC 9727). */
const catalogPath = '/.well-known/api-catalog'

/** The media type of the catalog (RFC 9264). */
const linkset = 'application/linkset+json'

/** Adds the pages about the service. They take no token and cost nothing. */
export function addPages(app: Hono<Env>, registry: Registry, root: string, pages: Pages): void {
  const { about, asset, authUrl, clientId, issuer, publicUrl, replicated } = pages
  const { title, version, scopes } = about
  const urlOf = (c: Context<Env>) => publicUrl ?? new URL(c.req.url).origin + root
  addPage(app, 'oas', oasPath(root), validateVersion, oas(asset, urlOf, authUrl, replicated))
  // A route that ends in a wildcard matches the path before it, too.
  addPage(app, 'docs', `${docsPath(root)}/*`, docs(root, asset, authUrl, clientId))

  // The metadata of the protected resource (RFC 9728): the issuer of its tokens, and its scopes.
  addPage(app, 'metadata', metadataPath(root), (c) => {
    const resource = urlOf(c)
    const metadata = {
      resource,
      resource_name: title,
      resource_documentation: docsPath(resource),
      authorization_servers: [issuer],
      scopes_supported: Object.keys(scopes),
      bearer_methods_supported: ['header'],
    }
    return c.json(metadata, 200, publicHeaders)
  })

  // The pages about the service with their relations to the root path (RFC 8631).
  const related = [
    { rel: 'service-desc', path: oasPath(root), type: 'application/json' },
    { rel: 'service-doc', path: docsPath(root), type: 'text/html' },
    { rel: 'service-meta', path: metadataPath(root), type: 'application/json' },
    { rel: 'status', path: healthPath, type: 'application/json' },
  ]
  const catalogLink = `<${catalogPath}>; rel="api-catalog"; type="${linkset}"`

  // Where the service and the pages about it are, for clients that know only the host. Its own links are in the header, too, for HEAD.
  addPage(app, 'catalog', catalogPath, (c) => {
    const anchor = urlOf(c)
    const { origin } = new URL(anchor)
    const links = related.map(({ rel, path, type }) => [rel, [{ href: origin + path, type }]])
    const item = { anchor: origin + catalogPath, item: [{ href: anchor }] }
    return c.json({ linkset: [item, { anchor, ...Object.fromEntries(links) }] }, 200, {
      ...publicHeaders,
      'Content-Type': `${linkset}; profile="https://www.rfc-editor.org/info/rfc9727"`,
      Link: `${catalogLink}, <${anchor}>; rel="item"`,
    })
  })

  // The paths of the collections, with links to the pages about the service. `GET /` leads browsers to the documentation instead.
  const listed = registry.types.filter((type) => registry.get(type).operations.list)
  const collections = Object.fromEntries(listed.map((type) => [type, `${root}/${type}`]))
  const links = related.map(({ rel, path, type }) => `<${path}>; rel="${rel}"; type="${type}"`)
  const headers = { ...publicHeaders, Link: [...links, catalogLink].join(', ') }
  for (const self of ['/', root]) {
    addPage(app, 'root', self, (c) => {
      const accept = c.req.header('Accept')
      if (self === '/' && quality(accept, 'text/html') > quality(accept, mediaType)) {
        return c.body(null, 302, { ...headers, Location: docsPath(root) })
      }
      requireAcceptable(accept)
      // JSON:API has a closed list of the links of a document, so the collections are in `meta`.
      const meta = { title, version, collections }
      const document = { jsonapi, links: { self, describedby: oasPath(root) }, meta }
      return c.json(document, 200, { ...headers, 'Content-Type': mediaType })
    })
  }
}

/** The URL of the metadata of the protected resource at `url` (RFC 9728). */
export function metadataUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + metadataPath(pathname)
}

function metadataPath(root: string): string {
  return `/.well-known/oauth-protected-resource${root}`
}
