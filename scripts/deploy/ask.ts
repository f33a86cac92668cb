import { complaint } from '../lib/complaint.ts'
import { runWrangler, type Wrangler } from '../lib/wrangler.ts'

/** The seconds that a command has to learn something from Cloudflare. */
const patienceSeconds = 60

/** Told where D1's management API does not answer: the service itself may. */
const codeOnlyHint =
  'If the service itself answers, a version without new migrations can go out all the same: --code-only'

/**
 * Makes the function that asks Cloudflare something by a wrangler command that changes nothing. A command that fails is run
 * once more, with the statuses of the API's answers, which wrangler does not tell otherwise.
 *
 * @param patience ends a command that takes too long
 * @returns a function that rejects with a complaint, which says whether the API cannot be reached, fails or refuses, or nobody
 *   is signed in
 */
export function askWith(
  patience: () => AbortSignal = () => AbortSignal.timeout(1_000 * patienceSeconds),
): Wrangler {
  return async (...args) => {
    const signal = patience()
    try {
      return await runWrangler(args, { signal })
    } catch (error) {
      const { message } = error as Error
      const fault = signal.aborted ? 'no answer' : await faultOf(message, args, patience())
      throw complaint(sentenceOf(fault, args[0] === 'd1', message), error)
    }
  }
}

/** Why Cloudflare's API is of no use: the worst status of its answers, or what keeps it from giving any. */
type Fault = 'nobody' | 'no way' | 'no answer' | number

/** The reason for a failure, from what wrangler wrote. It is 0 where the API is not to blame. */
async function faultOf(
  message: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Fault> {
  if (
    /"loggedIn":\s*false|not logged in|CLOUDFLARE_API_TOKEN environment variable/i.test(message)
  ) {
    return 'nobody'
  }
  if (/fetch failed|unable to resolve/i.test(message)) {
    return 'no way'
  }
  const story = await runWrangler(args, { signal, verbose: true }).catch(
    (error: Error) => error.message,
  )
  const statuses = [...story.matchAll(/START CF API RESPONSE: .*?(\d{3})$/gm)]
  return Math.max(
    0,
    ...statuses.map(([, status]) => Number(status)).filter((status) => status >= 400),
  )
}

/** What is said of a fault, in the words of whoever has to mend it, and below it what wrangler wrote. */
function sentenceOf(fault: Fault, isD1: boolean, message: string): string {
  if (fault === 'nobody') {
    return 'Nobody is signed in: npx wrangler login, or set CLOUDFLARE_API_TOKEN'
  }
  const api = isD1 ? "D1's management API" : "Cloudflare's API"
  const hint = isD1 ? [codeOnlyHint] : []
  if (fault === 'no way') {
    const where = "look at this machine's network, proxy and firewall"
    return [`${api} cannot be reached: ${where}`, ...hint, message].join('\n')
  }
  if (fault === 'no answer') {
    return [`${api} cannot be reached: no answer in ${patienceSeconds} s`, ...hint].join('\n')
  }
  if (fault >= 500) {
    const whose = 'the fault is not here. Look at https://www.cloudflarestatus.com and try again'
    return [`${api} answers ${fault}: ${whose}`, ...hint, message].join('\n')
  }
  return fault === 401 || fault === 403
    ? [`${api} refuses (${fault}): the token is wrong, or lacks a right`, message].join('\n')
    : message
}
