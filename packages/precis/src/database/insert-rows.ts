import type { Database, DatabaseValue } from './database.ts'

// A statement for many rows costs a fifth of one for each; more rows than that gain nothing.
const ROWS_AT_ONCE = 100

/** `INSERT INTO … VALUES` for any number of rows; gives what `behind` returns: `ON CONFLICT … RETURNING id`. */
export async function insertRows<Row extends object>(
  database: Database,
  into: string,
  rows: readonly (readonly DatabaseValue[])[],
  behind = '',
): Promise<Row[]> {
  const returned: Row[] = []
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE)
    const values = some.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')
    for (const row of await database.all<Row>(`${into} VALUES ${values} ${behind}`, some.flat())) returned.push(row)
  }
  return returned
}

/** `SELECT … WHERE … IN` for any number of values; the list stands at the end. */
export async function selectIn<Row extends object>(
  database: Database,
  select: string,
  values: readonly DatabaseValue[],
): Promise<Row[]> {
  const found: Row[] = []
  for (let start = 0; start < values.length; start += ROWS_AT_ONCE) {
    const some = values.slice(start, start + ROWS_AT_ONCE)
    for (const row of await database.all<Row>(`${select} IN (${some.map(() => '?').join(', ')})`, some)) found.push(row)
  }
  return found
}
