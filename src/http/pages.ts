import type { Context, Env, Handler, Hono } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { jsonapi, mediaType } from '../jsonapi/json.ts'
import type { About } from '../openapi/document.ts'
import { type DocsOptions, docs, docsPath, type FetchAsset } from './docs.ts'
import { healthPath } from './health.ts'
import { quality, requireAcceptable } from './negotiate.ts'
import { oas, oasPath, validateVersion } from './oas.ts'
import { addPage } from './paths.ts'
import { publicHeaders } from './respond.ts'

/** What the pages about the service are made from. */
export interface Pages {
  readonly about: About
  /** The URL of the root path. Where it is undefined, it follows from the URL of the request. */
  readonly publicUrl: string | undefined
  readonly authUrl: string
  readonly issuer: string
  readonly clientId: DocsOptions['clientId']
  readonly asset: FetchAsset
  /** Is the database replicated? */
  readonly replicated: boolean
}

/** Adds the pages about the service. They take no token and cost nothing. */
export function addPages(app: Hono<Env>, registry: Registry, root: string, pages: Pages): void {
  const { about, asset, authUrl, issuer, publicUrl, replicated } = pages
  const urlOf = (c: Context<Env>) => publicUrl ?? new URL(c.req.url).origin + root
  const addressesOf = (c: Context<Env>) => ({ server: urlOf(c), authUrl })
  addPage(app, 'root', '/', start(registry, root, about, '/'))
  addPage(app, 'root', root, start(registry, root, about, root))
  addPage(app, 'oas', oasPath(root), validateVersion, oas(asset, addressesOf, replicated))
  // A route that ends in a wildcard matches the path before it, too.
  addPage(app, 'docs', `${docsPath(root)}/*`, docs({ root, ...pages }))
  addPage(app, 'metadata', metadataPath(root), resourceMetadata(about, issuer, urlOf))
  addPage(app, 'catalog', catalogPath, catalog(root, urlOf))
}

/** The pages about the service with their relations to the root path (RFC 8631) and their media types. */
function pagesAbout(root: string) {
  return [
    { relation: 'service-desc', path: oasPath(root), type: 'application/json' },
    { relation: 'service-doc', path: docsPath(root), type: 'text/html' },
    { relation: 'service-meta', path: metadataPath(root), type: 'application/json' },
    { relation: 'status', path: healthPath, type: 'application/json' },
  ]
}

/** The path of the catalog (RFC 9727). */
const catalogPath = '/.well-known/api-catalog'

/** The media type of the catalog (RFC 9264). */
const linkset = 'application/linkset+json'

const catalogLink = `<${catalogPath}>; rel="api-catalog"; type="${linkset}"`

/**
 * `GET /.well-known/api-catalog`: where the service and the pages about it are, for clients that know only the host (RFC 9727). Its
 * own links are in the header, too, so that HEAD has them.
 */
function catalog(root: string, urlOf: (c: Context<Env>) => string): Handler<Env> {
  return (c) => {
    const anchor = urlOf(c)
    const { origin } = new URL(anchor)
    const about = pagesAbout(root).map(({ relation, path, type }) => [
      relation,
      [{ href: origin + path, type }],
    ])
    const links = [
      { anchor: origin + catalogPath, item: [{ href: anchor }] },
      { anchor, ...Object.fromEntries(about) },
    ]
    return c.json({ linkset: links }, 200, {
      ...publicHeaders,
      'Content-Type': `${linkset}; profile="https://www.rfc-editor.org/info/rfc9727"`,
      Link: `${catalogLink}, <${anchor}>; rel="item"`,
    })
  }
}

/** The paths of the collections, with links to the pages about the service. `GET /` leads browsers to the documentation instead. */
function start(
  { types, get }: Registry,
  root: string,
  { title, version }: About,
  self: string,
): Handler<Env> {
  const listed = types.filter((type) => get(type).operations.list)
  const collections = Object.fromEntries(listed.map((type) => [type, `${root}/${type}`]))
  const document = {
    jsonapi,
    links: { self, describedby: oasPath(root) },
    // JSON:API has a closed list of the links of a document, so that they are in `meta`.
    meta: { title, version, collections },
  }
  const links = pagesAbout(root).map(
    ({ relation, path, type }) => `<${path}>; rel="${relation}"; type="${type}"`,
  )
  const headers = { ...publicHeaders, Link: [...links, catalogLink].join(', ') }
  return (c) => {
    const accept = c.req.header('Accept')
    if (self === '/' && quality(accept, 'text/html') > quality(accept, mediaType)) {
      return c.body(null, 302, { ...headers, Location: docsPath(root) })
    }
    requireAcceptable(accept)
    return c.json(document, 200, { ...headers, 'Content-Type': mediaType })
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

/** The metadata of the protected resource (RFC 9728): the issuer of its tokens, and its scopes. */
function resourceMetadata(
  { title, scopes }: About,
  issuer: string,
  resourceOf: (c: Context<Env>) => string,
): Handler<Env> {
  return (c) => {
    const resource = resourceOf(c)
    const metadata = {
      resource,
      resource_name: title,
      resource_documentation: docsPath(resource),
      authorization_servers: [issuer],
      scopes_supported: Object.keys(scopes),
      bearer_methods_supported: ['header'],
    }
    return c.json(metadata, 200, publicHeaders)
  }
}
