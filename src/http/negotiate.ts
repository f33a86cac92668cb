import type { Env, MiddlewareHandler } from 'hono'
import { ApiError, type Problem } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType, withExtension } from '../jsonapi/request/media-type.ts'
import { quote } from '../jsonapi/wording.ts'

/** The media type of bodies and answers, with the extension if they have one. */
function typeWith(extension: string | undefined): string {
  return extension === undefined ? mediaType : withExtension(extension)
}

/**
 * Requires `Accept` to admit JSON:API (contract, section 6), with the extension if answers have one.
 *
 * @throws ApiError NOT_ACCEPTABLE
 */
export function negotiate(extension?: string): MiddlewareHandler<Env> {
  return async function negotiate(c, next) {
    demandAcceptable(c.req.header('Accept'), extension)
    await next()
  }
}

/** Refuses an `Accept` that does not admit JSON:API. @throws ApiError NOT_ACCEPTABLE */
export function demandAcceptable(accept: string | undefined, extension?: string): void {
  if (!accepts(accept, extension)) {
    const detail = `Answers are ${typeWith(extension)}, which the Accept header does not admit.`
    throw ApiError.of('NOT_ACCEPTABLE', detail, { header: 'Accept' })
  }
}

/**
 * Requires a body to be JSON:API, with the extension if bodies have one, and not to be compressed (contract, section 6).
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, with headers that say what is taken (RFC 9110, section 15.5.16)
 */
export function demandJsonApi(extension?: string): MiddlewareHandler<Env> {
  return async function demandJsonApi(c, next) {
    const type = c.req.header('Content-Type')
    const coding = c.req.header('Content-Encoding')
    const isCoded = coding !== undefined && !isIdentity(coding)
    const problems = [
      ...(isJsonApi(type, extension) ? [] : [typeProblem(type, extension)]),
      ...(isCoded ? [codingProblem(coding)] : []),
    ]
    const [first, ...rest] = problems
    if (first && hasBody(c.req.raw)) {
      throw new ApiError([first, ...rest], {
        ...acceptedBodies([c.req.method], extension),
        ...(isCoded && { 'Accept-Encoding': 'identity' }),
      })
    }
    await next()
  }
}

/** The headers that say which bodies PATCH (RFC 5789, section 3.1) and POST (Linked Data Platform 1.0, section 7.1) take. */
export function acceptedBodies(
  methods: readonly string[],
  extension?: string,
): Readonly<Record<string, string>> {
  return {
    ...(methods.includes('PATCH') && { 'Accept-Patch': typeWith(extension) }),
    ...(methods.includes('POST') && { 'Accept-Post': typeWith(extension) }),
  }
}

function typeProblem(type: string | undefined, extension: string | undefined): Problem {
  const sent = type === undefined ? 'The body has no Content-Type' : `The body is ${quote(type)}`
  const other = extension === undefined ? 'an extension' : 'another extension'
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: `${sent}, but must be ${typeWith(extension)}, without ${other} and without any parameter but profile.`,
    source: { header: 'Content-Type' },
  }
}

function codingProblem(coding: string): Problem {
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: `The body has the Content-Encoding ${quote(coding)}, but must have none, or identity.`,
    source: { header: 'Content-Encoding' },
  }
}

/** Does the `Content-Encoding` leave the body as it is? */
function isIdentity(coding: string): boolean {
  return coding.split(',').every((one) => ['', 'identity'].includes(one.trim().toLowerCase()))
}

function hasBody(request: Request): boolean {
  const declared = request.headers.get('Content-Length')
  return declared === null ? request.body !== null : Number(declared) > 0
}
