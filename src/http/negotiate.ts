import type { Context, MiddlewareHandler } from 'hono'
import { ApiError } from '../jsonapi/errors.ts'
import { accepts, isJsonApi, mediaType } from '../jsonapi/media-type.ts'
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

/** 415 unless the body, where there is one, is JSON:API (contract, section 6). */
export const requireJsonApi: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (hasBody(c.req.raw) && !isJsonApi(c.req.header('Content-Type'))) {
    const detail = `Bodies are ${mediaType} without extensions and parameters but profile.`
    throw ApiError.of('UNSUPPORTED_MEDIA_TYPE', detail, { header: 'Content-Type' })
  }
  await next()
}

function hasBody(request: Request): boolean {
  return request.body !== null && request.headers.get('Content-Length') !== '0'
}
