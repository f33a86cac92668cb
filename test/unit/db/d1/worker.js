/**
 * Gives tests in Node the D1 databases that are bound to this Worker. One request is one round trip; its answer has
 * what D1 has returned, or the messages of the error that D1 has thrown.
 */
const migrated = new Set()

export default {
  async fetch(request, env) {
    const { database, call, statements } = await request.json()
    const db = env[database]
    try {
      const prepared = statements.map(({ text, values }) => db.prepare(text).bind(...values))
      return Response.json({ returned: await calls[call](db, prepared, database) })
    } catch (error) {
      return Response.json({ thrown: { message: error.message, cause: error.cause?.message } })
    }
  },
}

const calls = {
  raw: (_, [statement]) => statement.raw(),
  batch: (db, statements) => db.batch(statements),
  /** Migrates a database that is new, and empties one that is not. */
  async open(_, [migrate, empty], database) {
    await (migrated.has(database) ? empty : migrate).raw()
    migrated.add(database)
    return null
  },
}
