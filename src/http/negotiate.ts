import { parseAccept } from 'hono/utils/accept'
import { mediaType, withExtension } from '../jsonapi/json.ts'
import { ApiError, type Problem, quote } from '../jsonapi/problems.ts'
import { hasBody, maxHeaderLength } from './bounds.ts'

/** Refuses an `Accept` that does not admit JSON:API, with the extension of the answers. @throws ApiError 406 */
export function requireAcceptable(accept: string | undefined, extension?: string): void {
  const served = withExtension(extension)
  if (accept !== served && quality(accept, mediaType, extension) === 0) {
    const detail = `Answers are ${served}, which the Accept header does not admit.`
    throw ApiError.of('NOT_ACCEPTABLE', detail, { header: 'Accept' })
  }
}

/** Refuses a body that is compressed, or is not JSON:API with the extension of the operation. @throws ApiError 415 */
export function requireJsonApi(request: Request, extension?: string): void {
  const type = request.headers.get('Content-Type') ?? undefined
  const coding = request.headers.get('Content-Encoding') ?? ''
  const isCoded = !isIdentity(coding)
  const [first, ...rest] = [
    ...(isJsonApi(type, extension) ? [] : [typeProblem(type, extension)]),
    ...(isCoded ? [codingProblem(coding)] : []),
  ]
  if (first && hasBody(request)) {
    throw new ApiError([first, ...rest], {
      ...acceptedBodies([request.method], extension),
      ...(isCoded && { 'Accept-Encoding': 'identity' }),
    })
  }
}

/** The headers that say which bodies PATCH (RFC 5789) and POST (Linked Data Platform) accept. */
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
 * The weight that `Accept` gives a media type, from 0 (not acceptable) to 1. The most specific range decides. Without a header every
 * type is acceptable. By a header that is too long, none is.
 */
export function quality(header: string | undefined, type: string, extension?: string): number {
  if (header === undefined || header.trim() === '') {
    return 1
  }
  const ranges = parsed(header)
  for (const name of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const weights = ranges
      .filter((range) => nameOf(range) === name)
      .filter((range) => name !== mediaType || isSupported(range, extension, ['q']))
      .map(weightOf)
    if (weights.length > 0) {
      return Math.max(...weights)
    }
  }
  return 0
}

/** Is the `Content-Type` JSON:API with exactly this extension, or with none? */
export function isJsonApi(header = '', extension?: string): boolean {
  const [type, ...others] = parsed(header)
  return (
    type !== undefined &&
    others.length === 0 &&
    nameOf(type) === mediaType &&
    isSupported(type, extension)
  )
}

type MediaType = ReturnType<typeof parseAccept>[number]

/** The media types in a header. There are none in a header that is too long. */
function parsed(header: string): readonly MediaType[] {
  return header.length > maxHeaderLength ? [] : parseAccept(header)
}

function nameOf({ type }: MediaType): string {
  return type.toLowerCase()
}

/** Has a media type exactly this extension, or none, and no parameter but `ext`, `profile` and those of `others`? */
function isSupported(
  { params }: MediaType,
  extension: string | undefined,
  others: readonly string[] = [],
): boolean {
  const sent = Object.entries(params).map(([name, value]) => [name.toLowerCase(), value] as const)
  const uris = sent
    .filter(([name]) => name === 'ext')
    .flatMap(([, value]) => value.split(' '))
    .filter(Boolean)
  return (
    sent.every(([name]) => ['ext', 'profile', ...others].includes(name)) &&
    uris.every((uri) => uri === extension) &&
    (extension === undefined || uris.length > 0)
  )
}

/** The weight of a range. A text that is no qvalue of RFC 9110 counts as absent. */
function weightOf({ params: { q = '' } }: MediaType): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 1
}
