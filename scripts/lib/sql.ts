/**
 * A text as a literal of SQL, for D1 and for PostgreSQL. Wrangler takes the words `BEGIN TRANSACTION;` and `COMMIT;` out of what it runs
 * on this machine, within literals too, where it finds the first two: so these never stand together.
 */
export function literal(value: string): string {
  const quoted = value.replaceAll("'", "''")
  return `'${quoted.replaceAll('BEGIN TRANSACTION', "BEGIN'||' TRANSACTION")}'`
}
