import type { Context, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType } from '../jsonapi/media-type.ts'
import { isSafe } from '../rate-limit/policy.ts'
import type { AppEnv } from './context.ts'

/** 406 unless the caller accepts JSON:API (contract, section 6). */
export const negotiate: MiddlewareHandler<AppEnv> = async (c, next) => {
  demandAcceptable(c)
  await next()
}

/** @throws ApiError NOT_ACCEPTABLE unless the caller accepts JSON:API */
export function demandAcceptable(c: Context<AppEnv>): void {
  if (!accepts(c.req.header('Accept'))) {
    throw ApiError.of('NOT_ACCEPTABLE', `Answers are ${mediaType} only.`, { header: 'Accept' })
  }
}

/**
 * 415 unless the body of a write, where there is one, is JSON:API (contract, section 6). A read has no use for a body,
 * and 415 is not among the statuses that the specification lists for it.
 */
export const requireJsonApi: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (hasBody(c.req.raw) && !isJsonApi(c.req.header('Content-Type'))) {
    const detail = `Bodies are ${mediaType} without extensions and parameters but profile.`
    throw ApiError.of('UNSUPPORTED_MEDIA_TYPE', detail, { header: 'Content-Type' })
  }
  await next()
}

function hasBody(request: Request): boolean {
  return (
    !isSafe(request.method) &&
    request.body !== null &&
    request.headers.get('Content-Length') !== '0'
  )
}
