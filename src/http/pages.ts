import type { Context, Env, Handler, Hono } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { jsonapi, mediaType } from '../jsonapi/document.ts'
import type { About } from '../openapi/document.ts'
import { type DocsOptions, docs, docsPath, type FetchAsset } from './docs.ts'
import { healthPath } from './health.ts'
import { demandAcceptable, quality } from './negotiate.ts'
import { oas, oasPath } from './oas.ts'
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
  addPage(app, 'root', '/', entry(registry, root, about))
  addPage(app, 'root', root, start(registry, root, about, root))
  addPage(app, 'oas', oasPath(root), oas(asset, addressesOf, replicated))
  // A route that ends in a wildcard matches the path before it, too.
  addPage(app, 'docs', `${docsPath(root)}/*`, docs({ root, ...pages }))
  addPage(app, 'metadata', metadataPath(root), resourceMetadata(about, issuer, urlOf))
  addPage(app, 'catalog', catalogPath, catalog(root, urlOf))
}

/** The pages about the service, each with its relation to the root path (RFC 8631) and its media type. */
function pagesAbout(root: string) {
  return [
    { relation: 'service-desc', path: oasPath(root), type: 'application/json' },
    { relation: 'service-doc', path: docsPath(root), type: 'text/html' },
    { relation: 'service-meta', path: metadataPath(root), type: 'application/json' },
    { relation: 'status', path: healthPath, type: 'application/json' },
  ]
}

/** The path of the catalog (RFC 9727, section 2). */
const catalogPath = '/.well-known/api-catalog'

/** The media type of the catalog (RFC 9264, section 4.2), with the profile of RFC 9727. */
const linkset = 'application/linkset+json'
const profile = 'https://www.rfc-editor.org/info/rfc9727'

const catalogLink = `<${catalogPath}>; rel="api-catalog"; type="${linkset}"`

/**
 * `GET /.well-known/api-catalog`: where the service is, and the pages about it, for clients that know nothing but the host (RFC
 * 9727). Its own links stand in the header, too, so that HEAD has them.
 *
 * @param urlOf the URL of the root path
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
      'Content-Type': `${linkset}; profile="${profile}"`,
      Link: `${catalogLink}, <${anchor}>; rel="item"`,
    })
  }
}

/**
 * `GET {root}`: the paths of the collections, with links to the pages about the service and to the catalog.
 *
 * @param self the path of the page
 */
function start(registry: Registry, root: string, about: About, self: string): Handler<Env> {
  const collections = registry.types
    .filter((type) => registry.get(type).operations.list)
    .map((type) => [type, `${root}/${type}`])
  const document = {
    jsonapi,
    links: { self, describedby: oasPath(root) },
    // They stand in `meta`, because JSON:API has a closed list of the links of a document.
    meta: {
      title: about.title,
      version: about.version,
      collections: Object.fromEntries(collections),
    },
  }
  const headers = { ...publicHeaders, Link: linksAbout(root), 'Content-Type': mediaType }
  return (c) => {
    demandAcceptable(c.req.header('Accept'))
    return c.json(document, 200, headers)
  }
}

/** `GET /`: leads browsers to the documentation, and answers other clients like {@link start}. */
function entry(registry: Registry, root: string, about: About): Handler<Env> {
  const answer = start(registry, root, about, '/')
  const headers = { ...publicHeaders, Link: linksAbout(root), Location: docsPath(root) }
  return (c, next) => {
    const accept = c.req.header('Accept')
    return quality(accept, 'text/html') > quality(accept, mediaType)
      ? c.body(null, 302, headers)
      : answer(c, next)
  }
}

/** The `Link` header that leads to the pages about the service and to the catalog. */
function linksAbout(root: string): string {
  const links = pagesAbout(root).map(
    ({ relation, path, type }) => `<${path}>; rel="${relation}"; type="${type}"`,
  )
  return [...links, catalogLink].join(', ')
}

/** The URL of the metadata of the protected resource at `url` (RFC 9728, section 3.1). */
export function metadataUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + metadataPath(pathname)
}

/** The path of {@link metadataUrl}. */
function metadataPath(root: string): string {
  return `/.well-known/oauth-protected-resource${root}`
}

/** `GET` of the metadata of the protected resource (RFC 9728, section 2): the issuer of its tokens, and its scopes. */
function resourceMetadata(
  about: About,
  issuer: string,
  resourceOf: (c: Context<Env>) => string,
): Handler<Env> {
  return (c) => {
    const resource = resourceOf(c)
    return c.json(
      {
        resource,
        resource_name: about.title,
        resource_documentation: docsPath(resource),
        authorization_servers: [issuer],
        scopes_supported: Object.keys(about.scopes),
        bearer_methods_supported: ['header'],
      },
      200,
      publicHeaders,
    )
  }
}
