/**
 * Tables of the archive, one step for each version.
 *
 *   compression ──< piece >── record          piece: which record stands at which place of an original
 *                               │
 *                             search           words of records that were removed or changed, without secrets
 *   lease                                      who does alone what only one may do at a time, until when
 */
import type { Database, Dialect } from '../database/database.ts'
import { ArchiveError } from './archive-error.ts'
import { lockArchive } from './archive-lock.ts'

interface Types {
  readonly id: string
  readonly integer: string
  readonly blob: string
  readonly ordered: string
  readonly search: readonly string[]
}

const TYPES: Readonly<Record<Dialect, Types>> = {
  sqlite: {
    id: 'INTEGER PRIMARY KEY',
    integer: 'INTEGER',
    blob: 'BLOB',
    ordered: 'WITHOUT ROWID',
    // `content=''`: the index keeps no text; excerpts are cut from the record itself.
    search: [
      `CREATE VIRTUAL TABLE search USING fts5 (content, content='', contentless_delete=1, tokenize="unicode61 tokenchars '_'")`,
    ],
  },
  postgres: {
    id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    integer: 'BIGINT',
    blob: 'BYTEA',
    ordered: '',
    // A list of words has at most a megabyte, so a long record has several.
    search: [
      `CREATE TABLE search (
         record BIGINT NOT NULL REFERENCES record (id) ON DELETE CASCADE,
         part BIGINT NOT NULL,
         words TSVECTOR NOT NULL,
         PRIMARY KEY (record, part)
       )`,
      'CREATE INDEX searchByWord ON search USING GIN (words)',
    ],
  },
}

function listMigrations(dialect: Dialect): readonly (readonly string[])[] {
  const { id, integer, blob, ordered, search } = TYPES[dialect]
  return [
    [
      `CREATE TABLE record (
         id ${id},
         hash ${blob} NOT NULL UNIQUE,
         bytes ${integer} NOT NULL,
         isDeflated ${integer} NOT NULL,
         isIndexed ${integer} NOT NULL,
         content ${blob} NOT NULL
       )`,
      `CREATE TABLE compression (
         id ${id},
         name TEXT NOT NULL UNIQUE,
         command TEXT NOT NULL,
         storedAt TEXT NOT NULL,
         format TEXT NOT NULL,
         sessionId TEXT,
         path TEXT,
         originalId TEXT,
         originalPath TEXT,
         originalHash ${blob} NOT NULL,
         originalBytes ${integer} NOT NULL,
         report TEXT NOT NULL
       )`,
      'CREATE INDEX compressionBySession ON compression (sessionId)',
      'CREATE INDEX compressionByPath ON compression (path)',
      `CREATE TABLE piece (
         compression ${integer} NOT NULL REFERENCES compression (id) ON DELETE CASCADE,
         position ${integer} NOT NULL,
         record ${integer} NOT NULL REFERENCES record (id),
         span ${integer},
         fate TEXT,
         label TEXT,
         PRIMARY KEY (compression, position)
       ) ${ordered}`,
      'CREATE INDEX pieceByRecord ON piece (record)',
      ...search,
    ],
    [
      `ALTER TABLE compression ADD COLUMN resultBytes ${integer}`,
      `ALTER TABLE compression ADD COLUMN resultHash ${blob}`,
      `ALTER TABLE compression ADD COLUMN resultMessages ${integer}`,
      'ALTER TABLE compression ADD COLUMN host TEXT',
      'CREATE INDEX compressionByOriginal ON compression (originalHash)',
      `CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expiresAt ${integer} NOT NULL)`,
    ],
  ]
}

/** Brings a database to the newest version, in one transaction. Throws `ArchiveError` for one of a newer precis. */
export async function migrate(database: Database): Promise<void> {
  const migrations = listMigrations(database.dialect)
  if ((await readVersion(database)) === migrations.length) return
  await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'alone')
    // Another process may have been faster.
    const version = await readVersion(transaction)
    if (version > migrations.length) {
      throw new ArchiveError(
        'archive-too-new',
        `Opening the archive: it has version ${version}, and this precis knows up to ${migrations.length}. Install the newest precis.`,
      )
    }
    if (version === 0 && database.dialect === 'postgres') await createSchema(transaction)
    for (const statement of migrations.slice(version).flat()) await transaction.run(statement)
    await writeVersion(transaction, migrations.length)
  })
}

/** Zero when there are no tables yet. */
export async function readVersion(database: Database): Promise<number> {
  if (database.dialect === 'postgres') {
    // The table of tables: a look-up by name may still say what was so before another process made them.
    const [table] = await database.all(
      "SELECT 1 AS found FROM pg_tables WHERE schemaname = 'precis' AND tablename = 'version'",
    )
    if (!table) return 0
  }
  const sql = database.dialect === 'sqlite' ? 'SELECT user_version AS number FROM pragma_user_version' : VERSION
  const [row] = await database.all<{ number: number }>(sql)
  return row?.number ?? 0
}

const VERSION = 'SELECT number FROM version'

/** Whoever may not make one may still use one that was made for them. */
async function createSchema(transaction: Database): Promise<void> {
  const [schema] = await transaction.all("SELECT 1 AS found FROM pg_namespace WHERE nspname = 'precis'")
  if (!schema) await transaction.run('CREATE SCHEMA precis')
  await transaction.run('CREATE TABLE version (number BIGINT NOT NULL)')
  await transaction.run('INSERT INTO version (number) VALUES (0)')
}

async function writeVersion(transaction: Database, version: number): Promise<void> {
  // A pragma takes no parameters.
  if (transaction.dialect === 'sqlite') await transaction.run(`PRAGMA user_version = ${version}`)
  else await transaction.run('UPDATE version SET number = ?', [version])
}
