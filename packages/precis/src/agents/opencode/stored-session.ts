/**
 * One session of OpenCode, wherever it is stored. Four kinds of storage are read the same way:
 *
 *   opencode.db#ses_1                        rows of `session`, `message` and `part`
 *   storage/session/<project>/ses_1.json     storage/message/ses_1/msg_*.json         storage/part/msg_*\/prt_*.json
 *   storage/session/info/ses_1.json          storage/session/message/ses_1/msg_*.json storage/session/part/ses_1/msg_*\/prt_*.json
 *   precis/ses_1.json                        an export that waits to be imported
 */

import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ByteSource } from '@precis/core/formats'
import { openSqlite, type Sqlite, type SqliteStatement } from '../../database/sqlite.ts'
import { quietly, reasonOf, SessionError } from '../../files/errors.ts'
import { asCount, asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { ExportedSession, NumberedRecord } from '../shared/agent.ts'
import { listFolder } from '../shared/session-files.ts'

export interface StoredSession {
  readonly info: JsonObject
  /** Without their parts, oldest first. */
  readonly messages: readonly JsonObject[]
  readonly readParts: (messageId: string) => readonly JsonObject[]
  /**
   * The parts of all messages, without those whose JSON is not wanted, which are not parsed. For rows
   * of a database.
   */
  readonly findParts?: (isWanted: (json: Uint8Array) => boolean) => readonly NumberedRecord[]
  /** Messages and parts that exist but cannot be read. The lists do not contain them. */
  readonly countDamaged: () => number
}

const PARTS =
  'SELECT message_id AS messageId, CAST(data AS BLOB) AS data FROM part WHERE session_id = ? ORDER BY id'
// One row is read faster than hundreds, and most sessions do not have what is looked for.
const ALL_PARTS =
  'SELECT CAST(group_concat(data, char(10)) AS BLOB) AS data FROM part WHERE session_id = ?'

const DATABASE_SESSION = /^(.+\.db)#(ses_[0-9A-Za-z]{1,60})$/

/** The parts of `<database>#<session id>`. Undefined for every other path. */
export function splitDatabasePath(
  path: string,
): { readonly database: string; readonly id: string } | undefined {
  const [, database, id] = DATABASE_SESSION.exec(path) ?? []
  return database !== undefined && id !== undefined ? { database, id } : undefined
}

/** Whether the path is a session whose messages are in separate files. */
export function isFolderSession(path: string): boolean {
  return /[\\/]storage[\\/]session[\\/][^\\/]+[\\/]ses_[0-9A-Za-z]+\.json$/.test(path)
}

/**
 * Calls `read` while the session is open. Throws `SessionError` if it is missing or cannot be read.
 */
export function withStoredSession<T>(path: string, read: (session: StoredSession) => T): T {
  const stored = splitDatabasePath(path)
  try {
    if (!stored) return read(isFolderSession(path) ? openFolders(path) : openExport(path))
    return read(openRows(connect(stored.database), stored.id, path))
  } catch (error) {
    if (error instanceof SessionError) throw error
    // A missing library is reported in many lines.
    const [reason] = reasonOf(error).split('\n', 1)
    throw new SessionError('unreadable', `Reading "${path}": ${reason}.`)
  }
}

/** It may be locked for a moment. */
export const STORE = { readonly: true, timeout: 1000 } as const

type StoreConnection = Pick<Sqlite, 'prepare'>

const IDLE_MS = 200
let open:
  | { readonly key: string; readonly connection: StoreConnection; readonly end: () => void }
  | undefined

/** Hundreds of sessions of one file are read one after the other, so it stays open that long. */
function connect(file: string): StoreConnection {
  const { dev, ino } = statSync(file, { throwIfNoEntry: false }) ?? {}
  const key = `${file} ${dev} ${ino}`
  if (open?.key === key) return open.connection
  open?.end()
  const database = openSqlite(file, STORE)
  const statements = new Map<string, SqliteStatement>()
  const timer = setTimeout(() => open?.end(), IDLE_MS).unref()
  const end = () => {
    clearTimeout(timer)
    open = undefined
    database.close()
  }
  const prepare = (sql: string) => {
    timer.refresh()
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  open = { key, connection: { prepare }, end }
  return open.connection
}

/** What a document was rendered from: most that read it need no bytes. */
const exports = new WeakMap<ByteSource, JsonObject>()

/** The session as `opencode export` prints it. */
export function exportSession({
  info,
  messages,
  readParts,
  countDamaged,
}: StoredSession): ExportedSession {
  const records = messages.map((message) => ({
    info: message,
    parts: readParts(asText(message.id) ?? ''),
  }))
  const value = { info, messages: records }
  let rendered: ByteSource | undefined
  const render = () =>
    (rendered ??= createMemorySource(Buffer.from(`${JSON.stringify(value, null, 2)}\n`)))
  const source: ByteSource = {
    get byteLength() {
      return render().byteLength
    },
    read: (start, end) => render().read(start, end),
  }
  exports.set(source, value)
  return { source, damagedRecords: countDamaged() }
}

function openRows(database: StoreConnection, id: string, path: string): StoredSession {
  let damaged = 0
  const prepare = (sql: string, name: (id: string, of: string) => JsonObject) => {
    const statement = database.prepare(sql)
    return (value: string) =>
      statement.all([value]).flatMap((row) => {
        const record = readData(row, (own) => name(own, value))
        if (!record) damaged++
        return record ? [record] : []
      })
  }
  const columns = listColumns(database, 'session').map((column) => `"${column}"`)
  const row = columns.includes('"id"')
    ? asObject(
        database.prepare(`SELECT ${columns.join(', ')} FROM session WHERE id = ?`).all([id])[0],
      )
    : undefined
  if (!row)
    throw new SessionError(
      'no-such-session',
      `Reading "${path}": the database holds no such session.`,
    )
  if (Object.values(row).some(isDamagedText)) damaged++
  const readMessages = prepare(
    'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id',
    (messageId) => ({ id: messageId, sessionID: id }),
  )
  let messages: readonly JsonObject[] | undefined
  const listMessages = () => (messages ??= readMessages(id))
  return {
    info: readInfo(
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, mend(value)])),
    ),
    get messages() {
      return listMessages()
    },
    readParts: prepare(
      'SELECT id, data FROM part WHERE message_id = ? ORDER BY id',
      (partId, messageID) => ({ id: partId, sessionID: id, messageID }),
    ),
    findParts(isWanted) {
      const all = asObject(quietly(() => database.prepare(ALL_PARTS).all([id])[0]))?.data
      if (all instanceof Uint8Array && !isWanted(all)) return []
      const rows = database
        .prepare(PARTS)
        .all([id])
        .flatMap((row) => {
          const { messageId, data } = asObject(row) ?? {}
          return data instanceof Uint8Array && isWanted(data) ? [{ messageId, data }] : []
        })
      const numbers = new Map(
        rows.length === 0 ? [] : listMessages().map((message, index) => [message.id, index + 1]),
      )
      return rows
        .flatMap(({ messageId, data }) => {
          const number = numbers.get(messageId)
          const record = parse(Buffer.from(data).toString())
          return number !== undefined && record ? [{ number, record }] : []
        })
        .sort((a, b) => a.number - b.number)
    },
    countDamaged: () => damaged,
  }
}

/** Versions have different columns, so the file is asked for them. */
function listColumns(database: StoreConnection, table: string): string[] {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all([table])
  return rows
    .flatMap((row) => asText(asObject(row)?.name) ?? [])
    .filter((name) => /^\w{1,60}$/.test(name))
}

/** OpenCode itself stores text only. */
const isDamagedText = (value: unknown): value is Uint8Array => value instanceof Uint8Array

const mend = (value: unknown): unknown =>
  isDamagedText(value) ? Buffer.from(value).toString() : value

function readData(row: object, name: (id: string) => JsonObject): JsonObject | undefined {
  const { id, data } = asObject(row) ?? {}
  const value = parse(data)
  return value && typeof id === 'string' ? { ...value, ...name(id) } : undefined
}

/** The columns of a session under the names of an export. */
function readInfo(row: JsonObject): JsonObject {
  const summary = {
    additions: asCount(row.summary_additions),
    deletions: asCount(row.summary_deletions),
    files: asCount(row.summary_files),
    diffs: parse(row.summary_diffs),
  }
  const hasSummary = [row.summary_additions, row.summary_deletions, row.summary_files].some(
    (value) => value !== null,
  )
  return withoutGaps({
    id: row.id,
    slug: row.slug,
    projectID: row.project_id,
    workspaceID: row.workspace_id,
    directory: row.directory,
    path: row.path,
    parentID: row.parent_id,
    title: row.title,
    agent: row.agent,
    model: parse(row.model),
    version: row.version,
    summary: hasSummary ? withoutGaps(summary) : undefined,
    share: typeof row.share_url === 'string' ? { url: row.share_url } : undefined,
    metadata: parse(row.metadata),
    cost: row.cost,
    tokens: {
      input: asCount(row.tokens_input),
      output: asCount(row.tokens_output),
      reasoning: asCount(row.tokens_reasoning),
      cache: { read: asCount(row.tokens_cache_read), write: asCount(row.tokens_cache_write) },
    },
    revert: parse(row.revert),
    permission: parse(row.permission),
    time: withoutGaps({
      created: row.time_created,
      updated: row.time_updated,
      compacting: row.time_compacting,
      archived: row.time_archived,
    }),
  })
}

function withoutGaps(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  )
}

/** Accepts lists too, because the rules of a session are a list. */
function parse(json: unknown): JsonObject | undefined {
  if (typeof json !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function openFolders(path: string): StoredSession {
  const id = basename(path, '.json')
  const folder = dirname(path)
  const isOldest = basename(folder) === 'info'
  const root = isOldest ? dirname(folder) : dirname(dirname(folder))
  const info = parse(readInputFile(path).toString())
  if (!info) throw new SessionError('unreadable', `Reading "${path}": it is no JSON object.`)
  let damaged = 0
  // The files are named after their ids, which sort by creation. A message without parts has no folder.
  const readFolder = (folder: string) =>
    listFolder(folder)
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .flatMap((name) => {
        const record = parse(readInputFile(join(folder, name)).toString())
        if (!record) damaged++
        return record ? [record] : []
      })
  const messages = readFolder(join(root, 'message', id)).sort(compare)
  return {
    info,
    messages,
    readParts: (messageId) => {
      // The id comes from a file, so it may only name a folder inside this one.
      if (!/^\w{1,80}$/.test(messageId)) return []
      return readFolder(
        isOldest ? join(root, 'part', id, messageId) : join(root, 'part', messageId),
      )
    },
    countDamaged: () => damaged,
  }
}

function compare(a: JsonObject, b: JsonObject): number {
  const [first, second] = [asCount(asObject(a.time)?.created), asCount(asObject(b.time)?.created)]
  return first - second || ((asText(a.id) ?? '') < (asText(b.id) ?? '') ? -1 : 1)
}

function openExport(path: string): StoredSession {
  return toStoredSession(parse(readInputFile(path).toString()))
}

/** A parsed export. Empty for anything else. */
export function toStoredSession(value: JsonObject | undefined): StoredSession {
  const records = Array.isArray(value?.messages) ? value.messages.map(asObject) : []
  const byId = new Map(records.map((record) => [asObject(record?.info)?.id, record?.parts]))
  return {
    info: asObject(value?.info) ?? {},
    messages: records
      .map((record) => asObject(record?.info))
      .filter((message) => message !== undefined),
    readParts: (messageId) => {
      const parts = byId.get(messageId)
      return Array.isArray(parts) ? parts.map(asObject).filter((part) => part !== undefined) : []
    },
    countDamaged: () => 0,
  }
}

/** The export in a document. Undefined if there is none. */
export function readExport(source: ByteSource): JsonObject | undefined {
  const known = exports.get(source)
  if (known) return known
  const { buffer, byteOffset, length } = source.read(0, source.byteLength)
  return parseObject(Buffer.from(buffer, byteOffset, length))
}

/** Its messages with their parts, by their numbers. */
export function listRecords(exported: JsonObject | undefined): readonly (JsonObject | undefined)[] {
  return Array.isArray(exported?.messages) ? exported.messages.map(asObject) : []
}
