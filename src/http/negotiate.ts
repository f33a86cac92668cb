import type { Context } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType } from '../jsonapi/media-type.ts'
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
 * Demands that the body of a write, where there is one, be JSON:API (contract, section 6). A read has no use for a body,
 * and 415 is not among its statuses (contract, section 1).
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
