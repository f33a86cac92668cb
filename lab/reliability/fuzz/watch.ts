/** Milliseconds of CPU that one request may take, all of the local platform's included. */
export const mostCpu = 250

/** Requests by themselves that must agree before CPU is a finding: other work and the collector of garbage pass by. */
const again = 3

/** Watches what requests cost, many at once. */
export interface Watch {
  /**
   * Sends a request.
   *
   * @returns the answer, and milliseconds of CPU where they are more than {@link mostCpu}, even with nothing beside it
   */
  readonly send: <Answer>(
    send: () => Promise<Answer>,
  ) => Promise<{ readonly answer: Answer; readonly tooMuch: number | undefined }>
}

/**
 * Makes a watch. CPU is that of a whole process, so a request that looks costly among others is sent again alone, while
 * all others wait.
 *
 * @param cpu milliseconds of CPU that the process has used
 */
export function createWatch(cpu: () => Promise<number>): Watch {
  const gate = createGate()
  const costOf = async <Answer>(send: () => Promise<Answer>) => {
    const before = await cpu()
    const answer = await send()
    return { answer, cost: (await cpu()) - before }
  }
  return {
    async send(send) {
      const { answer, cost } = await gate.shared(() => costOf(send))
      if (cost <= mostCpu) {
        return { answer, tooMuch: undefined }
      }
      const least = await gate.alone(async () => {
        const costs = []
        for (let left = again; left > 0; left--) {
          costs.push((await costOf(send)).cost)
        }
        return Math.min(...costs)
      })
      return { answer, tooMuch: least > mostCpu ? least : undefined }
    },
  }
}

type Run = <Value>(task: () => Promise<Value>) => Promise<Value>

/** Lets tasks run together, or one by itself, in the order in which they came. */
function createGate(): { readonly shared: Run; readonly alone: Run } {
  let running: Promise<unknown>[] = []
  let last: Promise<unknown> = Promise.resolve()
  const settled = (task: Promise<unknown>): Promise<unknown> => task.catch(() => undefined)
  return {
    shared(task) {
      const mine = last.then(task)
      running.push(settled(mine))
      return mine
    },
    alone(task) {
      const before = [last, ...running]
      const mine = Promise.all(before).then(task)
      running = []
      last = settled(mine)
      return mine
    },
  }
}
