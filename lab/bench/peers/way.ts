import { setTimeout as sleep } from 'node:timers/promises'
import type { Ways } from '../network/ways.ts'

/**
 * The way to the database of a peer, like that of the Workers (`server/slow.js`): waits as long as so many calls take, one after
 * the other. Nothing is waited for where there are no ways.
 */
export function wayTo(ways: Ways | undefined): (calls: number) => Promise<void> {
  let made = 0
  return async (calls) => {
    if (!ways) {
      return
    }
    let milliseconds = 0
    for (let left = calls; left > 0; left--) {
      made++
      const isStalled = ways.stallEvery > 0 && made % ways.stallEvery === 0
      const varied = ways.database * (1 + ways.jitter * (Math.random() * 2 - 1))
      milliseconds += varied + (isStalled ? ways.stallMs : 0)
    }
    await sleep(milliseconds)
  }
}
