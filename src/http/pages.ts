import type { Context, Env, Handler, Hono } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { About } from '../openapi/document.ts'
import { catalog, catalogPath, entry, metadataPath, resourceMetadata } from './discovery.ts'
import { type DocsOptions, docs, type FetchAsset } from './docs.ts'
import { oas } from './oas.ts'

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

/** Gives the name of the page at a path in the log; undefined where there is none. */
export type PageName = (path: string) => string | undefined

/** Adds the pages about the service, which take GET and HEAD. They take no token and cost nothing. */
export function addPages(app: Hono<Env>, registry: Registry, root: string, pages: Pages): PageName {
  const { about, asset, authUrl, issuer, publicUrl } = pages
  const urlOf = (c: Context<Env>) => publicUrl ?? new URL(c.req.url).origin + root
  const below = `${root}/docs`
  const names = new Map<string, string>()
  const add = (name: string, path: string, handler: Handler<Env>): void => {
    names.set(path, name)
    app.get(path, (c, next) => {
      c.set('operation', name)
      return handler(c, next)
    })
  }
  add('root', '/', entry(registry, root, about))
  add(
    'oas',
    `${root}/oas`,
    oas(asset, (c) => ({ server: urlOf(c), authUrl })),
  )
  // A route that ends in a wildcard takes the path before it, too.
  add('docs', `${below}/*`, docs({ root, ...pages }))
  add('metadata', metadataPath(root), resourceMetadata(about, issuer, urlOf))
  add('catalog', catalogPath, catalog(root, urlOf))
  return (path) => names.get(path === below || path.startsWith(`${below}/`) ? `${below}/*` : path)
}
