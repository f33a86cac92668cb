import { ApiError, type Problem } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType, withExtension } from '../jsonapi/request/media-type.ts'
import { quote } from '../jsonapi/wording.ts'
import type { Step } from './context.ts'

/** The media type of bodies and answers, with the extension if they have one. */
function typeWith(extension: string | undefined): string {
  return extension === undefined ? mediaType : withExtension(extension)
}

/**
 * Makes the step that requires `Accept` to admit JSON:API (contract, section 6), with the extension if answers have one. The step
 * throws ApiError NOT_ACCEPTABLE otherwise.
 */
export function demandAcceptable(extension?: string): Step {
  const detail = `Answers are ${typeWith(extension)}, which the Accept header does not admit.`
  return (c) => {
    if (!accepts(c.req.header('Accept'), extension)) {
      throw ApiError.of('NOT_ACCEPTABLE', detail, { header: 'Accept' })
    }
  }
}

/**
 * Makes the step that requires a body to be JSON:API, with the extension if bodies have one, and not to be compressed (contract,
 * section 6). A GET and the DELETE of a resource ignore a body and its type. Otherwise the step throws ApiError
 * UNSUPPORTED_MEDIA_TYPE, with headers that say what is taken (RFC 9110, section 15.5.16).
 */
export function demandJsonApi(extension?: string): Step {
  return (c) => {
    const type = c.req.header('Content-Type')
    const coding = c.req.header('Content-Encoding')
    const isCoded = coding !== undefined && !isIdentity(coding)
    const problems = [
      ...(isJsonApi(type, extension) ? [] : [typeProblem(type, extension)]),
      ...(isCoded ? [codingProblem(coding)] : []),
    ]
    const [first, ...rest] = problems
    // Most requests have no problem, and to look for a body costs a call out of the isolate.
    if (first && hasBody(c.req.raw)) {
      throw new ApiError([first, ...rest], {
        ...acceptedBodies([c.req.method], extension),
        ...(isCoded && { 'Accept-Encoding': 'identity' }),
      })
    }
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
  // To look at `body` makes a stream, which few requests need here.
  return declared === null ? request.body !== null : Number(declared) > 0
}
