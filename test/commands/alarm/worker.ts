import { env } from 'cloudflare:workers'
import { TokenBucket as Original } from '../../../src/rate-limit/object.ts'

const realNow = Date.now
let ahead = 0
Date.now = () => realNow() + ahead

/** The object as it is, with a clock that can be put forward and a look at what is stored. */
export class TokenBucket extends Original {
  /** Puts the clock forward, and has the platform, which goes by the real time, ring the alarm now. */
  async ring(milliseconds: number): Promise<void> {
    ahead += milliseconds
    await this.ctx.storage.setAlarm(realNow())
  }

  /** How many entries are stored, and in how many milliseconds of this clock the alarm comes. */
  async look(_: number): Promise<{ entries: number; alarmIn: number | undefined }> {
    const alarmMs = await this.ctx.storage.getAlarm()
    return {
      entries: [...this.ctx.storage.kv.list()].length,
      alarmIn: alarmMs === null ? undefined : alarmMs - Date.now(),
    }
  }
}

/** Hands a call on to an object: its name, a method and its argument, as JSON. */
export default {
  async fetch(request: Request): Promise<Response> {
    const [name, method, argument]: [string, 'take' | 'ring' | 'look', number] =
      await request.json()
    const bucket = (env.RATE_LIMITER as unknown as DurableObjectNamespace<TokenBucket>).getByName(
      name,
    )
    return Response.json((await bucket[method](argument)) ?? null)
  },
}
