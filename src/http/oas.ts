import type { Context, Handler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { quality } from '../jsonapi/request/media-type.ts'
import { quote } from '../jsonapi/wording.ts'
import { putBounded } from '../lib/bounded-map.ts'
import type { Addresses } from '../openapi/document.ts'
import type { AppEnv } from './context.ts'
import type { FetchAsset } from './docs.ts'
import { publicHeaders } from './headers.ts'
import { answerRead, type TaggedBody, tagged } from './respond.ts'

/** The texts in the built description that a deployment replaces by its own URLs. */
export const placeholders = { server: '{{server}}', authUrl: '{{authUrl}}' }

/** The forms of the description, each with its media type. The first one is the default. */
const forms = { json: 'application/json', yaml: 'application/yaml' } as const

/**
 * The description is the same until the next deployment, and nobody pays for it: an isolate makes each form once for an address.
 * More forms and addresses than these are not remembered together.
 */
const mostRemembered = 4

/**
 * `GET {root}/oas`: the interface description, as JSON, or as YAML for `?format=yaml` or `Accept: application/yaml`.
 *
 * @throws ApiError INVALID_ENUM_VALUE for an unknown form
 */
export function oas(
  asset: FetchAsset,
  addressesOf: (c: Context<AppEnv>) => Addresses,
): Handler<AppEnv> {
  const remembered = new Map<string, TaggedBody>()
  return async (c) => {
    const form = formOf(c)
    const addresses = addressesOf(c)
    const key = JSON.stringify([form, addresses])
    const body = remembered.get(key) ?? (await tagged(await textOf(c, form, addresses)))
    putBounded(remembered, key, body, mostRemembered)
    return answerRead(c, body, 200, [
      ...Object.entries(publicHeaders),
      ['Content-Type', forms[form]],
    ])
  }

  async function textOf(
    c: Context<AppEnv>,
    form: keyof typeof forms,
    { server, authUrl }: Addresses,
  ): Promise<string> {
    const built = await asset(new Request(new URL(`/oas.${form}`, c.req.url)))
    if (!built.ok) {
      throw new Error(`The description is not among the assets: ${built.status}`)
    }
    return (await built.text())
      .replaceAll(placeholders.server, server)
      .replaceAll(placeholders.authUrl, authUrl)
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
