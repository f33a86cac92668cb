import type { Context, Handler } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { jsonapi } from '../jsonapi/document.ts'
import { mediaType, quality } from '../jsonapi/request/media-type.ts'
import type { About } from '../openapi/document.ts'
import type { AppEnv } from './context.ts'
import { publicHeaders } from './headers.ts'
import { demandAcceptable } from './negotiate.ts'

/** `GET /`: leads browsers to the documentation, and answers other clients with the paths of the collections. */
export function entry(registry: Registry, root: string, about: About): Handler<AppEnv> {
  const collections = registry.types
    .filter((type) => registry.get(type).operations.list)
    .map((type) => [type, `${root}/${type}`])
  const document = {
    jsonapi,
    links: { self: '/', describedby: `${root}/oas` },
    // They stand in `meta`, because JSON:API has a closed list of the links of a document.
    meta: {
      title: about.title,
      version: about.version,
      collections: Object.fromEntries(collections),
    },
  }
  const acceptable = demandAcceptable()
  return (c) => {
    const accept = c.req.header('Accept')
    if (quality(accept, 'text/html') > quality(accept, mediaType)) {
      return new Response(null, {
        status: 302,
        headers: { ...publicHeaders, Location: `${root}/docs` },
      })
    }
    acceptable(c)
    return new Response(JSON.stringify(document), {
      headers: { ...publicHeaders, 'Content-Type': mediaType },
    })
  }
}

/** The URL of the metadata of the protected resource at `url` (RFC 9728, section 3.1). */
export function metadataUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + metadataPath(pathname)
}

/** The path of {@link metadataUrl}. */
export function metadataPath(root: string): string {
  return `/.well-known/oauth-protected-resource${root}`
}

/** `GET` of the metadata of the protected resource (RFC 9728, section 2): the issuer of its tokens, and its scopes. */
export function resourceMetadata(
  about: About,
  issuer: string,
  resourceOf: (c: Context<AppEnv>) => string,
): Handler<AppEnv> {
  return (c) => {
    const resource = resourceOf(c)
    const metadata = {
      resource,
      resource_name: about.title,
      resource_documentation: `${resource}/docs`,
      authorization_servers: [issuer],
      scopes_supported: Object.keys(about.scopes),
      bearer_methods_supported: ['header'],
    }
    return new Response(JSON.stringify(metadata), {
      headers: { ...publicHeaders, 'Content-Type': 'application/json' },
    })
  }
}
