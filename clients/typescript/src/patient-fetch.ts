/** How patient a `fetch` is. */
export interface Patience {
  /** How often a request is sent at most, from 1; 5 unless given. */
  readonly attempts?: number | undefined
  /** Sends each attempt; `fetch` unless given. */
  readonly fetch?: typeof fetch | undefined
}

/**
 * Makes a `fetch` that sends a request again where this does no harm: after a 429, which has done nothing, as soon as
 * `Retry-After` allows; after a 500 or a lost connection only what has no further effect the second time, which is a read, or
 * a request with an `Idempotency-Key`.
 *
 * Requests that a 429 refuses stand in a line: each is sent again once the one before it has ended, so that requests which
 * together exceed the rate limit do not take each other's tokens. A new request waits behind the line. So make one for each
 * caller. It can take the place of `fetch` in any client, and throws what `fetch` throws where the last attempt gets no
 * answer.
 */
export function createPatientFetch({
  attempts = 5,
  fetch: sendOnce = (request) => fetch(request),
}: Patience = {}): typeof fetch {
  /** Ends when nobody stands in the line. */
  let line = Promise.resolve()

  /** Joins the line, and comes back at the head of it with what leaves it. */
  async function turn(): Promise<() => void> {
    const before = line
    let leave = (): void => undefined
    line = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }

  return async (input, init) => {
    const request = new Request(input, init)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const harmless = isRead || request.headers.has('Idempotency-Key')
    let leave: (() => void) | undefined
    await line
    try {
      for (let attempt = 1; ; attempt++) {
        const last = attempt >= attempts
        let seconds = backOff(attempt)
        try {
          // A body can be sent once: each attempt sends a copy.
          const response = await sendOnce(request.clone() as Request)
          const again = response.status === 429 || (response.status === 500 && harmless)
          if (!again || last) {
            return response
          }
          await response.body?.cancel()
          const due = Date.now() + 1000 * Number(response.headers.get('Retry-After') ?? seconds)
          if (response.status === 429) {
            leave ??= await turn()
          }
          seconds = Math.max(0, due - Date.now()) / 1000
        } catch (error) {
          if (!harmless || last || request.signal.aborted) {
            throw error
          }
        }
        await pause(seconds)
      }
    } finally {
      leave?.()
    }
  }
}

/** The seconds to wait where no answer tells them: 1, and each time twice as many. */
function backOff(attempt: number): number {
  return 2 ** (attempt - 1)
}

/** Waits, and up to half a second more, so that clients which were refused together do not come back together. */
function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000 * seconds + 500 * Math.random()))
}
