import type { Context, Env } from 'hono'
import { jsonapi } from '../jsonapi/document.ts'
import { ApiError, errorCodes, maxErrors, type Problem } from '../jsonapi/errors.ts'
import { responseOf } from './respond.ts'

/** Makes the response of an error (contract, section 5). No other place does. */
export function errorResponse(c: Context<Env>, thrown: unknown): Response {
  const error = thrown instanceof ApiError ? thrown : internal(thrown)
  const errors = errorObjects(error, c.get('requestId'))
  const body = JSON.stringify({ jsonapi, errors })
  return responseOf(body, error.status, Object.entries(error.headers))
}

interface ErrorObject extends Problem {
  readonly id: string
  readonly status: string
  readonly title: string
}

/** The most bytes of the error objects of one answer, which keeps the whole answer below 64 KiB. */
const mostBytes = 63 * 1024

const utf8 = new TextEncoder()

/** The error objects that fit into the answer. Where there are more errors, the last one says how many were found. */
function errorObjects({ problems, omitted }: ApiError, requestId: string): ErrorObject[] {
  const all = problems
    .slice(0, maxErrors)
    .map((problem, index) => errorObject(problem, `${requestId}.${index + 1}`))
  // One error always fits, and most answers have one.
  const told = all.length > 1 ? fitting(all) : all
  const count = problems.length + omitted
  const last = told.at(-1)
  if (last && count > told.length) {
    const detail = `${last.detail} There are at least ${count} errors; these are the first ${told.length}.`
    told.splice(-1, 1, { ...last, detail })
  }
  return told
}

/** The first error, and those after it that fit into the answer together. */
function fitting(all: readonly ErrorObject[]): ErrorObject[] {
  const told: ErrorObject[] = []
  let bytes = 0
  for (const error of all) {
    bytes += utf8.encode(JSON.stringify(error)).byteLength
    if (bytes > mostBytes && told.length > 0) {
      break
    }
    told.push(error)
  }
  return told
}

/**
 * The error object of a problem.
 *
 * @param id the id of the request and the number of the error in the answer, so that an error which a caller tells of leads to the log
 */
function errorObject({ code, detail, source }: Problem, id: string): ErrorObject {
  const { status, title } = errorCodes[code]
  return { id, status: String(status), code, title, detail, ...(source && { source }) }
}

/** The error for anything thrown that is no {@link ApiError}: a fault of the service, whose cause the caller is not told. */
function internal(cause: unknown): ApiError {
  return ApiError.failure(
    'The service has failed to answer. The id of this error finds the cause in the log.',
    cause,
  )
}
