import type { Context, Handler } from 'hono'
import { accepts } from 'hono/accepts'
import { ApiError } from '../jsonapi/errors.ts'
import { type About, openApi } from '../jsonapi/openapi/document.ts'
import type { Registry } from '../jsonapi/registry.ts'
import { quote } from '../jsonapi/validate.ts'
import { rateLimitHeaderTexts } from '../rate-limit/headers.ts'
import type { AppEnv } from './context.ts'
import { publicHeaders } from './headers.ts'
import { bookmarkHeader, tagged } from './respond.ts'
import { toYaml } from './yaml.ts'

/** The forms of the interface description, the first one unless another is asked for. */
const forms = {
  json: { type: 'application/json', write: (data: unknown) => JSON.stringify(data) },
  yaml: { type: 'application/yaml', write: toYaml },
} as const

/**
 * `GET {root}/oas`: the interface description, as JSON, or as YAML for `?format=yaml` or `Accept: application/yaml`.
 *
 * @param describe makes it for a service at this URL; asked once for each form while the URL stays the same
 * @throws ApiError INVALID_ENUM_VALUE for a form that there is not
 */
export function oas(
  describe: (server: string) => unknown,
  serverOf: (c: Context<AppEnv>) => string,
): Handler<AppEnv> {
  const made = new Map<keyof typeof forms, { readonly server: string; readonly text: string }>()
  return (c) => {
    const server = serverOf(c)
    const form = formOf(c)
    const { type, write } = forms[form]
    const known = made.get(form)
    const text = known?.server === server ? known.text : write(describe(server))
    made.set(form, { server, text })
    return tagged(c, text, 200, { ...publicHeaders, 'Content-Type': type })
  }
}

/** The interface description of the service, with the headers that this layer adds. */
export function descriptionOf(
  registry: Registry,
  about: About,
  { server, authUrl }: { readonly server: string; readonly authUrl: string },
) {
  const session = 'A state of the database: sent back, it lets a caller see what it has written.'
  return openApi(
    registry,
    { ...about, contact: { name: 'Documentation', url: `${server}/docs` } },
    {
      server,
      authUrl,
      headers: { limit: rateLimitHeaderTexts, session: { [bookmarkHeader]: session } },
    },
  )
}

function formOf(c: Context<AppEnv>): keyof typeof forms {
  const asked = c.req.query('format')
  if (asked === undefined) {
    const supports = Object.values(forms).map(({ type }) => type)
    const wanted = accepts(c, { header: 'Accept', supports, default: forms.json.type })
    return wanted === forms.yaml.type ? 'yaml' : 'json'
  }
  if (asked !== 'json' && asked !== 'yaml') {
    const detail = `${quote(asked)} is not one of: ${Object.keys(forms).join(', ')}.`
    throw ApiError.of('INVALID_ENUM_VALUE', detail, { parameter: 'format' })
  }
  return asked
}
