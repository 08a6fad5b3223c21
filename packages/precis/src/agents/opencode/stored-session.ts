/**
 * One session of OpenCode, wherever it is stored. Four generations are read alike:
 *
 *   opencode.db#ses_1                        rows of `session`, `message` and `part`
 *   storage/session/<project>/ses_1.json     storage/message/ses_1/msg_*.json         storage/part/msg_*\/prt_*.json
 *   storage/session/info/ses_1.json          storage/session/message/ses_1/msg_*.json storage/session/part/ses_1/msg_*\/prt_*.json
 *   precis/ses_1.json                        an export that waits to be imported
 */

import { basename, dirname, join } from 'node:path'
import type { ByteSource } from '@precis/core/formats'
import { openSqlite, type Sqlite } from '../../database/sqlite.ts'
import { SessionError } from '../../files/errors.ts'
import { asCount, asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import { listFolder } from '../ground/session-files.ts'

export interface StoredSession {
  readonly info: JsonObject
  /** Without their parts, oldest first. */
  readonly messages: readonly JsonObject[]
  readonly readParts: (messageId: string) => readonly JsonObject[]
}

const DATABASE_SESSION = /^(.+\.db)#(ses_[0-9A-Za-z]{1,60})$/

/** The parts of `<database>#<session id>`; undefined for every other path. */
export function splitDatabasePath(path: string): { readonly database: string; readonly id: string } | undefined {
  const [, database, id] = DATABASE_SESSION.exec(path) ?? []
  return database !== undefined && id !== undefined ? { database, id } : undefined
}

/** Whether the path is a session whose messages lie in files of their own. */
export function isFolderSession(path: string): boolean {
  return /[\\/]storage[\\/]session[\\/][^\\/]+[\\/]ses_[0-9A-Za-z]+\.json$/.test(path)
}

/** Calls `read` while the session is open. Throws `SessionError` when it is not there or cannot be read. */
export function withStoredSession<T>(path: string, read: (session: StoredSession) => T): T {
  const stored = splitDatabasePath(path)
  try {
    if (!stored) return read(isFolderSession(path) ? openFolders(path) : openExport(path))
    const database = openSqlite(stored.database, { readonly: true })
    try {
      return read(openRows(database, stored.id, path))
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof SessionError) throw error
    // A library that is not there says so in many lines.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw new SessionError('unreadable', `Reading "${path}": ${reason}.`)
  }
}

/** The session as `opencode export` prints it. */
export function renderExport({ info, messages, readParts }: StoredSession): string {
  const records = messages.map((message) => ({ info: message, parts: readParts(asText(message.id) ?? '') }))
  return `${JSON.stringify({ info, messages: records }, null, 2)}\n`
}

function openRows(database: Sqlite, id: string, path: string): StoredSession {
  const row = asObject(database.prepare('SELECT * FROM session WHERE id = ?').all([id])[0])
  if (!row) throw new SessionError('no-such-session', `Reading "${path}": the database holds no such session.`)
  const messages = database
    .prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id')
    .all([id])
    .flatMap((message) => readData(message, (messageId) => ({ id: messageId, sessionID: id })))
  return {
    info: readInfo(row),
    messages,
    readParts: (messageID) =>
      database
        .prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id')
        .all([messageID])
        .flatMap((part) => readData(part, (partId) => ({ id: partId, sessionID: id, messageID }))),
  }
}

function readData(row: object, name: (id: string) => JsonObject): JsonObject[] {
  const { id, data } = asObject(row) ?? {}
  const value = parse(data)
  return value && typeof id === 'string' ? [{ ...value, ...name(id) }] : []
}

/** The columns of a session under the names of an export; those without a value are left out. */
function readInfo(row: JsonObject): JsonObject {
  const summary = {
    additions: asCount(row.summary_additions),
    deletions: asCount(row.summary_deletions),
    files: asCount(row.summary_files),
    diffs: parse(row.summary_diffs),
  }
  const hasSummary = [row.summary_additions, row.summary_deletions, row.summary_files].some((value) => value !== null)
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
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))
}

/** Lists too: the rules of a session are one. */
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
  const info = parse(readInputFile(path).toString('utf8'))
  if (!info) throw new SessionError('unreadable', `Reading "${path}": it is no JSON object.`)
  const messages = readFolder(join(root, 'message', id)).sort((a, b) => compare(a, b))
  return {
    info,
    messages,
    readParts: (messageId) => {
      // The id comes from a file: it names a folder here and nothing above it.
      if (!/^\w{1,80}$/.test(messageId)) return []
      return readFolder(isOldest ? join(root, 'part', id, messageId) : join(root, 'part', messageId))
    },
  }
}

function compare(a: JsonObject, b: JsonObject): number {
  const [first, second] = [asCount(asObject(a.time)?.created), asCount(asObject(b.time)?.created)]
  return first - second || ((asText(a.id) ?? '') < (asText(b.id) ?? '') ? -1 : 1)
}

/** The files are named after their ids, which sort as they were made. */
function readFolder(folder: string): JsonObject[] {
  // A message without parts has no folder.
  return listFolder(folder)
    .flatMap(({ name }) => (name.endsWith('.json') ? [name] : []))
    .sort()
    .map((name) => parse(readInputFile(join(folder, name)).toString('utf8')))
    .filter((value) => value !== undefined)
}

function openExport(path: string): StoredSession {
  return toStoredSession(parse(readInputFile(path).toString('utf8')))
}

/** A parsed export; empty for anything else. */
export function toStoredSession(value: JsonObject | undefined): StoredSession {
  const records = Array.isArray(value?.messages) ? value.messages.map(asObject) : []
  const byId = new Map(records.map((record) => [asObject(record?.info)?.id, record?.parts]))
  return {
    info: asObject(value?.info) ?? {},
    messages: records.map((record) => asObject(record?.info)).filter((message) => message !== undefined),
    readParts: (messageId) => {
      const parts = byId.get(messageId)
      return Array.isArray(parts) ? parts.map(asObject).filter((part) => part !== undefined) : []
    },
  }
}

/** The export that a document holds; undefined for what is none. */
export function readWhole(source: ByteSource): JsonObject | undefined {
  const { buffer, byteOffset, length } = source.read(0, source.byteLength)
  return parseObject(Buffer.from(buffer, byteOffset, length))
}

/** Its messages with their parts, by their numbers. */
export function listRecords(exported: JsonObject | undefined): readonly (JsonObject | undefined)[] {
  return Array.isArray(exported?.messages) ? exported.messages.map(asObject) : []
}
