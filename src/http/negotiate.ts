import type { Context } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType } from '../jsonapi/request/media-type.ts'
import type { AppEnv } from './context.ts'

/**
 * Demands that the caller accept JSON:API (contract, section 6).
 *
 * @throws ApiError NOT_ACCEPTABLE otherwise
 */
export function demandAcceptable(c: Context<AppEnv>): void {
  if (!accepts(c.req.header('Accept'))) {
    throw ApiError.of('NOT_ACCEPTABLE', `Answers are ${mediaType} only.`, { header: 'Accept' })
  }
}

/**
 * Demands that a body that is read, where there is one, be JSON:API (contract, section 6). A GET and the DELETE of a
 * resource ignore a body and its type.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE otherwise
 */
export function demandJsonApi(c: Context<AppEnv>): void {
  if (hasBody(c.req.raw) && !isJsonApi(c.req.header('Content-Type'))) {
    const detail = `Bodies are ${mediaType} without extensions and parameters but profile.`
    throw ApiError.of('UNSUPPORTED_MEDIA_TYPE', detail, { header: 'Content-Type' })
  }
}

function hasBody(request: Request): boolean {
  return request.body !== null && request.headers.get('Content-Length') !== '0'
}
