/**
 * Tables of the archive, one step for each version; `user_version` says which were taken.
 *
 *   compression ──< piece >── record          piece: which record stands at which place of an original
 *                               │
 *                             search           words of records that were removed or changed, without secrets
 */
import { ArchiveError } from './archive-error.ts'
import { inTransaction, type Sqlite } from './sqlite.ts'

// `content=''`: the index keeps no text; excerpts are cut from the record itself.
const MIGRATIONS = [
  `CREATE TABLE record (
     id INTEGER PRIMARY KEY,
     hash BLOB NOT NULL UNIQUE,
     bytes INTEGER NOT NULL,
     isDeflated INTEGER NOT NULL,
     isIndexed INTEGER NOT NULL,
     content BLOB NOT NULL
   );
   CREATE TABLE compression (
     id INTEGER PRIMARY KEY,
     name TEXT NOT NULL UNIQUE,
     command TEXT NOT NULL,
     storedAt TEXT NOT NULL,
     format TEXT NOT NULL,
     sessionId TEXT,
     path TEXT,
     originalId TEXT,
     originalPath TEXT,
     originalHash BLOB NOT NULL,
     originalBytes INTEGER NOT NULL,
     report TEXT NOT NULL
   );
   CREATE INDEX compressionBySession ON compression (sessionId);
   CREATE INDEX compressionByPath ON compression (path);
   CREATE TABLE piece (
     compression INTEGER NOT NULL REFERENCES compression (id) ON DELETE CASCADE,
     position INTEGER NOT NULL,
     record INTEGER NOT NULL REFERENCES record (id),
     span INTEGER,
     fate TEXT,
     label TEXT,
     PRIMARY KEY (compression, position)
   ) WITHOUT ROWID;
   CREATE INDEX pieceByRecord ON piece (record);
   CREATE VIRTUAL TABLE search USING fts5 (content, content='', contentless_delete=1, tokenize="unicode61 tokenchars '_'");`,
]

/** Brings a database to the newest version, in one transaction. Throws `ArchiveError` for one of a newer precis. */
export function migrate(database: Sqlite): void {
  if (readVersion(database) === MIGRATIONS.length) return
  inTransaction(database, () => {
    // Another process may have been faster.
    const version = readVersion(database)
    if (version > MIGRATIONS.length) {
      throw new ArchiveError(
        'archive-too-new',
        `Opening the archive: it has version ${version}, and this precis knows up to ${MIGRATIONS.length}. Install the newest precis.`,
      )
    }
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  })
}

function readVersion(database: Sqlite): number {
  const [row] = database.prepare('SELECT user_version AS version FROM pragma_user_version').all()
  return row && 'version' in row && typeof row.version === 'number' ? row.version : 0
}
