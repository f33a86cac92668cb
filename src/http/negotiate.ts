import { parseAccept } from 'hono/utils/accept'
import { mediaType, withExtension } from '../jsonapi/json.ts'
import { ApiError, type Problem, quote } from '../jsonapi/problems.ts'
import { hasBody, maxHeaderLength } from './bounds.ts'

/** Refuses an `Accept` that does not admit the media type of the answers: JSON:API with their extension, or another. @throws ApiError 406 */
export function requireAcceptable(accept?: string, extension?: string, type = mediaType): void {
  const answers = type === mediaType ? withExtension(extension) : type
  // Most clients send just this, which needs no parsing.
  if (accept !== answers && quality(accept, type, extension) === 0) {
    const detail = `Accept admits nothing that is answered here: send ${answers} in it, or leave it out.`
    throw ApiError.of('NOT_ACCEPTABLE', detail, { header: 'Accept' })
  }
}

/** Refuses a body that is compressed, or is not JSON:API with the extension of the operation. @throws ApiError 415 */
export function requireJsonApi(request: Request, extension?: string): void {
  const type = request.headers.get('Content-Type') ?? undefined
  const coding = request.headers.get('Content-Encoding') ?? ''
  const isCoded = coding.split(',').some((one) => !/^\s*(?:identity)?\s*$/i.test(one))
  const problems = [
    ...(isJsonApi(type, extension) ? [] : [typeProblem(type, extension)]),
    ...(isCoded ? [codingProblem(coding)] : []),
  ]
  if (problems.length > 0 && hasBody(request)) {
    throw new ApiError(problems, {
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

/**
 * The weight that `Accept` gives a media type, from 0 (not acceptable) to 1. The most specific range decides. Without a header every
 * type is acceptable. With a header that is too long, none is.
 */
export function quality(header: string | undefined, type: string, extension?: string): number {
  if (header === undefined || header.trim() === '') {
    return 1
  }
  const ranges = parseMediaTypes(header)
  for (const name of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const weights = ranges
      .filter((range) => range.type === name)
      .filter((range) => name !== mediaType || isSupported(range, extension, ['q']))
      .map(({ params: { q = '' } }) => (qvalue.test(q) ? Number(q) : 1))
    if (weights.length > 0) {
      return Math.max(...weights)
    }
  }
  return 0
}

/** A weight of RFC 9110. Any other text counts as absent. */
const qvalue = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Is the `Content-Type` JSON:API with exactly this extension, or with none? */
export function isJsonApi(header = '', extension?: string): boolean {
  const [type, ...others] = parseMediaTypes(header)
  return others.length === 0 && type?.type === mediaType && isSupported(type, extension)
}

type MediaType = Pick<ReturnType<typeof parseAccept>[number], 'type' | 'params'>

/** The media types in a header, with names in lower case. There are none in a header that is too long. */
function parseMediaTypes(header: string): readonly MediaType[] {
  // The parser removes quotes, but a weight in quotes is none.
  const marked = header.replace(/(;\s*q\s*=\s*)"/gi, '$1quoted"')
  return (header.length > maxHeaderLength ? [] : parseAccept(marked)).map(({ type, params }) => ({
    type: type.toLowerCase(),
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  }))
}

/** Has a media type exactly this extension, or none, and no parameter but `ext`, `profile` and those of `others`? */
function isSupported(
  { params }: MediaType,
  extension: string | undefined,
  others: readonly string[] = [],
): boolean {
  const uris = (params.ext ?? '').split(' ').filter(Boolean)
  return (
    Object.keys(params).every((name) => ['ext', 'profile', ...others].includes(name)) &&
    uris.every((uri) => uri === extension) &&
    (extension === undefined || uris.length > 0)
  )
}
