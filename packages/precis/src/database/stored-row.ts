/**
 * Rows as they were stored: in a damaged file one bit makes text of bytes, another time, or nothing
 * at all.
 */

/**
 * The type of a column, with `?` if it may be empty. `time` is text in ISO 8601, and a number is an
 * integer from zero on.
 */
type ColumnKind = 'text' | 'time' | 'number' | 'bytes'

export type Columns<Row> = { readonly [Name in keyof Row]: ColumnKind | `${ColumnKind}?` }

export interface StoredRow<Row> {
  /** Replaces damaged values: the rest of a text, the first moment of 1970, zero, or no bytes. */
  readonly row: Row
  readonly damaged: readonly (keyof Row & string)[]
}

/** `found` is the row as the database gave it. */
export function readStoredRow<Row extends object>(
  found: object,
  columns: Columns<Row>,
): StoredRow<Row> {
  const values: Readonly<Record<string, unknown>> = { ...found }
  const row: Record<string, unknown> = {}
  const damaged: (keyof Row & string)[] = []
  for (const name in columns) {
    const [kind, isOptional] = splitKind(columns[name])
    const value = values[name]
    const isWhole = value === null ? isOptional : KINDS[kind].is(value)
    if (!isWhole) damaged.push(name)
    row[name] = isWhole
      ? value
      : isOptional && !(value instanceof Uint8Array)
        ? null
        : KINDS[kind].mend(value)
  }
  return { row: row as Row, damaged }
}

function splitKind(kind: ColumnKind | `${ColumnKind}?`): readonly [ColumnKind, boolean] {
  return kind.endsWith('?') ? [kind.slice(0, -1) as ColumnKind, true] : [kind as ColumnKind, false]
}

interface MendRule {
  readonly is: (value: unknown) => boolean
  readonly mend: (value: unknown) => unknown
}

const mendText = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : ''

const KINDS: Readonly<Record<ColumnKind, MendRule>> = {
  text: { is: (value) => typeof value === 'string', mend: mendText },
  time: {
    is: (value) => typeof value === 'string' && Number.isFinite(Date.parse(value)),
    mend: () => new Date(0).toISOString(),
  },
  number: { is: (value) => Number.isSafeInteger(value) && Number(value) >= 0, mend: () => 0 },
  bytes: { is: (value) => value instanceof Uint8Array, mend: () => Buffer.alloc(0) },
}
