/** SQL text with the values of its parameters `?1`, `?2` and so on. */
export type SqlStatement = readonly [sql: string, ...values: readonly (string | number | null)[]]

/** A Worker beside the service, with the same database. It runs the statements of a request as one batch. */
export default {
  async fetch(request: Request, { DB }: { readonly DB: D1Database }): Promise<Response> {
    try {
      const statements: SqlStatement[] = await request.json()
      const bound = statements.map(([sql, ...values]) => DB.prepare(sql).bind(...values))
      return Response.json((await DB.batch(bound)).map(({ results }) => results))
    } catch (error) {
      return new Response(String(error), { status: 500 })
    }
  },
}
