/** Every session of OpenCode on this machine, and what a list shows of one. */
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { asCount, asObject, asText, type JsonObject } from '../lines.ts'
import type { SessionFile } from '../session-file.ts'
import type { SessionHead } from '../session-head.ts'
import { openDatabase } from './database.ts'
import { type StoredSession, withStoredSession } from './stored-session.ts'

/** Where clones wait until OpenCode imports them, below its own folder. */
export const EXPORTS_FOLDER = 'precis'

const DATABASE_FILE = /^opencode(?:-[\w.-]{1,60})?\.db$/
// What else lies in a row has no path, and might act on a terminal.
const SESSION_ID = /^ses_[0-9A-Za-z]{1,60}$/
const SESSION_FILE = /^(ses_[0-9A-Za-z]{1,60})\.json$/

/** Sessions of subagents are left out. One that is stored twice is named where OpenCode looks first. */
export function listOpencodeSessions(folder: string, environment: NodeJS.ProcessEnv = process.env): SessionFile[] {
  const sessions = [
    ...findDatabases(folder, environment.OPENCODE_DB).flatMap(listRows),
    ...listFiles(join(folder, EXPORTS_FOLDER)),
    ...list(join(folder, 'storage', 'session'))
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => listFiles(join(folder, 'storage', 'session', name))),
    ...list(join(folder, 'project')).flatMap(({ name }) =>
      listFiles(join(folder, 'project', name, 'storage', 'session', 'info')),
    ),
  ]
  const first = new Map<string, SessionFile>()
  for (const session of sessions) if (!first.has(session.id)) first.set(session.id, session)
  return [...first.values()]
}

function findDatabases(folder: string, named: string | undefined): string[] {
  if (named === ':memory:') return []
  if (named) return [isAbsolute(named) ? named : join(folder, named)]
  return list(folder)
    .filter((entry) => entry.isFile() && DATABASE_FILE.test(entry.name))
    .map(({ name }) => join(folder, name))
}

const ROWS = `
  SELECT session.id AS id, session.time_updated AS modified,
    (SELECT coalesce(sum(octet_length(part.data)), 0) FROM part WHERE part.session_id = session.id) AS bytes
  FROM session WHERE session.parent_id IS NULL`

/** None of a database that is not one, or that this platform has no binary for: the other agents are listed all the same. */
function listRows(path: string): SessionFile[] {
  try {
    const database = openDatabase(path)
    try {
      return database.query(ROWS).flatMap((row) => {
        const { id, modified, bytes } = asObject(row) ?? {}
        if (typeof id !== 'string' || !SESSION_ID.test(id)) return []
        return [toSessionFile(id, `${path}#${id}`, asCount(bytes), new Date(asCount(modified)))]
      })
    } finally {
      database.close()
    }
  } catch {
    return []
  }
}

function listFiles(folder: string): SessionFile[] {
  return list(folder).flatMap(({ name }) => {
    const id = SESSION_FILE.exec(name)?.[1]
    const path = join(folder, name)
    const stats = id === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
    return id !== undefined && stats?.isFile() ? [toSessionFile(id, path, stats.size, stats.mtime)] : []
  })
}

function toSessionFile(id: string, path: string, bytes: number, modified: Date): SessionFile {
  return { agent: 'opencode', id, path, bytes, modified }
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // OpenCode is not installed, or has never been of this version.
    return []
  }
}

interface Description extends Omit<SessionHead, 'sessionId'> {
  readonly title: string | undefined
  /** As the provider counted them at the newest request. */
  readonly contextTokens: number | undefined
}

/** Reads the messages, and the parts of one. */
export function describeOpencode(path: string): Description {
  try {
    return withStoredSession(path, (session) => ({
      workingDirectory: asText(session.info.directory),
      firstPrompt: findFirstPrompt(session),
      title: asText(session.info.title),
      contextTokens: session.messages.map(countContextTokens).findLast((tokens) => tokens > 0),
    }))
  } catch {
    // It is listed all the same: what cannot be read is said by the command that reads it.
    return { workingDirectory: undefined, firstPrompt: undefined, title: undefined, contextTokens: undefined }
  }
}

const SEARCHED_MESSAGES = 20

/** What the person asked first; undefined when the first messages are none of theirs. */
export function findFirstPrompt({ messages, readParts }: StoredSession): string | undefined {
  for (const { role, id } of messages.slice(0, SEARCHED_MESSAGES)) {
    if (role !== 'user') continue
    for (const part of readParts(asText(id) ?? '')) {
      const text = asText(part.text)?.trim()
      if (part.type === 'text' && part.synthetic !== true && text) return text
    }
  }
  return undefined
}

/** All tokens of the request behind an answer, as its provider counted them; 0 for every other message. */
function countContextTokens(message: JsonObject): number {
  const tokens = asObject(message.tokens)
  const cache = asObject(tokens?.cache)
  return (
    asCount(tokens?.input) +
    asCount(tokens?.output) +
    asCount(tokens?.reasoning) +
    asCount(cache?.read) +
    asCount(cache?.write)
  )
}
