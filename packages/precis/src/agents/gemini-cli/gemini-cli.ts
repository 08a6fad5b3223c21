import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { quietly } from '../../files/errors.ts'
import { asCount, asObject, asText, parseObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Agent, Environment, ListedSession, Piece, PlacementRequest } from '../shared/agent.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import {
  changeDirectory,
  listFiles,
  listFolder,
  resolveRealPlace,
  uuidIds,
} from '../shared/session-files.ts'
import {
  readDocumentTimes,
  readLineTimes,
  readLineTitle,
  type TitleReader,
} from '../shared/session-lines.ts'
import { findListElements, readWholeLines, splitAround, splitJson } from '../shared/split-lines.ts'
import { readCompactions } from './compactions.ts'
import { installation } from './installation.ts'
import { launch } from './launch.ts'
import { findFolder } from './settings.ts'
import { countContext, isLog, isLogFile, readChatHead, readChatRequests } from './stored-chat.ts'
import { wire } from './wire.ts'

// Its first group is the beginning of the id.
const SESSION_FILE = /^session-.{1,40}-([0-9a-f]{8})\.jsonl?$/i
const COMPANION = /^session-.{1,40}-[0-9a-f]{8}\.\w{1,20}\.json$/i
const LEVELS = 2
const ID_DIGITS = 8

// If there are no tools, the provider refuses the empty list. This tool sees only the empty folder.
const TOOL = 'list_directory'
const SYSTEM = join('.gemini', 'system.md')
const NONE = 'none'

/**
 * Settings of a trusted folder override the user's settings, but the user's login stays. The mode
 * for plans uses the strongest model, and does not first ask another how hard the prompt is
 * (geminicli.com/docs/reference/configuration, tested with 0.61.0).
 */
const headless: Headless = {
  program: launch.program,
  install: launch.install,
  usualModel: 'gemini-2.5-pro',
  windowTokens: 1_000_000,
  plan: ({ folder, model }) => ({
    arguments: [
      '--output-format=json',
      '--skip-trust',
      '--approval-mode=plan',
      `--extensions=${NONE}`,
      `--allowed-mcp-server-names=${NONE}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    environment: { GEMINI_SYSTEM_MD: join(folder, SYSTEM), GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: {
      [SYSTEM]: ROLE,
      [join('.gemini', 'settings.json')]: JSON.stringify({
        hooksConfig: { enabled: false },
        tools: { core: [TOOL] },
        skills: { enabled: false },
        experimental: { enableAgents: false },
      }),
    },
  }),
  readAnswer(output) {
    const found = parseObject(Buffer.from(output.slice(Math.max(0, output.indexOf('{')))))
    const message = asText(asObject(found?.error)?.message)
    if (message !== undefined) return { type: 'failed', message }
    const text = asText(found?.response)
    if (text === undefined) return undefined
    const models = Object.values(asObject(asObject(found?.stats)?.models) ?? {})
    const tokens = models.map((model) => asObject(asObject(model)?.tokens) ?? {})
    const sum = (name: string) => tokens.reduce((total, each) => total + asCount(each[name]), 0)
    return {
      type: 'text',
      text,
      inputTokens: sum('prompt'),
      outputTokens: sum('candidates') + sum('thoughts'),
    }
  },
  /** It keeps a chat of every start, in folders named after the folder in which it runs. */
  forget({ environment, folder }) {
    for (const kind of ['tmp', 'history']) {
      const path = join(findFolder(environment), kind, basename(folder))
      const root = quietly(() => readInputFile(join(path, '.project_root')).toString('utf8'))
      if (root?.trim() === folder) quietly(() => rmSync(path, { recursive: true, force: true }))
    }
  },
}

/**
 * `~/.gemini/tmp/<project>/chats/session-2026-11-21T18-27-<beginning of the id>.jsonl`, or `.json`
 * in older versions
 */
export const geminiCli: Agent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  aliases: ['gemini'],
  format: formats['gemini-cli'],
  ids: { ...uuidIds, charactersInNames: ID_DIGITS },
  homeVariables: ['GEMINI_CLI_HOME'],
  findHome,
  list: (environment, isWanted) =>
    dropStarts(
      listFiles(
        findHome(environment),
        { levels: [LEVELS, LEVELS], pattern: SESSION_FILE },
        isWanted,
      ),
    ),
  findWorkingDirectory: findProjectRoot,
  readHead: readChatHead,
  readTitle: (source) => readLineTitle(source, TITLES),
  readContextTokens: countContext,
  readTimes: (source) =>
    readLineTimes(source) ??
    readDocumentTimes(source, ({ startTime, lastUpdated }) => [startTime, lastUpdated]),
  readRequests: readChatRequests,
  readCompactions,
  isLog,
  splitRecords: (source) => (isLog(source) ? splitLog(source) : splitJson(source)),
  place,
  resume: ({ directory, sessionId }) => changeDirectory(directory, `gemini --resume ${sessionId}`),
  takesForSession: (name) => COMPANION.test(name),
  installation,
  headless,
  wire,
}

function findHome({ GEMINI_CLI_HOME }: Environment): string {
  return resolve(GEMINI_CLI_HOME || homedir(), '.gemini', 'tmp')
}

/**
 * Keeps one file for each session. Every resume leaves a second, empty file with the same id. A
 * session of an older version continues in a log next to its first file.
 *
 *   session-2026-11-21T18-27-1fe6fa35.json     ┐ the log holds all of it
 *   session-2026-11-21T18-27-1fe6fa35.jsonl    ┘
 *   session-2026-11-21T18-28-1fe6fa35.jsonl      a start, much smaller
 */
function dropStarts(files: readonly ListedSession[]): ListedSession[] {
  const paths = new Set(files.map(({ path }) => path))
  const largest = new Map<string, ListedSession>()
  for (const file of files) {
    if (paths.has(`${file.path}l`)) continue
    const key = `${dirname(file.path)} ${file.id}`
    const other = largest.get(key)
    if (!other || other.bytes < file.bytes) largest.set(key, file)
  }
  return [...largest.values()]
}

const TITLES: TitleReader = {
  fields: ['"summary"'],
  read: ({ summary, $set }) => summary ?? asObject($set)?.summary,
}

/**
 * After `gemini --resume`, one line holds the whole history. Such a line is split like JSON. Its
 * messages are counted after the line itself.
 */
function* splitLog(source: ByteSource): Generator<Piece> {
  let next = 0
  for (const bytes of readWholeLines(source)) {
    const line = next++
    const { path, messages } = findNested(bytes)
    const records = messages.map((message) =>
      typeof asObject(message)?.id === 'string' ? [next++] : [],
    )
    const elements = messages.length > 0 ? findListElements(bytes, [path]) : []
    // If a key is escaped or occurs twice, the line stays whole.
    if (elements.length === 0 || elements.length !== messages.length)
      yield { bytes, records: [line, ...records.flat()] }
    else yield* splitAround(bytes, elements, (index) => records[index] ?? [])
  }
}

interface NestedMessages {
  /** Keys that lead to their list. */
  readonly path: readonly string[]
  readonly messages: readonly unknown[]
}

function findNested(line: Buffer): NestedMessages {
  const value = parseObject(line)
  if (!value || typeof value.$rewindTo === 'string' || typeof value.id === 'string')
    return { path: [], messages: [] }
  const set = asObject(value.$set)
  const isSession = typeof value.sessionId === 'string' && typeof value.projectHash === 'string'
  const messages = set ? set.messages : isSession ? value.messages : undefined
  return {
    path: set ? ['$set', 'messages'] : ['messages'],
    messages: Array.isArray(messages) ? messages : [],
  }
}

/**
 * Next to the original if that is a chat of a project. A session of one object stays one object. A
 * log continues line by line, and must begin as a log.
 *
 * A resume first begins a file that is named after its minute and the same id. In a file of that
 * name it would hide all messages until it stores them again, so the name has the minute before.
 */
function place({
  sessionId,
  time,
  originalPath,
  directory,
  environment,
}: PlacementRequest): string {
  const projects = resolveRealPlace(findHome(environment))
  const original = originalPath === undefined ? undefined : dirname(originalPath)
  const isAtHome =
    original !== undefined &&
    basename(original) === CHATS &&
    dirname(dirname(original)) === projects
  const folder = isAtHome
    ? original
    : findChatsFolder(projects, directory ?? resolveRealPlace(process.cwd()))
  const extension = originalPath === undefined || isLogFile(originalPath) ? 'jsonl' : 'json'
  const start = new Date(time.getTime() - MINUTE_MS).toISOString().slice(0, 16).replace(':', '-')
  return join(folder, `session-${start}-${sessionId.slice(0, ID_DIGITS)}.${extension}`)
}

const MINUTE_MS = 60_000

// Each project has a folder with a short name. A file in it names the project's directory.
const CHATS = 'chats'
const MARKER = '.project_root'
const MOST_PATH_BYTES = 1 << 12

/**
 * The directory that the chats next to this one belong to. Undefined in folders of older versions,
 * which are named by a hash.
 */
function findProjectRoot(chatPath: string): string | undefined {
  const chats = dirname(chatPath)
  return basename(chats) === CHATS ? readMarker(dirname(chats)) : undefined
}

/**
 * The folder in which Gemini CLI looks for chats of a directory, or will look after its first start
 * there.
 */
function findChatsFolder(projectsDirectory: string, directory: string): string {
  const names = listFolder(projectsDirectory).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  const known = names.find((name) => readMarker(join(projectsDirectory, name)) === directory)
  const taken = new Set(names)
  const slug = toSlug(basename(directory))
  let name = known ?? slug
  // The same numbers as Gemini CLI uses.
  for (let count = 1; known === undefined && taken.has(name); count++) name = `${slug}-${count}`
  return join(projectsDirectory, name, CHATS)
}

function toSlug(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug || 'project'
}

function readMarker(folder: string): string | undefined {
  try {
    const bytes = readInputFile(join(folder, MARKER))
    const root = bytes.length > MOST_PATH_BYTES ? '' : bytes.toString('utf8').trim()
    return isAbsolute(root) ? root : undefined
  } catch {
    // Older versions have no such file.
    return undefined
  }
}
