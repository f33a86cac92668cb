import type { Context } from 'hono'
import { jsonapi } from '../jsonapi/document.ts'
import { ApiError, type ErrorStatus, errorCodes, type Problem } from '../jsonapi/errors.ts'
import type { AppEnv } from './context.ts'
import { baseHeaders } from './headers.ts'
import { describe, log } from './log.ts'

/** The one place where an error becomes a response (specification, "Errors"; contract, section 5). */
export function errorResponse(c: Context<AppEnv>, thrown: unknown): Response {
  const error = thrown instanceof ApiError ? thrown : internal(thrown)
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
  return errorDocument(error.status, errors, error.headers)
}

/** An errors document that belongs to no error object thrown. */
function errorDocument(
  status: ErrorStatus,
  errors: readonly object[],
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(JSON.stringify({ jsonapi, errors }), {
    status,
    headers: { ...baseHeaders, ...headers },
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
