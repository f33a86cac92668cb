/** How often a request is sent at most. */
const attempts = 5

/**
 * `fetch` that sends a request again where this does no harm: after a 429, which has done nothing, as soon as `Retry-After`
 * allows; after a 500 or a lost connection only what has no further effect the second time, which is a read, or a request
 * with an `Idempotency-Key`. It can take the place of `fetch` in any client.
 *
 * @throws TypeError as `fetch` does, where the last attempt gets no answer
 */
export async function patientFetch(
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const harmless = isRead || request.headers.has('Idempotency-Key')
  for (let attempt = 1; ; attempt++) {
    const last = attempt === attempts
    try {
      // A body can be sent once: each attempt sends a copy.
      const response = await fetch(request.clone() as Request)
      const again = response.status === 429 || (response.status === 500 && harmless)
      if (!again || last) {
        return response
      }
      await response.body?.cancel()
      await pause(Number(response.headers.get('Retry-After') ?? backOff(attempt)))
    } catch (error) {
      if (!harmless || last || request.signal.aborted) {
        throw error
      }
      await pause(backOff(attempt))
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
