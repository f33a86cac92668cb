/** How patient a `fetch` is. */
export interface Patience {
  /** How often a request is sent at most; 5 unless given. */
  readonly attempts?: number | undefined
  /** Sends each attempt; `fetch` unless given. */
  readonly fetch?: typeof fetch | undefined
}

/** The most seconds between two attempts. */
const maxSeconds = 60

/**
 * Creates a `fetch` that sends a request again if that does no harm: after a 429, which has done nothing; after a 500 or a lost
 * connection only a read, or a request with an `Idempotency-Key`.
 *
 * It waits as long as `Retry-After` says, which is a number of seconds or a date. Without one it waits for a second, and for
 * twice as long each time. If it should wait for more than a minute, it returns the answer.
 *
 * Requests that a 429 refuses stand in a line: each is sent again when the one before it has ended, so that they do not take each
 * other's tokens. A new request waits behind the line. So create one `fetch` for each caller.
 *
 * It throws what `fetch` throws if the last attempt gets no answer. If the signal of a request aborts, it throws the signal's
 * reason at once, and the request leaves the line.
 */
export function createPatientFetch({
  attempts = 5,
  fetch: sendOnce = (request) => fetch(request),
}: Patience = {}): typeof fetch {
  /** Ends when nobody stands in the line. */
  let line: Promise<unknown> = Promise.resolve()

  /** Joins the line. Those behind wait until both this place and the ones before it are left. */
  function join(): { readonly head: Promise<unknown>; readonly leave: () => void } {
    const head = line
    let leave = (): void => undefined
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    line = Promise.all([head, left])
    return { head, leave }
  }

  return async (input, init) => {
    const request = new Request(input, init)
    const { method, headers, signal } = request
    const isRepeatable = method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key')
    let place: ReturnType<typeof join> | undefined
    try {
      await unlessAborted(signal, line)
      for (let attempt = 1; ; attempt++) {
        const isLast = attempt >= attempts
        // A body can be sent once: each attempt sends a copy.
        const sent = sendOnce(request.clone() as Request)
        const response = await unlessAborted(signal, sent).catch((error) => {
          if (!isRepeatable || isLast || signal.aborted) {
            throw error
          }
          return undefined
        })
        const seconds = secondsAfter(response, attempt)
        if (response) {
          const isRefused = response.status === 429 || (response.status === 500 && isRepeatable)
          if (!isRefused || isLast || seconds > maxSeconds) {
            return response
          }
          response.body?.cancel().catch(() => undefined)
        }
        const due = Date.now() + 1000 * seconds
        if (response?.status === 429 && !place) {
          place = join()
          await unlessAborted(signal, place.head)
        }
        await pause(signal, due - Date.now())
      }
    } finally {
      place?.leave()
    }
  }
}

/** The seconds to wait after an attempt: those that the answer asks for, or else 1, 2, 4 and so on. */
function secondsAfter(response: Response | undefined, attempt: number): number {
  const asked = response?.headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(asked)) {
    return Number(asked)
  }
  const left = / GMT$/.test(asked) ? (Date.parse(asked) - Date.now()) / 1000 : 0
  return left > 0 ? left : Math.min(2 ** (attempt - 1), maxSeconds)
}

/** Waits, and up to half a second more, so that clients which were refused together do not come back together. */
async function pause(signal: AbortSignal, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const time = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds) + 500 * Math.random())
  })
  await unlessAborted(signal, time).finally(() => clearTimeout(timer))
}

/** Waits for a promise until the signal aborts, and then throws its reason. */
export function unlessAborted<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
