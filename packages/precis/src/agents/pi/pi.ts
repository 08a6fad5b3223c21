import { join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import {
  asCount,
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type {
  Agent,
  BilledRequest,
  Environment,
  PlacementRequest,
  RecordedCompaction,
  SessionHead,
} from '../shared/agent.ts'
import { nameByTime, readAnswerParts, sumTokens } from '../shared/billed.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { estimated, recorded } from '../shared/measured.ts'
import { asObjects } from '../shared/request-text.ts'
import {
  changeDirectory,
  findProjectName,
  listFiles,
  quoteForShell,
  uuidIds,
} from '../shared/session-files.ts'
import {
  readDate,
  readLineHead,
  readLineTimes,
  readLineTitle,
  readLineTokens,
  readMarkedRecords,
  readObjectLines,
  readPrompt,
  readTime,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { expandHome, findFolder } from './folder.ts'
import { findNextModel, installation } from './installation.ts'

// `pi --session-id` accepts an id that the user chose (docs/session-format.md of pi 1.5.2).
const ID = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?'
const SESSION_FILE = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT[\\d-]{6,18}Z_(${ID})\\.jsonl$`)

/** `pi --help`, tested with 0.73.1. */
const headless: Headless = {
  program: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  windowTokens: 128_000,
  // Each has the whole answer so far.
  repeats: '{"type":"message_update"',
  plan: ({ model }) => ({
    arguments: [
      '--print',
      '--mode',
      'json',
      '--no-tools',
      '--no-session',
      '--no-extensions',
      '--no-skills',
      '--no-prompt-templates',
      '--no-context-files',
      '--system-prompt',
      ROLE,
      ...(model === undefined ? [] : ['--model', model]),
    ],
  }),
  readAnswer(output) {
    const ended = readObjectLines(output).findLast(
      ({ type, message }) => type === 'message_end' && asObject(message)?.role === 'assistant',
    )
    const message = asObject(ended?.message)
    if (!message) return undefined
    if (message.stopReason === 'error' || message.stopReason === 'aborted')
      return { type: 'failed', message: asText(message.errorMessage) }
    const usage = asObject(message.usage) ?? {}
    return {
      type: 'text',
      text: (asObjects(message.content) ?? []).map(({ text }) => asText(text) ?? '').join(''),
      isCutOff: message.stopReason === 'length',
      inputTokens: asCount(usage.input) + asCount(usage.cacheRead) + asCount(usage.cacheWrite),
      outputTokens: asCount(usage.output),
    }
  },
}

/**
 * `~/.pi/agent/sessions/--<directory>--/<time>_<id>.jsonl`, or directly in a folder that the user
 * named
 */
export const pi: Agent = {
  name: 'pi',
  title: 'pi',
  format: formats.pi,
  // Has no dot, so that the name of a file never matches.
  ids: { ...uuidIds, whole: new RegExp(`^${ID}$`), beginning: /^[A-Za-z0-9][A-Za-z0-9_-]{2,63}$/ },
  homeVariables: ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR'],
  findHome: (environment) => findSessionFolder(environment).path,
  list: (environment, isWanted) =>
    listFiles(
      findSessionFolder(environment).path,
      { levels: [0, 1], pattern: SESSION_FILE },
      isWanted,
    ),
  readHead: (source) => readLineHead(source, readEntryHead),
  readTitle: (source) =>
    readLineTitle(source, {
      fields: ['"session_info"'],
      read: ({ type, name }) => (type === 'session_info' ? name : undefined),
    }),
  readContextTokens: (source) => readLineTokens(source, ['"usage"', '"compaction"'], countEntry),
  readTimes: readLineTimes,
  readRequests,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  place,
  resume({ sessionId, directory, model }) {
    const named = model === undefined ? '' : ` --model ${quoteForShell(model)}`
    return changeDirectory(directory, `pi --session ${sessionId}${named}`)
  },
  findNextModel,
  installation,
  headless,
}

interface SessionFolder {
  readonly path: string
  /** Whether there is no folder for each project. */
  readonly isFlat: boolean
}

/**
 * `PI_CODING_AGENT_SESSION_DIR`, else `sessionDir` of the settings, else `sessions` in the folder
 * of pi.
 */
function findSessionFolder(environment: Environment): SessionFolder {
  const folder = findFolder(environment)
  const named = environment.PI_CODING_AGENT_SESSION_DIR?.trim() || readSettings(folder)
  if (!named) return { path: resolve(folder, 'sessions'), isFlat: false }
  return { path: resolve(expandHome(named)), isFlat: true }
}

function readSettings(folder: string): string | undefined {
  try {
    return asText(parseObject(readInputFile(join(folder, 'settings.json')))?.sessionDir)?.trim()
  } catch {
    // Most users have no settings file.
    return undefined
  }
}

function readEntryHead(entry: JsonObject): Partial<SessionHead> {
  if (entry.type === 'session')
    return { sessionId: asText(entry.id), workingDirectory: asText(entry.cwd) }
  const message = asObject(entry.message)
  return message?.role === 'user' ? { firstPrompt: readPrompt(message.content) } : {}
}

function countEntry(entry: JsonObject): number | undefined {
  if (entry.type === 'compaction') return undefined
  const request = readRequest(entry)
  return request ? sumTokens(request) : 0
}

function place(request: PlacementRequest): string {
  const { path, isFlat } = findSessionFolder(request.environment)
  const folder = isFlat ? '' : findProjectName(path, request, nameFolder)
  return join(
    path,
    folder,
    `${request.time.toISOString().replace(/[:.]/g, '-')}_${request.sessionId}.jsonl`,
  )
}

function nameFolder(directory: string): string {
  return `--${directory.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`
}

function readCompactions(source: ByteSource): RecordedCompaction[] {
  const found: RecordedCompaction[] = []
  let record = -1
  for (const line of readLines(source)) {
    record++
    const last = found.at(-1)
    const entry = line.includes('"compaction"') ? parseObject(line) : undefined
    if (entry?.type === 'compaction') found.push(readCompaction(entry, record))
    else if (last && last.tokensAfter === undefined && line.includes('"usage"')) {
      const request = readRequest(parseObject(line) ?? {})
      const tokensAfter = request && estimated(sumTokens(request) - request.output)
      found.splice(-1, 1, { ...last, tokensAfter })
    }
  }
  return found
}

function readCompaction(entry: JsonObject, record: number): RecordedCompaction {
  const details = asObject(entry.details)
  const isOwn = details?.by === 'precis'
  const written = readWrittenSummary(
    (isOwn ? asText(details.summary) : undefined) ?? asText(entry.summary),
  )
  return {
    record,
    lastRecord: record,
    time: readDate(entry.timestamp),
    // Neither is recorded. The entry before it may be older by a pause of the user.
    trigger: undefined,
    durationMs: undefined,
    tokensBefore: recorded(asCount(entry.tokensBefore)),
    tokensAfter: undefined,
    ...written,
    by: isOwn ? 'precis' : written.by,
  }
}

function readRequests(source: ByteSource): BilledRequest[] {
  return [...readMarkedRecords(source, '"usage"')].flatMap(
    ([entry, record]) => readRequest(entry, record) ?? [],
  )
}

/** The tokens of an answer, on any branch. */
function readRequest(entry: JsonObject, record = -1): BilledRequest | undefined {
  const message = asObject(entry.message)
  const usage = asObject(message?.usage)
  const model = asText(message?.model)
  if (message?.role !== 'assistant' || !usage || !model) return undefined
  const request = {
    model,
    record,
    timeMs: readTime(entry.timestamp),
    id: asText(message.responseId) ?? nameByTime(entry.timestamp, usage),
    answer: readAnswerParts(message.content),
    input: asCount(usage.input),
    cachedInput: asCount(usage.cacheRead),
    cacheWrite: asCount(usage.cacheWrite),
    cacheWriteLong: 0,
    output: asCount(usage.output),
  }
  return sumTokens(request) > 0 ? request : undefined
}
