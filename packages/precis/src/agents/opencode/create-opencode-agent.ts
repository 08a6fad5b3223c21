import { dirname, isAbsolute, join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { openSqlite, type Sqlite } from '../../database/sqlite.ts'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type {
  Agent,
  Description,
  Environment,
  ListedSession,
  SessionHead,
  SessionStore,
  Timeline,
} from '../shared/agent.ts'
import { changeDirectory, listFiles, listFolder, quoteForShell } from '../shared/session-files.ts'
import {
  NO_HEAD,
  readDate,
  readDocumentTimes,
  readLineTimes,
  readTime,
} from '../shared/session-lines.ts'
import { splitJson } from '../shared/split-lines.ts'
import { findCompactionPart, readCompactions } from './compactions.ts'
import { createInstallation, findNextModel } from './installation.ts'
import { findData, type Product } from './product.ts'
import { countRequestTokens, readRequests } from './requests.ts'
import {
  exportSession,
  isFolderSession,
  listRecords,
  readExport,
  STORE,
  type StoredSession,
  splitDatabasePath,
  toStoredSession,
  withStoredSession,
} from './stored-session.ts'

/** The folder, inside the agent's own, in which clones wait until the agent imports them. */
const EXPORTS_FOLDER = 'precis'

const ID_CHARACTERS = 26
// Any other id in a row has no path, and might contain terminal escapes.
const SESSION_ID = /^ses_[0-9A-Za-z]{1,60}$/

const store: SessionStore = {
  locate(path) {
    const stored = splitDatabasePath(path)
    return (
      stored && {
        file: stored.database,
        beside: join(dirname(stored.database), EXPORTS_FOLDER, stored.id),
      }
    )
  },
  export(path) {
    if (!splitDatabasePath(path) && !isFolderSession(path)) return undefined
    return withStoredSession(path, exportSession)
  },
  describe,
  readContent: (path, mayHold = () => true) =>
    withStoredSession(
      path,
      (session) =>
        session.findParts?.(mayHold) ??
        session.messages.flatMap((message, index) =>
          session
            .readParts(asText(message.id) ?? '')
            .map((record) => ({ number: index + 1, record })),
        ),
    ),
}

/** OpenCode or a fork of it. `own` is what the fork does otherwise, or what only one of them has. */
export function createOpencodeAgent(
  product: Product,
  own: Pick<Agent, 'headless' | 'wire'> = {},
): Agent {
  const { name, title, variables } = product
  const findHome = (environment: Environment) => resolve(findData(product, environment))
  return {
    name,
    title,
    format: formats.opencode,
    ids: {
      create: (uuid) => `ses_${uuid.replaceAll('-', '').slice(0, ID_CHARACTERS)}`,
      whole: SESSION_ID,
      beginning: /^ses_[0-9a-z]{0,60}$/i,
    },
    homeVariables: ['XDG_DATA_HOME'],
    findHome,
    list: (environment) => list(findHome(environment), name, environment[`${variables}_DB`]),
    store,
    // Reads the whole document, because the session comes before the first prompt in it.
    readHead: (source) => readStoredHead(openExport(source)),
    readTitle: (source) => readStoredTitle(openExport(source)),
    readContextTokens: (source) => countStoredContext(openExport(source)),
    readTimes: (source) => readLineTimes(source) ?? readDocumentTimes(source, readTimes),
    readRequests,
    readTimeline,
    readCompactions,
    isLog: () => false,
    splitRecords: splitJson,
    place: ({ sessionId, environment }) =>
      join(findHome(environment), EXPORTS_FOLDER, `${sessionId}.json`),
    resume({ sessionId, path, directory, model }) {
      const isStored = splitDatabasePath(path) !== undefined || isFolderSession(path)
      // Only the agent writes its store. A repeated import changes nothing.
      const start = isStored ? '' : `${name} import ${quoteForShell(path)} && `
      const named = model === undefined ? '' : ` --model ${quoteForShell(model)}`
      return changeDirectory(directory, `${start}${name} --session ${sessionId}${named}`)
    },
    isRemovable: (path) => splitDatabasePath(path) === undefined,
    findNextModel: (...request) => findNextModel(product, ...request),
    installation: createInstallation(product, {
      ...(own.wire && { answering: `precis wrap ${name}` }),
    }),
    ...own,
  }
}

/** `opencode.db`, or `opencode-dev.db` of another channel. */
const DATABASE_FILE = /^([a-z]+)(?:-[\w.-]{1,60})?\.db$/
const FILES = { levels: [0, 0], pattern: /^(ses_[0-9A-Za-z]{1,60})\.json$/ } as const

/**
 * Leaves out sessions of subagents. If a session is stored twice, it is listed where the agent looks
 * first.
 */
function list(folder: string, name: string, database: string | undefined): ListedSession[] {
  const sessions = [
    ...findDatabases(folder, name, database).flatMap(listRows),
    ...listFiles(join(folder, EXPORTS_FOLDER), FILES),
    ...listFolder(join(folder, 'storage', 'session')).flatMap(({ name }) =>
      listFiles(join(folder, 'storage', 'session', name), FILES),
    ),
    ...listFolder(join(folder, 'project')).flatMap(({ name }) =>
      listFiles(join(folder, 'project', name, 'storage', 'session', 'info'), FILES),
    ),
  ]
  const first = new Map<string, ListedSession>()
  for (const session of sessions) if (!first.has(session.id)) first.set(session.id, session)
  return [...first.values()]
}

function findDatabases(folder: string, name: string, chosen: string | undefined): string[] {
  if (chosen === ':memory:') return []
  if (chosen) return [isAbsolute(chosen) ? chosen : join(folder, chosen)]
  return listFolder(folder)
    .filter((entry) => !entry.isDirectory() && DATABASE_FILE.exec(entry.name)?.[1] === name)
    .map((entry) => join(folder, entry.name))
}

const LENGTH =
  '(SELECT coalesce(sum(octet_length(part.data)), 0) FROM part WHERE part.session_id = session.id)'
// If a page of the parts is damaged, sessions without parts on it can still be read.
const ROWS = [LENGTH, '0'].map(
  (bytes) => `SELECT session.id AS id, session.time_updated AS modified, ${bytes} AS bytes
    FROM session WHERE session.parent_id IS NULL`,
)

/**
 * Empty if it is not a database, or if this platform has no binary for it. The other agents are
 * still listed.
 */
function listRows(path: string): ListedSession[] {
  try {
    const database = openSqlite(path, STORE)
    try {
      return readFirst(database, ROWS).flatMap((row) => {
        const { id, modified, bytes } = asObject(row) ?? {}
        if (typeof id !== 'string' || !SESSION_ID.test(id)) return []
        return [
          {
            id,
            path: `${path}#${id}`,
            bytes: asCount(bytes),
            modified: readDate(modified) ?? new Date(0),
          },
        ]
      })
    } finally {
      database.close()
    }
  } catch {
    return []
  }
}

/** The rows of the first query that works. */
function readFirst(database: Sqlite, [query = '', ...others]: readonly string[]): object[] {
  try {
    return database.prepare(query).all()
  } catch (error) {
    if (others.length === 0) throw error
    return readFirst(database, others)
  }
}

const openExport = (source: ByteSource) => toStoredSession(readExport(source))

/** Reads the messages, and the parts of one. */
function describe(path: string): Description {
  try {
    return withStoredSession(path, (session) => ({
      ...readStoredHead(session),
      title: readStoredTitle(session),
      contextTokens: countStoredContext(session),
    }))
  } catch {
    // It is still listed. The command that reads it reports the problem.
    return { ...NO_HEAD, title: undefined, contextTokens: undefined }
  }
}

const readStoredTitle = ({ info }: StoredSession) => asText(info.title)

const countStoredContext = ({ messages }: StoredSession) =>
  messages.map(countRequestTokens).findLast((tokens) => tokens > 0)

function readStoredHead(session: StoredSession): SessionHead {
  return {
    sessionId: asText(session.info.id),
    workingDirectory: asText(session.info.directory),
    firstPrompt: findFirstPrompt(session),
  }
}

const SEARCHED_MESSAGES = 20

/** Undefined if the first messages are not from the user. */
function findFirstPrompt({ messages, readParts }: StoredSession): string | undefined {
  for (const { role, id } of messages.slice(0, SEARCHED_MESSAGES)) {
    if (role !== 'user') continue
    for (const part of readParts(asText(id) ?? '')) {
      const text = asText(part.text)?.trim()
      if (part.type === 'text' && part.synthetic !== true && text) return text
    }
  }
  return undefined
}

function readTimes({ info }: JsonObject): readonly [unknown, unknown] {
  const time = asObject(asObject(info)?.time)
  return [time?.created, time?.updated]
}

/** A compaction hides what is before it. If its records are left out, all of that is read again. */
function readTimeline(source: ByteSource): Timeline {
  const exported = readExport(source)
  const numbered = listRecords(exported).map((record, number) => ({ record, number }))
  const kept = numbered.filter(({ record }) => !isOfCompaction(record))
  const timed = formats.opencode
    .parse({ info: exported?.info, messages: kept.map(({ record }) => record) })
    .messages.map((message) => {
      const own = (message.records ?? []).flatMap((record) => kept[record] ?? [])
      const time = asObject(asObject(own[0]?.record?.info)?.time)
      return { message, timeMs: readTime(time?.created), records: own.map(({ number }) => number) }
    })
  return {
    timed,
    compactions: numbered.filter(({ record }) => findCompactionPart(record) !== undefined).length,
  }
}

const isOfCompaction = (record: JsonObject | undefined): boolean =>
  asObject(record?.info)?.summary === true || findCompactionPart(record) !== undefined
