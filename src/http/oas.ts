import type { Context, Handler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { quality } from '../jsonapi/request/media-type.ts'
import { quote } from '../jsonapi/validate.ts'
import type { Addresses } from '../openapi/document.ts'
import type { AppEnv } from './context.ts'
import type { FetchAsset } from './docs.ts'
import { publicHeaders } from './headers.ts'
import { tagged } from './respond.ts'

/** The texts in the built description that a deployment replaces by its own URLs. */
export const placeholders = { server: '{{server}}', authUrl: '{{authUrl}}' }

/** The forms of the description, each with its media type. The first one is the default. */
const forms = { json: 'application/json', yaml: 'application/yaml' } as const

/**
 * `GET {root}/oas`: the interface description, as JSON, or as YAML for `?format=yaml` or `Accept: application/yaml`.
 *
 * @throws ApiError INVALID_ENUM_VALUE for an unknown form
 */
export function oas(
  asset: FetchAsset,
  addressesOf: (c: Context<AppEnv>) => Addresses,
): Handler<AppEnv> {
  return async (c) => {
    const form = formOf(c)
    const built = await asset(new Request(new URL(`/oas.${form}`, c.req.url)))
    if (!built.ok) {
      throw new Error(`The description is not among the assets: ${built.status}`)
    }
    const { server, authUrl } = addressesOf(c)
    const text = (await built.text())
      .replaceAll(placeholders.server, server)
      .replaceAll(placeholders.authUrl, authUrl)
    return tagged(c, text, 200, { ...publicHeaders, 'Content-Type': forms[form] })
  }
}

function formOf(c: Context<AppEnv>): keyof typeof forms {
  const asked = c.req.query('format')
  if (asked === undefined) {
    const accept = c.req.header('Accept')
    return quality(accept, forms.yaml) > quality(accept, forms.json) ? 'yaml' : 'json'
  }
  if (asked !== 'json' && asked !== 'yaml') {
    const detail = `${quote(asked)} is not one of: ${Object.keys(forms).join(', ')}.`
    throw ApiError.of('INVALID_ENUM_VALUE', detail, { parameter: 'format' })
  }
  return asked
}
