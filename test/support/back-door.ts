import type { BackDoorCommand } from './back-door-client.ts'

interface Bindings {
  readonly DB: D1Database
  readonly RATE_LIMITER: DurableObjectNamespace
}

/** A Worker beside the service, with the same database and the same objects: it does what a {@link BackDoorCommand} asks. */
export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    try {
      return Response.json(await obey(await request.json(), env))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}

async function obey(command: BackDoorCommand, { DB, RATE_LIMITER }: Bindings): Promise<unknown> {
  if ('bucket' in command) {
    return RATE_LIMITER.idFromName(command.bucket).toString()
  }
  const bound = command.statements.map(([sql, ...values]) => DB.prepare(sql).bind(...values))
  return (await DB.batch(bound)).map(({ results }) => results)
}
