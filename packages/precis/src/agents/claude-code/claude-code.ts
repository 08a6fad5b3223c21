import { basename, dirname, join, resolve } from 'node:path'
import { formats } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import type { Agent, Environment, SessionHead } from '../shared/agent.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { changeDirectory, findProjectName, listFiles, uuidIds } from '../shared/session-files.ts'
import {
  readLineHead,
  readLineTimes,
  readLineTitle,
  readLineTokens,
  readPrompt,
  type TitleReader,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { readCompactions } from './compactions.ts'
import { findFolder, installation } from './installation.ts'
import { launch } from './launch.ts'
import { readFixed, readRequests, readSums, readWindowTokens } from './requests.ts'
import { isWrittenByMod, readTimeline } from './timeline.ts'
import { wire } from './wire.ts'

// The folder has other files too: transcripts of subagents, and indexes.
const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i

/**
 * `--safe-mode` leaves out hooks, plugins, servers and memory, and keeps the settings that log in
 * (`claude --help`, tested with 2.1.332).
 */
const headless: Headless = {
  program: launch.program,
  install: launch.install,
  usualModel: 'claude-opus-4-8',
  windowTokens: 200_000,
  plan: ({ model }) => ({
    arguments: [
      '--print',
      '--output-format=json',
      '--safe-mode',
      '--strict-mcp-config',
      '--tools=',
      '--disable-slash-commands',
      '--no-session-persistence',
      `--system-prompt=${ROLE}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    // Ten by default, which takes minutes for a login that has expired.
    environment: { CLAUDE_CODE_MAX_RETRIES: '3' },
  }),
  readAnswer(output) {
    const found = parseObject(Buffer.from(output))
    const text = asText(found?.result)
    if (found?.type !== 'result') return undefined
    if (found.is_error === true || text === undefined)
      return { type: 'failed', message: text ?? asText(found.subtype) }
    const usage = asObject(found.usage) ?? {}
    return {
      type: 'text',
      text,
      isCutOff: found.stop_reason === 'max_tokens',
      inputTokens: countInput(usage),
      outputTokens: asCount(usage.output_tokens),
    }
  },
}

/** `~/.claude/projects/<directory>/<id>.jsonl` */
export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  aliases: ['claude'],
  format: formats['claude-code'],
  ids: uuidIds,
  homeVariables: ['CLAUDE_CONFIG_DIR'],
  findHome,
  list: (environment, isWanted) =>
    listFiles(findHome(environment), { levels: [1, 1], pattern: SESSION_FILE }, isWanted),
  readHead: (source) => readLineHead(source, readEntryHead),
  readTitle: (source) => readLineTitle(source, TITLES),
  readContextTokens: (source) =>
    readLineTokens(source, ['"usage"', '"isCompactSummary"', '"rowSource":"hook"'], countEntry),
  readWindowTokens,
  readTimes: readLineTimes,
  readRequests,
  readSums,
  readFixed,
  readTimeline,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  holdsContent: ({ type }) => typeof type !== 'string' || !OTHER_TYPES.has(type),
  place(request) {
    const home = findHome(request.environment)
    return join(home, findProjectName(home, request, nameFolder), `${request.sessionId}.jsonl`)
  },
  resume: ({ directory, sessionId, path }) =>
    changeDirectory(findStart(directory, path), `claude --resume ${sessionId}`),
  installation,
  headless,
  wire,
}

function findHome(environment: Environment): string {
  return resolve(findFolder(environment), 'projects')
}

// Records about the session, and second copies of messages.
const OTHER_TYPES = new Set([
  'progress',
  'file-history-snapshot',
  'queue-operation',
  'last-prompt',
  'mode',
  'atis-latch',
  'tools-used',
  'cost-state',
  // Since 2.1.332: each request as it was sent, so every message occurs a second time.
  'api-request',
  'api-request-shape',
  'api-request-blob',
])

function readEntryHead(entry: JsonObject): Partial<SessionHead> {
  const { type, isMeta, isSidechain, isCompactSummary } = entry
  const isOwn = isMeta !== true && isCompactSummary !== true && !isWrittenByMod(entry)
  const isPrompt = type === 'user' && isSidechain !== true && isOwn
  return {
    sessionId: asText(entry.sessionId),
    workingDirectory: asText(entry.cwd),
    firstPrompt: isPrompt ? readPrompt(asObject(entry.message)?.content) : undefined,
  }
}

const TITLE_RANKS: ReadonlyMap<unknown, number> = new Map([
  ['custom-title', 3],
  ['ai-title', 2],
  ['summary', 1],
])

const TITLES: TitleReader = {
  // The word without a value is in many lines. Names and values have no space between them.
  fields: ['"custom-title"', '"ai-title"', '"type":"summary"'],
  read({ type, customTitle, aiTitle, summary }) {
    if (type === 'custom-title') return customTitle
    if (type === 'ai-title') return aiTitle
    return type === 'summary' ? summary : undefined
  },
  rank: ({ type }) => TITLE_RANKS.get(type) ?? 0,
}

function countEntry(entry: JsonObject): number | undefined {
  if (entry.isCompactSummary === true || isWrittenByMod(entry)) return undefined
  const usage = asObject(asObject(entry.message)?.usage)
  if (!usage || entry.isSidechain === true) return 0
  return countInput(usage) + asCount(usage.output_tokens)
}

function countInput(usage: JsonObject): number {
  return (
    asCount(usage.input_tokens) +
    asCount(usage.cache_creation_input_tokens) +
    asCount(usage.cache_read_input_tokens)
  )
}

const MAX_FOLDER_NAME = 200

/** Where the session began. The agent may have gone to a folder below since. */
function findStart(directory: string | undefined, path: string): string | undefined {
  const project = basename(dirname(path))
  let start = directory
  while (start !== undefined && nameFolder(start) !== project)
    start = dirname(start) === start ? undefined : dirname(start)
  return start ?? directory
}

// A project's folder is named after its directory, with a hash if the name would be too long.
function nameFolder(directory: string): string {
  const name = directory.replace(/[^a-zA-Z0-9]/g, '-')
  if (name.length <= MAX_FOLDER_NAME) return name
  let hash = 0
  for (let index = 0; index < directory.length; index++)
    hash = ((hash << 5) - hash + directory.charCodeAt(index)) | 0
  return `${name.slice(0, MAX_FOLDER_NAME)}-${Math.abs(hash).toString(36)}`
}
