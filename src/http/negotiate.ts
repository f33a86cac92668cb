import { ApiError } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType, withExtension } from '../jsonapi/request/media-type.ts'
import type { Step } from './context.ts'

/**
 * Demands that the caller accept JSON:API (contract, section 6), with an extension where answers have one.
 *
 * @throws ApiError NOT_ACCEPTABLE otherwise
 */
export function demandAcceptable(extension?: string): Step {
  const detail = `Answers are ${extension === undefined ? mediaType : withExtension(extension)} only.`
  return (c) => {
    if (!accepts(c.req.header('Accept'), extension)) {
      throw ApiError.of('NOT_ACCEPTABLE', detail, { header: 'Accept' })
    }
  }
}

/**
 * Demands that a body that is read, where there is one, be JSON:API (contract, section 6), with an extension where bodies
 * have one. A GET and the DELETE of a resource ignore a body and its type.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE otherwise
 */
export function demandJsonApi(extension?: string): Step {
  const detail =
    extension === undefined
      ? `Bodies are ${mediaType} without extensions and parameters but profile.`
      : `Bodies are ${withExtension(extension)}, without other extensions and parameters but profile.`
  return (c) => {
    if (hasBody(c.req.raw) && !isJsonApi(c.req.header('Content-Type'), extension)) {
      throw ApiError.of('UNSUPPORTED_MEDIA_TYPE', detail, { header: 'Content-Type' })
    }
  }
}

function hasBody(request: Request): boolean {
  return request.body !== null && request.headers.get('Content-Length') !== '0'
}
