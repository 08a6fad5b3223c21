/**
 * Chats with GitHub Copilot in the `User` folder of VS Code:
 *
 *   workspaceStorage/<hash>/workspace.json                  the folder of the workspace
 *   workspaceStorage/<hash>/chatSessions/<id>.jsonl         since 1.109; before it .json
 *   globalStorage/emptyWindowChatSessions/<id>.jsonl        chats of windows without a folder
 */

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { quietly } from '../../files/errors.ts'
import {
  asCount,
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import type { Agent, ListedSession, PlacementRequest, SessionHead } from '../shared/agent.ts'
import { createMcpEntry } from '../shared/entry.ts'
import { listFolder, quoteForShell, resolveRealPlace, uuidIds } from '../shared/session-files.ts'
import {
  readDocumentTimes,
  readLineTimes,
  readLineTitle,
  readPrompt,
  type TitleReader,
} from '../shared/session-lines.ts'
import { splitJson, splitLines } from '../shared/split-lines.ts'
import { addToChatIndex } from './chat-index.ts'
import {
  CHATS_FOLDER,
  EMPTY_WINDOW_FOLDER,
  findHome,
  findWorkspaceFolder,
  isChatFolder,
  listUserFolders,
  listWorkspaces,
  nameCommand,
  readWorkspaceFolder,
} from './user-folders.ts'

const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl?$/i

export const copilot: Agent = {
  name: 'copilot',
  title: 'GitHub Copilot',
  format: formats.copilot,
  ids: uuidIds,
  homeVariables: ['VSCODE_APPDATA'],
  findHome,
  // Lists chats of all editions of VS Code.
  list: (environment) => listUserFolders(findHome(environment)).flatMap(listChats),
  findWorkingDirectory: findWorkspaceFolder,
  readHead: readChatHead,
  readTitle: (source) => readLineTitle(source, TITLES),
  readContextTokens: countContext,
  readTimes: (source) =>
    readLineTimes(source) ??
    readDocumentTimes(source, ({ creationDate, lastMessageDate }) => [
      creationDate,
      lastMessageDate,
    ]),
  // Requests are billed by model, not by tokens.
  readRequests: () => [],
  isLog: isChatLog,
  splitRecords: (source) => (isChatLog(source) ? splitLines(source) : splitJson(source)),
  place,
  resume({ path, directory }) {
    const command = nameCommand(path)
    return directory === undefined ? command : `${command} ${quoteForShell(directory)}`
  },
  register(path, newSession) {
    const problem = addToChatIndex(path, newSession)
    return problem && `VS Code does not list it: ${problem}`
  },
  // VS Code would still list it.
  isRemovable: () => false,

  /**
   * The server in the `mcp.json` of the user's profile
   * (code.visualstudio.com/docs/copilot/reference/mcp-configuration).
   */
  installation: {
    recallTool: 'mcp_precis_recall',
    bestWay: {
      commands: ['precis install copilot'],
      does: 'does nothing, and its tools search removed text',
      cost: 'one request',
    },
    findTraces: (environment) => [findHome(environment)],
    listEntries: ({ environment, command }) => [
      createMcpEntry(join(findHome(environment), 'mcp.json'), ['servers'], command, {
        type: 'stdio',
      }),
    ],
  },
}

/** If a session has both forms, VS Code reads the log. */
function listChats(userFolder: string): ListedSession[] {
  const folders = listWorkspaces(userFolder).map((folder) => join(folder, CHATS_FOLDER))
  return [...folders, join(userFolder, EMPTY_WINDOW_FOLDER)].flatMap((folder) => {
    const names = new Set(
      listFolder(folder).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
    )
    return [...names]
      .filter((name) => !names.has(`${name}l`))
      .flatMap((name) => describeFile(folder, name))
  })
}

function describeFile(folder: string, name: string): ListedSession[] {
  const id = SESSION_FILE.exec(name)?.[1]
  const path = join(folder, name)
  const stats = id === undefined ? undefined : quietly(() => statSync(path))
  return id !== undefined && stats ? [{ id, path, bytes: stats.size, modified: stats.mtime }] : []
}

const TITLES: TitleReader = {
  fields: ['"customTitle"'],
  read({ customTitle, k, v }) {
    const isSet = Array.isArray(k) && k.length === 1 && k[0] === 'customTitle'
    return customTitle ?? (isSet ? v : asObject(v)?.customTitle)
  },
}

/**
 * Next to the original, in any edition of VS Code, else in the workspace of the directory. A
 * session of one object stays one object. A log must begin as a log, and versions before 1.109 do
 * not know logs.
 */
function place({ sessionId, originalPath, directory, environment }: PlacementRequest): string {
  const folder =
    originalPath !== undefined && isChatFolder(dirname(originalPath))
      ? dirname(originalPath)
      : undefined
  const extension = originalPath?.endsWith('.json') ? 'json' : 'jsonl'
  return join(
    folder ?? findFolder(resolveRealPlace(findHome(environment)), directory),
    `${sessionId}.${extension}`,
  )
}

function findFolder(userFolder: string, directory: string | undefined): string {
  const workspaces =
    directory === undefined ? [] : listUserFolders(userFolder).flatMap(listWorkspaces)
  const workspace = workspaces.find((folder) => readWorkspaceFolder(folder) === directory)
  return workspace === undefined
    ? join(userFolder, EMPTY_WINDOW_FOLDER)
    : join(workspace, CHATS_FOLDER)
}

const MOST_BYTES = 64 << 20
const TAIL_BYTES = 1 << 20

/** Whether the document is a log, in which each line can be read separately. */
function isChatLog(source: ByteSource): boolean {
  for (const line of readLines(source)) return parseObject(line)?.kind === 0
  return false
}

/**
 * Reads only up to the first prompt. The folder records the working directory, and the chat does
 * not.
 */
function readChatHead(source: ByteSource): SessionHead {
  let sessionId: string | undefined
  for (const record of readRecords(source, 0)) {
    sessionId ??= asText(record.sessionId) ?? asText(asObject(record.v)?.sessionId)
    for (const { message } of listRequests(record)) {
      const firstPrompt = readPrompt(asText(message) ?? asObject(message)?.text)
      if (firstPrompt) return { sessionId, workingDirectory: undefined, firstPrompt }
    }
  }
  return { sessionId, workingDirectory: undefined, firstPrompt: undefined }
}

/** Tokens of the latest counted request and its answer. Searches the end first. */
function countContext(source: ByteSource): number | undefined {
  const starts = source.byteLength > TAIL_BYTES ? [source.byteLength - TAIL_BYTES, 0] : [0]
  for (const start of starts) {
    let newest: number | undefined
    for (const record of readRecords(source, start)) {
      for (const request of listRequests(record)) newest = countRequest(request) || newest
    }
    if (newest !== undefined) return newest
  }
  return undefined
}

function countRequest({ result }: JsonObject): number {
  const metadata = asObject(asObject(result)?.metadata)
  return asCount(metadata?.promptTokens) + asCount(metadata?.outputTokens)
}

function* readRecords(source: ByteSource, start: number): Generator<JsonObject> {
  if (source.byteLength - start > MOST_BYTES) return
  let isLog = start > 0
  for (const line of readLines(source, start)) {
    const record = parseObject(line)
    // The first line of a multi-line object is not an object.
    if (!record && !isLog) break
    isLog = true
    if (record) yield record
  }
  const body = isLog ? undefined : parseObject(Buffer.from(source.read(0, source.byteLength)))
  if (body) yield body
}

/** Requests that a record adds, or parts of a request. */
function listRequests(record: JsonObject): JsonObject[] {
  const [list, index, member] = Array.isArray(record.k) ? record.k : []
  if (list === 'requests' && index !== undefined)
    return member === 'result' ? [{ result: record.v }] : []
  const brought = list === 'requests' ? record.v : (record.requests ?? asObject(record.v)?.requests)
  return Array.isArray(brought)
    ? brought.map(asObject).filter((request) => request !== undefined)
    : []
}
