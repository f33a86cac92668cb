import type { Context, Env } from 'hono'
import { jsonapi } from '../jsonapi/json.ts'
import { ApiError, errorCodes, maxErrors, type Problem } from '../jsonapi/problems.ts'
import { responseOf } from './respond.ts'

/** Makes the response of an error. No other place does. */
export function errorResponse(c: Context<Env>, thrown: unknown): Response {
  const error = thrown instanceof ApiError ? thrown : internalError(thrown)
  const errors = errorObjects(error, c.get('requestId'))
  return responseOf(JSON.stringify({ jsonapi, errors }), error.status, error.headers)
}

/** The error for anything thrown that is no {@link ApiError}. Its caller is not told the cause. */
function internalError(cause: unknown): ApiError {
  return ApiError.failure(
    'The service has failed to answer. The id of this error finds the cause in the log.',
    cause,
  )
}

/** The maximum size of the error objects of an answer, which keeps the answer below 64 KiB. */
const maxBytes = 63 * 1024

const utf8 = new TextEncoder()

/** The error objects that fit into an answer, at least one. If there are more errors, the last one says how many were found. */
function errorObjects({ problems, omitted }: ApiError, requestId: string) {
  const told: ReturnType<typeof errorObject>[] = []
  let bytes = 0
  for (const problem of problems.slice(0, maxErrors)) {
    const error = errorObject(problem, `${requestId}.${told.length + 1}`)
    bytes += utf8.encode(JSON.stringify(error)).byteLength
    if (bytes > maxBytes && told.length > 0) {
      break
    }
    told.push(error)
  }
  const count = problems.length + omitted
  const last = told.at(-1)
  if (last && count > told.length) {
    last.detail += ` There are at least ${count} errors; these are the first ${told.length}.`
  }
  return told
}

/** The error object of a problem. Its id is that of the request, and the number of the error in the answer. */
function errorObject({ code, detail, source }: Problem, id: string) {
  const { status, title } = errorCodes[code]
  return { id, status: String(status), code, title, detail, ...(source && { source }) }
}
