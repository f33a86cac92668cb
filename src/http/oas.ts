import type { Context, Env, Handler } from 'hono'
import { ApiError, quote } from '../jsonapi/errors.ts'
import { putBounded } from '../lib/kept.ts'
import type { Addresses } from '../openapi/document.ts'
import type { FetchAsset } from './docs.ts'
import { quality } from './negotiate.ts'
import { publicHeaders, respondRead, type TaggedBody, tagged } from './respond.ts'

/** The path of the interface description below a root. */
export function oasPath(root: string): string {
  return `${root}/oas`
}

/** The texts in the built description that a deployment replaces by its own URLs. */
export const placeholders = { server: '{{server}}', authUrl: '{{authUrl}}' }

/** The forms of the description, each with its media type. The first one is the default. */
const forms = { json: 'application/json', yaml: 'application/yaml' } as const

/** The versions of OpenAPI that the description is in. The first one is the default. */
export const oasVersions = ['3.0', '3.1'] as const

/** A version of OpenAPI that the description is in. */
export type OasVersion = (typeof oasVersions)[number]

/** The file of a built description among the static assets. */
export function oasFile(version: string, form: string): string {
  return `oas.${version}.${form}`
}

/**
 * The description is the same until the next deployment, and nobody pays for it: an isolate makes each form once for an address.
 * More versions, forms and addresses than these are not remembered together.
 */
const mostRemembered = 4

/**
 * `GET {root}/oas`: the interface description in OpenAPI 3.0, or in 3.1 for `?version=3.1`, as JSON, or as YAML for `?format=yaml` or
 * `Accept: application/yaml`.
 *
 * @throws ApiError INVALID_ENUM_VALUE for an unknown form or version
 */
export function oas(asset: FetchAsset, addressesOf: (c: Context<Env>) => Addresses): Handler<Env> {
  const remembered = new Map<string, TaggedBody>()
  return async (c) => {
    const form = formOf(c)
    const file = oasFile(chosen(c, 'version', oasVersions) ?? oasVersions[0], form)
    const addresses = addressesOf(c)
    const key = JSON.stringify([file, addresses])
    const body = remembered.get(key) ?? (await tagged(await textOf(c, file, addresses)))
    putBounded(remembered, key, body, mostRemembered)
    const headers = Object.entries({ ...publicHeaders, 'Content-Type': forms[form] })
    return respondRead(c, { status: 200, headers, ...body })
  }

  async function textOf(
    c: Context<Env>,
    file: string,
    { server, authUrl }: Addresses,
  ): Promise<string> {
    const built = await asset(new Request(new URL(`/${file}`, c.req.url)))
    if (!built.ok) {
      throw new Error(`The description is not among the assets: ${built.status}`)
    }
    return (await built.text())
      .replaceAll(placeholders.server, server)
      .replaceAll(placeholders.authUrl, authUrl)
  }
}

function formOf(c: Context<Env>): keyof typeof forms {
  const accept = c.req.header('Accept')
  const preferred = quality(accept, forms.yaml) > quality(accept, forms.json) ? 'yaml' : 'json'
  return chosen(c, 'format', ['json', 'yaml']) ?? preferred
}

/** The value of a query parameter; undefined where it is not sent. Any but those allowed is refused. */
function chosen<Value extends string>(
  c: Context<Env>,
  parameter: string,
  allowed: readonly Value[],
): Value | undefined {
  const asked = c.req.query(parameter)
  const found = allowed.find((value) => value === asked)
  if (asked !== undefined && found === undefined) {
    const detail = `${quote(asked)} is not one of: ${allowed.join(', ')}.`
    throw ApiError.of('INVALID_ENUM_VALUE', detail, { parameter })
  }
  return found
}
