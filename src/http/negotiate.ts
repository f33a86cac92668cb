import type { Env, MiddlewareHandler } from 'hono'
import { mediaType, withExtension } from '../jsonapi/document.ts'
import { ApiError, type Problem, quote } from '../jsonapi/errors.ts'
import { hasBody, longestHeader } from './bounds.ts'

/**
 * Requires `Accept` to admit JSON:API (contract, section 6), with the extension if answers have one.
 *
 * @throws ApiError NOT_ACCEPTABLE
 */
export function negotiate(extension?: string): MiddlewareHandler<Env> {
  return function negotiate(c, next) {
    demandAcceptable(c.req.header('Accept'), extension)
    return next()
  }
}

/** Refuses an `Accept` that does not admit JSON:API. @throws ApiError NOT_ACCEPTABLE */
export function demandAcceptable(accept: string | undefined, extension?: string): void {
  if (quality(accept, mediaType, extension) === 0) {
    const detail = `Answers are ${withExtension(extension)}, which the Accept header does not admit.`
    throw ApiError.of('NOT_ACCEPTABLE', detail, { header: 'Accept' })
  }
}

/**
 * Requires a body to be JSON:API, with the extension if bodies have one, and not to be compressed (contract, section 6).
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, with headers that say what is taken (RFC 9110, section 15.5.16)
 */
export function demandJsonApi(extension?: string): MiddlewareHandler<Env> {
  return function demandJsonApi(c, next) {
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
    return next()
  }
}

/** The headers that say which bodies PATCH (RFC 5789, section 3.1) and POST (Linked Data Platform 1.0, section 7.1) take. */
export function acceptedBodies(
  methods: readonly string[],
  extension?: string,
): Readonly<Record<string, string>> {
  return {
    ...(methods.includes('PATCH') && { 'Accept-Patch': withExtension(extension) }),
    ...(methods.includes('POST') && { 'Accept-Post': withExtension(extension) }),
  }
}

function typeProblem(type: string | undefined, extension: string | undefined): Problem {
  const sent = type === undefined ? 'The body has no Content-Type' : `The body is ${quote(type)}`
  const other = extension === undefined ? 'an extension' : 'another extension'
  return {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: `${sent}, but must be ${withExtension(extension)}, without ${other} and without any parameter but profile.`,
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

/**
 * The weight that an `Accept` header gives a media type, from 0 (not acceptable) to 1 (RFC 9110, section 12.5.1). The most
 * specific range decides. Without a header every type is acceptable; by a header that is too long, none is. A JSON:API range
 * with another extension, or with a parameter other than `ext` and `profile`, does not count (JSON:API 1.1, "Server
 * Responsibilities").
 */
export function quality(header: string | undefined, type: string, extension?: string): number {
  if (header === undefined || header.trim() === '') {
    return 1
  }
  if (header.length > longestHeader) {
    return 0
  }
  const names = [type, type.replace(/\/.*/, '/*'), '*/*']
  // A range has a slash. What has none is passed over at once, because `Accept` is read before the limiter can refuse a request.
  const ranges = separable(header)
    .split(',')
    .filter((range) => range.includes('/'))
  const weights: (number | undefined)[] = []
  for (const range of ranges) {
    const index = names.indexOf(nameOf(range))
    const counts = names[index] !== mediaType || isTaken(range, ['ext', 'profile', 'q'], extension)
    if (index >= 0 && counts) {
      weights[index] = Math.max(weights[index] ?? 0, weightOf(range))
    }
  }
  return weights.find((weight) => weight !== undefined) ?? 0
}

/** Is the `Content-Type` JSON:API with exactly this extension, or with none, and without parameters but `ext` and `profile`? */
export function isJsonApi(header = '', extension?: string): boolean {
  return (
    header.length <= longestHeader &&
    nameOf(header) === mediaType &&
    isTaken(separable(header), ['ext', 'profile'], extension)
  )
}

/** A header that can be split at commas and semicolons: those in quoted strings, which separate nothing, are put out of the way. */
function separable(header: string): string {
  return header.replace(/"(?:\\.|[^"\\])*"?/gs, (quoted) => quoted.replace(/[,;]/g, '\0'))
}

/** The name of a media type or a range. Its case does not count. */
function nameOf(range: string): string {
  const [name = ''] = range.split(';', 1)
  return name.trim().toLowerCase()
}

/** Does a media type or a range have no parameters but these, and name exactly the extension, or none where none is given? */
function isTaken(range: string, names: readonly string[], extension: string | undefined): boolean {
  const [, ...sent] = range.split(';')
  const parameters = sent
    .filter((parameter) => parameter.trim() !== '')
    .map((parameter) => {
      const [name = '', ...value] = parameter.split('=')
      return { name: name.trim().toLowerCase(), value: value.join('=').trim() }
    })
  const uris = parameters
    .flatMap(({ name, value }) => (name === 'ext' ? unquoted(value).trim().split(/ +/) : []))
    .filter((uri) => uri !== '')
  return (
    parameters.every(({ name }) => names.includes(name)) &&
    uris.every((uri) => uri === extension) &&
    (extension === undefined || uris.length > 0)
  )
}

/** The weight of a range: its first parameter `q`. What is no qvalue counts as absent (RFC 9110, section 12.4.2). */
function weightOf(range: string): number {
  const [, q = ''] = /;\s*q\s*(?:=([^;]*))?(?:;|$)/i.exec(range) ?? []
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q.trim()) ? Number(q) : 1
}

/** The text of a quoted string, or the text itself where it is not quoted (RFC 9110, section 5.6.4). */
function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1).replace(/"$/, '').replace(/\\(.)/g, '$1') : value
}
