import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import type {
  Agent,
  BilledRequest,
  Environment,
  RecordedCompaction,
  SessionHead,
  Timeline,
} from '../shared/agent.ts'
import { readAnswerParts, splitPrompt } from '../shared/billed.ts'
import { answerByKeeping, createHookEntry, createMcpEntry } from '../shared/entry.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import type { Installation } from '../shared/installation.ts'
import { estimated, recorded } from '../shared/measured.ts'
import { asObjects } from '../shared/request-text.ts'
import { changeDirectory, findProjectName, listFiles, uuidIds } from '../shared/session-files.ts'
import {
  parseTimelineRows,
  readDate,
  readLineHead,
  readLineTimes,
  readLineTitle,
  readLineTokens,
  readMarkedRecords,
  readPrompt,
  readTime,
  readTimelineRows,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'

// The folder also has `<id>.runtime.json` of open sessions.
const SESSION_FILE = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i
const CHATS = 'chats'
const HOOK_SECONDS = 30

/** In `settings.json` (qwenlm.github.io/qwen-code-docs, MCP and hooks, tested with 0.24.4). */
const installation: Installation = {
  recallTool: 'mcp__precis__recall',
  bestWay: {
    commands: ['precis install qwen-code'],
    does: 'archives the session',
    cost: 'one request',
  },
  findTraces: (environment) => [findFolder(environment)],
  listEntries({ environment, command }) {
    const path = join(findFolder(environment), 'settings.json')
    return [
      createMcpEntry(path, ['mcpServers'], command),
      createHookEntry(
        {
          path,
          agent: 'qwen-code',
          event: 'PreCompact',
          timeout: HOOK_SECONDS,
          what: 'hook that keeps the session before it is compressed',
        },
        command,
      ),
    ]
  },
  answerHook: answerByKeeping,
}

/**
 * `--safe-mode` leaves out hooks, extensions, servers and memory, and keeps the login. Its own
 * tools stay, and the first call of one would end the run (`qwen --help`, tested with 0.24.4).
 */
const headless: Headless = {
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  windowTokens: 128_000,
  // It treats an answer that begins with a tag as a mistake of the model.
  closing: 'Begin your answer with the words "Here it is:".',
  plan: ({ model }) => ({
    arguments: [
      '--output-format=json',
      '--safe-mode',
      '--approval-mode=plan',
      '--max-tool-calls=0',
      '--chat-recording=false',
      `--system-prompt=${ROLE}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
  }),
  readAnswer(output) {
    const events = asObjects(parseObject(Buffer.from(`{"events":${output}}`))?.events)
    const found = events?.findLast(({ type }) => type === 'result')
    if (!found) return undefined
    const text = asText(found.result)
    if (found.is_error === true || text === undefined)
      return { type: 'failed', message: asText(asObject(found.error)?.message) ?? text }
    const usage = asObject(found.usage) ?? {}
    return {
      type: 'text',
      text,
      inputTokens: asCount(usage.input_tokens),
      outputTokens: asCount(usage.output_tokens),
    }
  },
}

/** `~/.qwen/projects/<directory>/chats/<id>.jsonl` */
export const qwenCode: Agent = {
  name: 'qwen-code',
  title: 'Qwen Code',
  aliases: ['qwen'],
  format: formats['qwen-code'],
  ids: uuidIds,
  homeVariables: ['QWEN_HOME', 'QWEN_RUNTIME_DIR'],
  findHome,
  list: (environment) =>
    listFiles(findHome(environment), { levels: [2, 2], pattern: SESSION_FILE }).filter(({ path }) =>
      /[\\/]chats[\\/][^\\/]+$/.test(path),
    ),
  readHead: (source) => readLineHead(source, readEntryHead),
  readTitle: (source) =>
    readLineTitle(source, {
      fields: ['"custom_title"'],
      read: ({ subtype, systemPayload }) =>
        subtype === 'custom_title' ? asObject(systemPayload)?.customTitle : undefined,
    }),
  readContextTokens: (source) =>
    readLineTokens(source, ['"usageMetadata"', '"chat_compression"'], countEntry),
  // Recorded with an answer, for models that Qwen Code knows.
  readWindowTokens: (source) =>
    readLineTokens(source, ['"contextWindowSize"'], (entry) => asCount(entry.contextWindowSize)),
  readTimes: readLineTimes,
  readRequests,
  readTimeline,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  holdsContent: ({ type, subtype }) => type !== 'system' || subtype === 'chat_compression',
  place(request) {
    const home = findHome(request.environment)
    const project = findProjectName(home, request, nameFolder)
    return join(home, project, CHATS, `${request.sessionId}.jsonl`)
  },
  resume: ({ directory, sessionId }) => changeDirectory(directory, `qwen --resume ${sessionId}`),
  installation,
  headless,
}

function findHome(environment: Environment): string {
  return resolve(environment.QWEN_RUNTIME_DIR || findFolder(environment), 'projects')
}

const nameFolder = (directory: string): string => directory.replace(/[^a-zA-Z0-9]/g, '-')

function readEntryHead(entry: JsonObject): Partial<SessionHead> {
  const { type, subtype, provenance, message } = entry
  const isTyped =
    type === 'user' &&
    subtype === undefined &&
    (provenance === undefined || provenance === 'real_user')
  return {
    sessionId: asText(entry.sessionId),
    workingDirectory: asText(entry.cwd),
    firstPrompt: isTyped ? readPrompt(asObject(message)?.parts) : undefined,
  }
}

/** Usage before a compression does not show the size after it. */
function countEntry(entry: JsonObject): number | undefined {
  if (isCompression(entry)) return undefined
  return asCount(asObject(entry.usageMetadata)?.totalTokenCount)
}

function readRequests(source: ByteSource): BilledRequest[] {
  const requests: BilledRequest[] = []
  for (const [entry, record] of readMarkedRecords(source, '"usageMetadata"')) {
    const usage = asObject(entry.usageMetadata)
    const model = asText(entry.model)
    if (!usage || model === undefined) continue
    const prompt = asCount(usage.promptTokenCount)
    // Some providers count thoughts as part of the answer.
    const output = asCount(usage.totalTokenCount) - prompt
    requests.push({
      model,
      record,
      timeMs: readTime(entry.timestamp),
      id: asText(entry.uuid),
      answer: readAnswerParts(asObject(entry.message)?.parts),
      ...splitPrompt(prompt, Math.min(asCount(usage.cachedContentTokenCount), prompt)),
      output: Math.max(output, asCount(usage.candidatesTokenCount)),
    })
  }
  return requests
}

function findFolder({ QWEN_HOME }: Environment): string {
  return QWEN_HOME || join(homedir(), '.qwen')
}

const isCompression = ({ type, subtype }: JsonObject): boolean =>
  type === 'system' && subtype === 'chat_compression'

function readCompactions(source: ByteSource): RecordedCompaction[] {
  return [...readMarkedRecords(source, '"chat_compression"')].flatMap(([entry, record]) =>
    isCompression(entry) ? [readCompaction(entry, record)] : [],
  )
}

const TRIGGERS: ReadonlyMap<unknown, RecordedCompaction['trigger']> = new Map([
  ['manual', 'manual'],
  ['auto', 'automatic'],
] as const)

function readCompaction(
  { timestamp, systemPayload }: JsonObject,
  record: number,
): RecordedCompaction {
  const payload = asObject(systemPayload)
  const info = asObject(payload?.info)
  const measure = (isEstimated: unknown) => (isEstimated === true ? estimated : recorded)
  return {
    record,
    lastRecord: record,
    time: readDate(timestamp),
    trigger: TRIGGERS.get(info?.triggerReason),
    durationMs: undefined,
    tokensBefore: measure(info?.originalTokenCountIsEstimated)(asCount(info?.originalTokenCount)),
    tokensAfter: measure(info?.newTokenCountIsEstimated)(asCount(info?.newTokenCount)),
    ...readWrittenSummary(readSummary(payload)),
  }
}

// Follows each summary, for the model.
const TRAILER = /\n\nResume the prior task using the summary above\. [^\n]{0,400}$/

function readSummary(payload: JsonObject | undefined): string | undefined {
  const history: unknown = payload?.compressedHistory
  const parts: unknown = Array.isArray(history) ? asObject(history[0])?.parts : undefined
  const text = Array.isArray(parts) ? asText(asObject(parts[0])?.text) : undefined
  return text?.replace(TRAILER, '')
}

/** The history as if nothing had been compressed. The result of a compression is not read. */
function readTimeline(source: ByteSource): Timeline {
  const rows = readTimelineRows(source)
  const plain = rows.map((row) =>
    isCompression(row.value)
      ? { ...row, line: JSON.stringify({ ...row.value, systemPayload: undefined }) }
      : row,
  )
  return {
    timed: parseTimelineRows(formats['qwen-code'], plain),
    compactions: rows.filter(({ value }) => isCompression(value)).length,
  }
}
