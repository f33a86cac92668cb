import type { Context, Handler, Hono } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { About } from '../openapi/document.ts'
import type { AppEnv } from './context.ts'
import { catalog, catalogPath, entry, metadataPath, resourceMetadata } from './discovery.ts'
import { type DocsOptions, docs, type FetchAsset } from './docs.ts'
import { oas } from './oas.ts'
import { otherMethod } from './paths.ts'

/** What the pages about the service are made from. */
export interface Pages {
  readonly about: About
  /** The URL of the root path. Where it is undefined, the URL of the request tells it. */
  readonly publicUrl: string | undefined
  readonly authUrl: string
  readonly issuer: string
  readonly clients: DocsOptions['clients']
  readonly asset: FetchAsset
}

/** Adds the pages about the service. They take no token and cost nothing. */
export function addPages(app: Hono<AppEnv>, registry: Registry, root: string, pages: Pages): void {
  const { about, asset, authUrl, issuer, publicUrl } = pages
  const urlOf = (c: Context<AppEnv>) => publicUrl ?? new URL(c.req.url).origin + root
  const documentation = docs({ root, ...pages })
  addPage(app, 'root', '/', entry(registry, root, about))
  addPage(
    app,
    'oas',
    `${root}/oas`,
    oas(asset, (c) => ({ server: urlOf(c), authUrl })),
  )
  addPage(app, 'docs', `${root}/docs`, documentation)
  addPage(app, 'docs', `${root}/docs/*`, documentation)
  addPage(app, 'metadata', metadataPath(root), resourceMetadata(about, issuer, urlOf))
  addPage(app, 'catalog', catalogPath, catalog(root, urlOf))
}

/**
 * Adds a page, which takes GET, HEAD and OPTIONS.
 *
 * @param name the name of the page in the log
 */
function addPage(app: Hono<AppEnv>, name: string, path: string, handler: Handler<AppEnv>): void {
  app.use(path, async (c, next) => {
    c.set('page', name)
    await next()
  })
  app.get(path, handler)
  app.all(path, (c) => otherMethod(c, ['GET', 'HEAD', 'OPTIONS']))
}
