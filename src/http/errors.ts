import type { Context } from 'hono'
import { jsonapi } from '../jsonapi/document.ts'
import { ApiError, errorCodes, type Problem } from '../jsonapi/errors.ts'
import type { AppEnv } from './context.ts'
import { answerHeaders } from './headers.ts'
import { describe, log } from './log.ts'
import { admitted } from './throttle.ts'

/**
 * The one place where an error becomes a response (specification, "Errors"; contract, section 5). A refusal by the
 * limiter goes before anything that a read has met meanwhile.
 */
export async function errorResponse(c: Context<AppEnv>, thrown: unknown): Promise<Response> {
  const error = await admitted(c).then(
    () => (thrown instanceof ApiError ? thrown : internal(thrown)),
    (refusal: ApiError) => refusal,
  )
  const errors = error.problems.map((problem) => ({
    id: crypto.randomUUID(),
    ...errorObject(problem),
  }))
  if (error.status >= 500) {
    log('error', 'failure', {
      requestId: c.get('requestId'),
      errorId: errors[0]?.id,
      operation: c.get('operation'),
      cause: describe(error.cause ?? error),
    })
  }
  return new Response(JSON.stringify({ jsonapi, errors }), {
    status: error.status,
    headers: { ...answerHeaders(c, await c.get('admission')?.()), ...error.headers },
  })
}

function errorObject({ code, detail, source }: Problem): object {
  const { status, title } = errorCodes[code]
  return { status: String(status), code, title, detail, ...(source && { source }) }
}

/** Anything that is not an {@link ApiError} is the service's own fault: the caller learns no more than that. */
function internal(cause: unknown): ApiError {
  return new ApiError(
    [
      {
        code: 'INTERNAL_SERVER_ERROR',
        detail: 'The service failed to answer. The id names the log line.',
      },
    ],
    {},
    { cause },
  )
}
