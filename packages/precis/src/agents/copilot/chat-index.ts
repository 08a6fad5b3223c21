/**
 * The list of chats that VS Code shows: one row of a database next to the folder of the chats. VS
 * Code reads it once, and writes all of it on exit. An entry that is written in between is lost.
 *
 *   state.vscdb   ItemTable   chat.ChatSessionStore.index   {"version":1,"entries":{"<id>":{"sessionId":…,"title":…}}}
 */
import { isUtf8 } from 'node:buffer'
import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openSqlite, type Sqlite } from '../../database/sqlite.ts'
import { reasonOf } from '../../files/errors.ts'
import { asObject, asText, parseObject } from '../../files/lines.ts'
import { createTemporaryFile } from '../../files/temporary-file.ts'
import type { ListedTitle } from '../shared/agent.ts'
import { isEditorRunning } from './user-folders.ts'

const KEY = 'chat.ChatSessionStore.index'
const DATABASE = 'state.vscdb'
const MOST_BACKUPS = 3
const COMPLETE = 1

/**
 * Undefined if the chat is listed now, or the reason why it is not and what to do. Never throws.
 */
export function addToChatIndex(chatPath: string, newSession: ListedTitle): string | undefined {
  const problem = tryToAdd(chatPath, newSession)
  return (
    problem && `${problem}. Then "precis clone ${newSession.sessionId}" makes a copy that is listed`
  )
}

function tryToAdd(chatPath: string, newSession: ListedTitle): string | undefined {
  const path = join(dirname(dirname(chatPath)), DATABASE)
  if (!statSync(path, { throwIfNoEntry: false })) {
    return `there is no "${path}" beside it; open the folder in VS Code once, and close it`
  }
  if (isEditorRunning(chatPath))
    return 'it is running, and would write its own list over it; close it'
  try {
    const database = openSqlite(path, {})
    try {
      keepBackup(database, path)
      return addEntry(database, newSession)
    } finally {
      database.close()
    }
  } catch (error) {
    const [reason] = reasonOf(error).split('\n', 1)
    return /busy|locked/i.test(reason ?? '')
      ? `${DATABASE} is in use; close it`
      : `${reason}; see to "${path}"`
  }
}

/** Uses one transaction, so after a kill at any moment the list is the old or the new one. */
function addEntry(database: Sqlite, newSession: ListedTitle): string | undefined {
  database.exec('BEGIN IMMEDIATE')
  try {
    const problem = changeList(database, newSession)
    database.exec(problem === undefined ? 'COMMIT' : 'ROLLBACK')
    return problem
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function changeList(database: Sqlite, newSession: ListedTitle): string | undefined {
  const row = asObject(database.prepare('SELECT value FROM ItemTable WHERE key = ?').all([KEY])[0])
  const bytes =
    row && (row.value instanceof Uint8Array ? row.value : Buffer.from(asText(row.value) ?? ''))
  if (bytes && !isUtf8(bytes))
    return 'its list of chats is damaged; close it and open it again, so that it writes a new one'
  const index = bytes ? parseObject(Buffer.from(bytes)) : { version: 1, entries: {} }
  const entries = asObject(index?.entries)
  if (index?.version !== 1 || !entries)
    return 'its list of chats is of a version that is not known; look for a newer precis'
  const changed = {
    ...index,
    entries: { ...entries, [newSession.sessionId]: createEntry(newSession) },
  }
  const sql =
    'INSERT INTO ItemTable (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'
  database.prepare(sql).run([KEY, JSON.stringify(changed)])
  return undefined
}

/** Versions before 1.109 do not know `timing`, and accept unknown members. */
function createEntry({ sessionId, title, timestamp }: ListedTitle): object {
  const timeMs = Date.parse(timestamp)
  return {
    sessionId,
    title,
    lastMessageDate: timeMs,
    timing: { created: timeMs, lastRequestStarted: timeMs, lastRequestEnded: timeMs },
    initialLocation: 'panel',
    hasPendingEdits: false,
    isImported: false,
    isEmpty: false,
    isExternal: false,
    lastResponseState: COMPLETE,
  }
}

/** A full copy, made by the database itself. The three latest copies are kept. */
function keepBackup(database: Sqlite, path: string): void {
  const prefix = `${basename(path)}.precis-`
  const isBackup = (name: string) =>
    name.startsWith(prefix) && /^\d{1,16}$/.test(name.slice(prefix.length))
  const backup = `${path}.precis-${Date.now()}`
  const temporary = createTemporaryFile(backup)
  try {
    database.prepare('VACUUM INTO ?').run([temporary.path])
    chmodSync(temporary.path, statSync(path).mode & 0o777)
    renameSync(temporary.path, backup)
  } finally {
    temporary.remove()
  }
  const backups = readdirSync(dirname(path)).filter(isBackup).sort()
  for (const name of backups.slice(0, -MOST_BACKUPS))
    rmSync(join(dirname(path), name), { force: true })
}
