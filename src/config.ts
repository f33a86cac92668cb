import * as z from 'zod'

/** What the deployment decides: the variables and secrets of the Worker, checked. */
export interface Config {
  /** The path under which all endpoints lie, without a slash at its end. */
  readonly rootPath: string
  /** Where the authorization and token endpoints are. */
  readonly authUrl: string
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  /** The key ring that card numbers are encrypted under; see `db/cipher.ts`. */
  readonly cardKeys: string
  /** Origins of web pages that may call the service. */
  readonly corsOrigins: ReadonlySet<string>
}

const origin = z.url().refine((url) => new URL(url).origin === url, 'is not an origin')

const variables = z.object({
  ROOT_PATH: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'is not a path like /jsonapi')
    .default('/jsonapi'),
  AUTH_URL: z.url(),
  TOKEN_ISSUER: z.string().min(1),
  TOKEN_AUDIENCE: z.string().min(1),
  JWKS_URL: z.url(),
  CARD_KEYS: z.string().min(1),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(origin)),
})

/**
 * Reads the variables, once per isolate.
 *
 * @throws Error that names each wrong variable; of secrets it tells no more than the name
 */
export function readConfig(env: object): Config {
  const result = variables.safeParse(env)
  if (!result.success) {
    const faults = result.error.issues.map(
      ({ path, message }) => `${path[0]?.toString()}: ${message}`,
    )
    throw new Error(`Wrong variables. ${faults.join('; ')}`)
  }
  const vars = result.data
  return {
    rootPath: vars.ROOT_PATH,
    authUrl: vars.AUTH_URL,
    issuer: vars.TOKEN_ISSUER,
    audience: vars.TOKEN_AUDIENCE,
    jwksUrl: vars.JWKS_URL,
    cardKeys: vars.CARD_KEYS,
    corsOrigins: new Set(vars.CORS_ORIGINS),
  }
}
