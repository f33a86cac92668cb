/** How patient a `fetch` is. */
export interface Patience {
  /** How often a request that fails is sent at most; 5 unless given. Refusals by the rate limit do not count. */
  readonly attempts?: number | undefined
  /** Sends each attempt; `fetch` unless given. */
  readonly fetch?: typeof fetch | undefined
}

/** The most seconds to wait after a failure, and after a first refusal until anything is let through. */
const maxSeconds = 60

/**
 * Creates a `fetch` that keeps to the rate limit of its caller, and sends a request again if that does no harm: after a 429, which
 * has done nothing; after a 500 or a lost connection only a read, or a request with an `Idempotency-Key`.
 *
 * It waits as long as `Retry-After` says, which is a number of seconds or a date. Without one it waits for a second, and for
 * twice as long each time. It returns the answer if it should wait for more than a minute, or if everything is refused for a minute.
 *
 * Requests wait in a line, the oldest first, while the bucket of the caller holds too little. So create one `fetch` for each caller.
 *
 * It throws what `fetch` throws if the last attempt gets no answer. If the signal of a request aborts, it throws the signal's
 * reason at once, and the request leaves the line.
 */
export function createPatientFetch({
  attempts = 5,
  fetch: sendOnce = (request) => fetch(request),
}: Patience = {}): typeof fetch {
  const line = createLine()
  let asked = 0

  return async (input, init) => {
    const request = new Request(input, init)
    const { method, headers, signal } = request
    const isRepeatable = method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key')
    const nth = asked++
    for (let failures = 0, refusals = 0; ; ) {
      await line.turn(nth, signal)
      // A body can be sent once: each attempt sends a copy.
      const sent = unlessAborted(signal, sendOnce(request.clone() as Request))
      const response = await sent.catch((error) => {
        if (!isRepeatable || signal.aborted || failures + 1 >= attempts) {
          line.leave(nth)
          throw error
        }
        return undefined
      })
      if (response?.status === 429) {
        if (!line.refuse(nth, response, secondsAfter(response, refusals++))) {
          return response
        }
      } else {
        line.leave(nth, response)
        const seconds = secondsAfter(response, failures++)
        const isFailure = !response || (response.status === 500 && isRepeatable)
        if (response && (!isFailure || failures >= attempts || seconds > maxSeconds)) {
          return response
        }
        await pause(signal, 1000 * seconds + late())
      }
      response?.body?.cancel().catch(() => undefined)
    }
  }
}

/**
 * Creates the line of one caller's requests. It keeps a copy of the caller's bucket, from the `X-RateLimit` headers: each turn takes
 * tokens, time brings some, and where an answer shows fewer, somebody else uses the bucket, too. After a refusal nobody has a turn
 * before its seconds have passed. Then one request goes ahead, and its answer shows what the bucket holds.
 */
function createLine() {
  /** Those who wait, the oldest first. */
  const places: { readonly nth: number; readonly go: () => void }[] = []
  /** The tokens of the bucket at a time, before which nobody has a turn. */
  let tokens = 0
  let countedAt = 0
  /** Tokens in a millisecond; 0 until an answer shows it. */
  let rate = 0
  /** The lowest that was seen: what costs more is refused at worst. */
  let price = Number.POSITIVE_INFINITY
  let underWay = 0
  /** Whose answer shows what the bucket holds; undefined until somebody goes. */
  let scout: number | undefined
  /** Since when there was nothing but refusals. */
  let refusedSince: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const held = (now: number): number => tokens + (now - countedAt) * rate

  /** The milliseconds until the next turn. */
  function delay(now: number): number {
    if (now < countedAt) {
      return countedAt - now
    }
    // Where a refusal shows no bucket, one goes after the other.
    const isAlone = refusedSince === undefined || underWay === 0
    return rate > 0 ? Math.max(0, (price - held(now)) / rate) : isAlone ? 0 : maxSeconds * 1000
  }

  /** Gives turns as far as the tokens go, and goes on when there are more. */
  function advance(): void {
    clearTimeout(timer)
    for (let [first] = places; first; [first] = places) {
      const milliseconds = Math.ceil(delay(Date.now()))
      if (milliseconds > 0) {
        timer = setTimeout(advance, milliseconds)
        return
      }
      places.shift()
      underWay++
      tokens -= rate > 0 ? price : 0
      scout ??= first.nth
      first.go()
    }
  }

  /** Ends a turn, and takes over what its answer shows of the bucket. */
  function leave(nth: number, response?: Response): void {
    const [left = 0, cost = 0, gain = 0] = ['Remaining', 'Requested-Tokens', 'Replenish-Rate'].map(
      (name) => Number(response?.headers.get(`X-RateLimit-${name}`)),
    )
    const now = Date.now()
    underWay--
    if (gain > 0 && cost > 0) {
      rate = gain / 1000
      price = Math.min(price, cost)
      if (now >= countedAt) {
        tokens = nth === scout ? left - underWay * price : Math.min(held(now), left)
        countedAt = now
      }
    } else if (nth === scout) {
      scout = undefined
    }
    if (response?.status !== 429) {
      refusedSince = response ? undefined : refusedSince
      advance()
    }
  }

  /**
   * Ends a turn that was refused, and makes everybody wait.
   *
   * @returns false if that would be too long: then nobody waits
   */
  function refuse(nth: number, response: Response, seconds: number): boolean {
    const now = Date.now()
    const isWaiting = now < countedAt
    leave(nth, response)
    refusedSince ??= now
    const isShort = now + 1000 * seconds <= refusedSince + 1000 * maxSeconds
    if (isShort) {
      countedAt = Math.max(countedAt, now + 1000 * seconds + (isWaiting ? 0 : late()))
      tokens = rate > 0 ? price : 0
      scout = undefined
    }
    advance()
    return isShort
  }

  /** Waits for a turn. It throws the signal's reason, and leaves the line, if the signal aborts. */
  async function turn(nth: number, signal: AbortSignal): Promise<void> {
    let go = (): void => undefined
    const called = new Promise<void>((resolve) => {
      go = resolve
    })
    const place = { nth, go }
    const behind = places.findIndex((other) => other.nth > nth)
    places.splice(behind < 0 ? places.length : behind, 0, place)
    try {
      signal.throwIfAborted()
      advance()
      await unlessAborted(signal, called)
    } catch (error) {
      const index = places.indexOf(place)
      if (index < 0) {
        leave(nth)
      } else {
        places.splice(index, 1)
        advance()
      }
      throw error
    }
  }

  return { turn, leave, refuse }
}

/** The seconds to wait after an answer: those that it asks for, or else 1, 2, 4 and so on. */
function secondsAfter(response: Response | undefined, before: number): number {
  const asked = response?.headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(asked)) {
    return Number(asked)
  }
  const left = / GMT$/.test(asked) ? (Date.parse(asked) - Date.now()) / 1000 : 0
  return left > 0 ? left : Math.min(2 ** before, maxSeconds)
}

/** Up to a quarter of a second more, so that clients which were refused together do not come back together. */
function late(): number {
  return 250 * Math.random()
}

/** Waits for a time. */
async function pause(signal: AbortSignal, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const time = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
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
