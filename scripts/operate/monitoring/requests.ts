import { lines, linesOf } from './query.ts'

/** All requests but those of probes, which are no callers. */
export const requests = lines('requests', ['request'], ['operation', '!=', 'health'])

/** Requests that the service failed. */
export const failed = linesOf(requests, 'requests that end in a 5xx', ['status', '>=', 500])

/** Refusals of the limiter. Those from memory have no line: `untold` of other lines counts them. */
export const refused = linesOf(requests, 'refusals with a line', ['limit', '=', 'refused'])

/**
 * The requests that an objective counts: those that the service had to answer. A 4xx is the caller's fault, and a 429 the
 * limit's work; if they counted as good, whoever sends many of them would hide failures of everybody else.
 */
const counted = linesOf(requests, 'requests without a 4xx', {
  anyOf: [
    ['status', '<', 400],
    ['status', '>=', 500],
  ],
})

export const reads = linesOf(counted, 'reads without a 4xx', {
  anyOf: [
    ['method', '=', 'GET'],
    ['method', '=', 'HEAD'],
  ],
})

export const writes = linesOf(counted, 'writes without a 4xx', {
  anyOf: [
    ['method', '=', 'POST'],
    ['method', '=', 'PATCH'],
    ['method', '=', 'DELETE'],
  ],
})
