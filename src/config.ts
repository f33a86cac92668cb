import * as z from 'zod/mini'
import { isCallerName } from './auth/names.ts'
import { tokenProfiles } from './auth/profiles.ts'
import { parseKeyRing } from './lib/key-ring.ts'
import { count, flag, isTrue, oneOf, readVariables, text } from './lib/variables.ts'
import { rateLimitFrom, rateLimitVariables } from './rate-limit/policy.ts'

const url = text('must be an http or https URL', (value) => isHttp(value) && URL.canParse(value))

// Lists are split after they are validated, because the first schema of a list takes long to make.
const variables = z.extend(rateLimitVariables, {
  ROOT_PATH: z.optional(
    text('must be a path like /jsonapi', (value) => /^(?:\/[A-Za-z0-9._~-]+)+$/.test(value)),
  ),
  AUTH_URL: url,
  TOKEN_ISSUER: text('must be the iss of the access tokens', (value) => value !== ''),
  TOKEN_AUDIENCE: text('must be the aud of the access tokens', (value) => {
    const [name = ''] = listOf(value)
    return isHttp(name) ? URL.canParse(name) : name !== ''
  }),
  JWKS_URL: url,
  TOKEN_PROFILE: oneOf(tokenProfiles),
  DOCS_CLIENT_ID: z.optional(text('must be the id of a client', () => true)),
  D1_DEADLINE_MS: count,
  QUOTA_OWNED: count,
  QUOTA_MEMBERS: count,
  READ_ONLY: flag,
  D1_REPLICATION: flag,
  LOG_SHARE: z.optional(
    text('must be a number from 0 to 1, like 0.1', (value) => /^(?:0|1|0\.\d{1,9})$/.test(value)),
  ),
  CORS_ORIGINS: z.optional(
    text('must be origins like https://app.example, with commas between them', (value) =>
      listOf(value).every(isOrigin),
    ),
  ),
  BLOCKED_CALLERS: z.optional(
    text('must be names of callers in the log, with commas between them', (value) =>
      listOf(value).every(isCallerName),
    ),
  ),
})

/** The names of all variables. The secret is not among them. */
export const variableNames: readonly string[] = Object.keys(variables.shape)

// The message for a wrong secret repeats nothing of it.
const secrets = {
  CARD_KEYS: z.string('must be a key ring'),
}

/**
 * Reads the configuration of a deployment: the variables and secrets of the Worker, validated.
 *
 * @throws Error that names each wrong variable, what it holds and what is allowed, and repeats nothing of secrets
 */
export function readConfig(env: object) {
  const vars = readVariables(z.extend(variables, secrets), env)
  const { ROOT_PATH: rootPath = '/jsonapi' } = vars
  const audience = listOf(vars.TOKEN_AUDIENCE)
  const [name = ''] = audience
  return {
    /** The path under which all endpoints lie, without a slash at its end. */
    rootPath,
    /** The URL below which the authorization and token endpoints are. */
    authUrl: vars.AUTH_URL,
    issuer: vars.TOKEN_ISSUER,
    /** The names of the service, one of which must be the audience of a token. The first one is the service's own. */
    audience,
    /** The URL of the root path. Undefined if the first audience is no URL. */
    publicUrl: isHttp(name) ? new URL(rootPath, name).href : undefined,
    jwksUrl: vars.JWKS_URL,
    tokenProfile: vars.TOKEN_PROFILE ?? 'generic',
    /** The id of the OAuth client on the documentation page. Empty if there is none. */
    docsClientId: vars.DOCS_CLIENT_ID ?? '',
    cardKeys: parseKeyRing(vars.CARD_KEYS),
    limit: rateLimitFrom(vars),
    /** Origins of web pages that may call the service. */
    corsOrigins: new Set(listOf(vars.CORS_ORIGINS ?? '')),
    /** Blocked callers: their names in the log. */
    blockedCallers: new Set(listOf(vars.BLOCKED_CALLERS ?? '')),
    /** Are writes refused? */
    readOnly: isTrue(vars.READ_ONLY),
    /** Is the database replicated? Reads then go to the nearest replica, in sessions. */
    replicated: isTrue(vars.D1_REPLICATION),
    /** Milliseconds that one call of the database may take. */
    databaseDeadlineMs: Number(vars.D1_DEADLINE_MS ?? 5_000),
    quotas: {
      owned: Number(vars.QUOTA_OWNED ?? 1_000),
      members: Number(vars.QUOTA_MEMBERS ?? 1_000),
    },
    /** The share of ordinary requests that are logged, from 0 to 1. */
    logShare: Number(vars.LOG_SHARE ?? 1),
  }
}

function isHttp(text: string): boolean {
  return /^https?:/i.test(text)
}

function isOrigin(text: string): boolean {
  return URL.parse(text)?.origin === text
}

/** The items of a list with commas between them. */
function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}
