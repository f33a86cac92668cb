import type { Context, Env, Hono } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { About } from '../openapi/document.ts'
import { catalog, catalogPath, entry, metadataPath, resourceMetadata } from './discovery.ts'
import { type DocsOptions, docs, type FetchAsset } from './docs.ts'
import { oas } from './oas.ts'
import { addPage } from './paths.ts'

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
export function addPages(app: Hono<Env>, registry: Registry, root: string, pages: Pages): void {
  const { about, asset, authUrl, issuer, publicUrl } = pages
  const urlOf = (c: Context<Env>) => publicUrl ?? new URL(c.req.url).origin + root
  const addressesOf = (c: Context<Env>) => ({ server: urlOf(c), authUrl })
  addPage(app, 'root', '/', entry(registry, root, about))
  addPage(app, 'oas', `${root}/oas`, oas(asset, addressesOf))
  // A route that ends in a wildcard takes the path before it, too.
  addPage(app, 'docs', `${root}/docs/*`, docs({ root, ...pages }))
  addPage(app, 'metadata', metadataPath(root), resourceMetadata(about, issuer, urlOf))
  addPage(app, 'catalog', catalogPath, catalog(root, urlOf))
}
