import { zValidator } from '@hono/zod-validator'
import type { Context, Env, Handler } from 'hono'
import * as z from 'zod/mini'
import { ApiError, quote } from '../jsonapi/problems.ts'
import { putBounded } from '../lib/cache.ts'
import type { FetchAsset } from './docs.ts'
import { publicCaching, respondTagged, type TaggedBody, tagBody } from './respond.ts'

/** The path of the interface description below a root. */
export function oasPath(root: string): string {
  return `${root}/oas`
}

/** The texts in the built description that a deployment replaces by its own URLs. */
export const placeholders = { server: '{{server}}', authUrl: '{{authUrl}}' }

/** The versions of OpenAPI that the description is in. The first one is the default. */
export const oasVersions = ['3.0', '3.1'] as const

/** A version of OpenAPI that the description is in. */
export type OasVersion = (typeof oasVersions)[number]

/** The file of the built description among the static assets. */
export function oasFile(version: OasVersion, isReplicated: boolean): string {
  return `oas.${version}${isReplicated ? '.replicated' : ''}.json`
}

/** Refuses a version that does not exist, and more than one. @throws ApiError 400 */
export const validateVersion = zValidator(
  'query',
  z.object({ version: z._default(z.enum(oasVersions), '3.0') }),
  ({ success, data }) => {
    const source = { parameter: 'version' }
    if (Array.isArray(data.version)) {
      const detail = 'version is sent more than once. Send it once.'
      throw ApiError.of('VALUE_INVALID_FORMAT', detail, source)
    }
    if (!success) {
      const detail = `${quote(data.version)} is not one of: ${oasVersions.join(', ')}.`
      throw ApiError.of('INVALID_ENUM_VALUE', detail, source)
    }
  },
)

/** How many descriptions an isolate remembers. */
const maxDescriptions = 4

/**
 * `GET {root}/oas`: the interface description. An isolate makes it once for each version and URL of the root path.
 *
 * @param urlOf gives the URL of the root path
 * @param isReplicated is the database replicated? Then answers can have a bookmark
 */
export function oas(
  asset: FetchAsset,
  urlOf: (c: Context<Env>) => string,
  authUrl: string,
  isReplicated: boolean,
): Handler<Env> {
  const remembered = new Map<string, TaggedBody>()
  const head = {
    status: 200,
    mediaType: 'application/json',
    cacheControl: publicCaching,
    // A declared header is in the 304, too.
    headers: [['Cache-Control', publicCaching] as const],
  }
  return async (c: Context<Env, string, { out: { query: { version: OasVersion } } }>) => {
    const { version } = c.req.valid('query')
    const server = urlOf(c)
    const key = `${version} ${server}`
    const body = remembered.get(key) ?? (await fetchDescription(c.req.url, version, server))
    putBounded(remembered, key, body, maxDescriptions)
    const response = respondTagged(c, head, body)
    response.headers.set('Vary', 'Accept')
    return response
  }

  async function fetchDescription(url: string, version: OasVersion, server: string) {
    const built = await asset(new Request(new URL(`/${oasFile(version, isReplicated)}`, url)))
    if (!built.ok) {
      await built.body?.cancel()
      throw new Error(`The description is not among the assets: ${built.status}`)
    }
    const text = (await built.text()).replaceAll(placeholders.server, server)
    return tagBody(text.replaceAll(placeholders.authUrl, authUrl))
  }
}
