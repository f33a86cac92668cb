import type { Context, Env, Handler } from 'hono'
import { ApiError, quote } from '../jsonapi/errors.ts'
import { putBounded } from '../lib/kept.ts'
import type { Addresses } from '../openapi/document.ts'
import type { FetchAsset } from './docs.ts'
import { publicHeaders, respondRead, type TaggedBody, tagged } from './respond.ts'

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

/** No more versions and addresses than these are remembered together. */
const maxRemembered = 4

/**
 * `GET {root}/oas`: the interface description in OpenAPI 3.0, or in 3.1 for `?version=3.1`. An isolate makes it once for an address.
 *
 * @param isReplicated is the database replicated, so that answers can have a bookmark?
 * @throws ApiError INVALID_ENUM_VALUE for an unknown version
 */
export function oas(
  asset: FetchAsset,
  addressesOf: (c: Context<Env>) => Addresses,
  isReplicated: boolean,
): Handler<Env> {
  const remembered = new Map<string, TaggedBody>()
  return async (c) => {
    const version = versionOf(c)
    const addresses = addressesOf(c)
    const key = JSON.stringify([version, addresses])
    const body = remembered.get(key) ?? (await tagged(await textOf(c, version, addresses)))
    putBounded(remembered, key, body, maxRemembered)
    const { 'Cache-Control': caching = '', ...others } = publicHeaders
    const headers = Object.entries({ ...others, 'Content-Type': 'application/json' })
    // A declared header stands in the 304, too.
    return respondRead(c, { status: 200, headers, declared: [['Cache-Control', caching]], ...body })
  }

  async function textOf(
    c: Context<Env>,
    version: OasVersion,
    { server, authUrl }: Addresses,
  ): Promise<string> {
    const built = await asset(new Request(new URL(`/${oasFile(version, isReplicated)}`, c.req.url)))
    if (!built.ok) {
      throw new Error(`The description is not among the assets: ${built.status}`)
    }
    return (await built.text())
      .replaceAll(placeholders.server, server)
      .replaceAll(placeholders.authUrl, authUrl)
  }
}

/** The version that a request asks for. Any but those that exist is refused. */
function versionOf(c: Context<Env>): OasVersion {
  const asked = c.req.query('version') ?? oasVersions[0]
  const found = oasVersions.find((version) => version === asked)
  if (found === undefined) {
    const detail = `${quote(asked)} is not one of: ${oasVersions.join(', ')}.`
    throw ApiError.of('INVALID_ENUM_VALUE', detail, { parameter: 'version' })
  }
  return found
}
