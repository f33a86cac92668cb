/**
 * A text as a literal of SQL, for D1 and for PostgreSQL. Wrangler takes the words `BEGIN TRANSACTION;` and `COMMIT;` out of what it runs
 * on this machine, within literals too, where it finds the first two: so these never stand together.
 */
export function literal(value: string): string {
  const quoted = value.replaceAll("'", "''")
  return `'${quoted.replaceAll('BEGIN TRANSACTION', "BEGIN'||' TRANSACTION")}'`
}

/** Rows in one statement. With the widest rows a statement stays well below the 100 KB that D1 takes. */
const rowsPerStatement = 200

/**
 * Rows as INSERT statements: complete text without parameters, as many statements as D1's limit asks for.
 *
 * @param verb `INSERT` fails on a row that exists, `INSERT new ones` leaves it as it is
 * @param rows One value for each column.
 */
export function insertRows(
  verb: 'INSERT' | 'INSERT new ones',
  table: string,
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string[] {
  const lines = rows.map(
    (row) => `(${row.map((value) => (value === null ? 'NULL' : literal(value))).join(', ')})`,
  )
  return Array.from({ length: Math.ceil(rows.length / rowsPerStatement) }, (_, nth) => {
    const values = lines.slice(nth * rowsPerStatement, (nth + 1) * rowsPerStatement)
    const otherwise = verb === 'INSERT' ? '' : '\nON CONFLICT DO NOTHING'
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES\n${values.join(',\n')}${otherwise};\n`
  })
}
