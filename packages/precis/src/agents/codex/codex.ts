import { appendFileSync, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Part } from '@precis/core'
import { type ByteSource, formats } from '@precis/core/formats'
import { explainSystemError, quietly } from '../../files/errors.ts'
import {
  asCount,
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import { renderLocalTime } from '../../files/user-folders.ts'
import type {
  Agent,
  BilledRequest,
  Environment,
  ListedTitle,
  SessionHead,
} from '../shared/agent.ts'
import { readAnswerParts, splitPrompt } from '../shared/billed.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { changeDirectory, uuidIds } from '../shared/session-files.ts'
import {
  readLineHead,
  readLineTimes,
  readLineTokens,
  readObjectLines,
  readPrompt,
  readTime,
} from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'
import { readCompactions } from './compactions.ts'
import { completeThread, findArchive, findHome, listThreads } from './complete-thread.ts'
import { installation } from './installation.ts'
import { findFolder, launch } from './launch.ts'
import { readTimeline } from './timeline.ts'
import { wire } from './wire.ts'

/**
 * The user's settings stay, because they name the provider. Each of their servers is turned off
 * (`codex exec --help` and `codex features list`, tested with 0.169.0).
 */
const headless: Headless = {
  program: launch.program,
  install: launch.install,
  usualModel: 'gpt-5-codex',
  windowTokens: 258_000,
  plan({ folder, environment, model }) {
    const settings = [
      'notify=[]',
      'web_search="disabled"',
      'project_doc_max_bytes=0',
      'include_environment_context=false',
      'include_permissions_instructions=false',
      'skills.include_instructions=false',
      `model_instructions_file=${JSON.stringify(join(folder, INSTRUCTIONS))}`,
      ...FEATURES.map((name) => `features.${name}=false`),
      ...listServers(environment).map((name) => `mcp_servers.${name}.enabled=false`),
    ]
    return {
      arguments: [
        'exec',
        '--json',
        '--ephemeral',
        '--skip-git-repo-check',
        '--ignore-rules',
        '--sandbox=read-only',
        '--color=never',
        ...settings.map((setting) => `--config=${setting}`),
        ...(model === undefined ? [] : [`--model=${model}`]),
        '-',
      ],
      files: { [INSTRUCTIONS]: ROLE },
    }
  },
  readAnswer(output) {
    const events = readObjectLines(output)
    const failed = events.findLast(({ type }) => type === 'turn.failed')
    if (failed) return { type: 'failed', message: asText(asObject(failed.error)?.message) }
    const said = events.flatMap(({ item }) =>
      asObject(item)?.type === 'agent_message' ? (asText(asObject(item)?.text) ?? []) : [],
    )
    const usage = asObject(events.findLast(({ type }) => type === 'turn.completed')?.usage)
    const text = said.at(-1)
    if (text === undefined || usage === undefined) return undefined
    return {
      type: 'text',
      text,
      inputTokens: asCount(usage.input_tokens),
      outputTokens: asCount(usage.output_tokens),
    }
  },
}

/** `~/.codex/sessions/2026/11/22/rollout-2026-11-22T10-05-07-<id>.jsonl`, in local time */
export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  format: formats.codex,
  ids: uuidIds,
  homeVariables: ['CODEX_HOME'],
  findHome,
  list: listThreads,
  findSetAside: (path, environment) => join(findArchive(environment), basename(path)),
  completeSession: completeThread,
  readHead: (source) => readLineHead(source, readEntryHead),
  readContextTokens: (source) =>
    readLineTokens(source, ['"token_count"', '"compacted"'], countEntry),
  readWindowTokens,
  readTimes: readLineTimes,
  readRequests,
  readTimeline,
  readCompactions,
  isLog: () => true,
  splitRecords: splitLines,
  holdsContent: ({ type, payload }) =>
    !asObject(payload) || (typeof type === 'string' && CONTENT_TYPES.has(type)),
  place({ sessionId, time, environment }) {
    const local = renderLocalTime(time)
    const folders = local.slice(0, 10).split('-')
    return join(
      findHome(environment),
      ...folders,
      `rollout-${local.replaceAll(':', '-')}-${sessionId}.jsonl`,
    )
  },
  resume: ({ directory, sessionId }) => changeDirectory(directory, `codex resume ${sessionId}`),
  register: (_, newSession, environment) =>
    nameThread(join(dirname(findHome(environment)), 'session_index.jsonl'), newSession),
  installation,
  headless,
  wire,
}

// Events repeat the same content.
const CONTENT_TYPES = new Set(['response_item', 'compacted'])

function readEntryHead(entry: JsonObject): Partial<SessionHead> {
  const payload = asObject(entry.payload) ?? {}
  if (entry.type === 'session_meta') {
    return { sessionId: asText(payload.id), workingDirectory: asText(payload.cwd) }
  }
  if (entry.type === 'event_msg' && payload.type === 'user_message')
    return { firstPrompt: readPrompt(payload.message) }
  const isMessage =
    entry.type === 'response_item' && payload.type === 'message' && payload.role === 'user'
  return isMessage ? { firstPrompt: readPrompt(payload.content) } : {}
}

function countEntry(entry: JsonObject): number | undefined {
  if (entry.type === 'compacted') return undefined
  const payload = asObject(entry.payload)
  if (payload?.type !== 'token_count') return 0
  return asCount(asObject(asObject(payload.info)?.last_token_usage)?.total_tokens)
}

function readRequests(source: ByteSource): BilledRequest[] {
  const requests: BilledRequest[] = []
  let model = ''
  let lastTotal = 0
  let line = -1
  // The numbers come after the items of the answer.
  let record = -1
  let items: Buffer[] = []
  let owner = ''
  for (const bytes of readLines(source)) {
    line++
    if (bytes.includes('"response_item"')) {
      record = line
      if (!bytes.includes('_output"')) items.push(bytes)
      continue
    }
    if (!MARKS.some((mark) => bytes.includes(mark))) continue
    const entry = parseObject(bytes)
    const payload = asObject(entry?.payload)
    if (entry?.type === 'session_meta')
      owner = asText(payload?.forked_from_id) ?? asText(payload?.id) ?? owner
    if (payload?.type === 'task_started' || entry?.type === 'turn_context')
      owner = asText(payload?.turn_id) ?? owner
    if (entry?.type === 'turn_context') model = asText(payload?.model) ?? model
    if (payload?.type !== 'token_count') continue
    const info = asObject(payload.info)
    const total = asCount(asObject(info?.total_token_usage)?.total_tokens)
    const usage = asObject(info?.last_token_usage)
    // If only the rate limits change, the same numbers are written again.
    if (!usage || total === lastTotal) continue
    lastTotal = total
    // The last part of the answer.
    let last: Part | undefined
    for (let item = items.pop(); item && !last; item = items.pop()) last = readItem(item).at(-1)
    items = []
    const id = [owner, total, JSON.stringify(usage), JSON.stringify(last)].join(' ')
    const timeMs = readTime(entry?.timestamp)
    requests.push({ ...createRequest(model, record, usage), id, timeMs })
  }
  return requests
}

/**
 * A fork writes items and numbers again, with other times. The turn that they belong to stays.
 * Before turns had ids, the first forked thread stays, which is named last.
 */
const MARKS = ['"token_count"', '"turn_context"', '"task_started"', '"session_meta"']

/** The parts of an item by the model. Ignores items of the user and of tools. */
function readItem(line: Buffer): Part[] {
  const payload = asObject(parseObject(line)?.payload)
  if (payload?.type === 'message')
    return payload.role === 'assistant' ? readAnswerParts(payload.content) : []
  return readAnswerParts([payload])
}

/** Every count of tokens contains it. The latest one counts. */
function readWindowTokens(source: ByteSource): number | undefined {
  let counted: Buffer | undefined
  for (const line of readLines(source)) if (line.includes('"model_context_window"')) counted = line
  const info = asObject(asObject(counted && parseObject(counted)?.payload)?.info)
  return asCount(info?.model_context_window) || undefined
}

function createRequest(model: string, record: number, usage: JsonObject): BilledRequest {
  return {
    model,
    record,
    ...splitPrompt(usage.input_tokens, usage.cached_input_tokens),
    output: asCount(usage.output_tokens),
  }
}

const LINE_FEED = 0x0a

// "/rename" keeps names here. It adds a line, and the last line of an id counts.
function nameThread(
  path: string,
  { sessionId, title, timestamp }: ListedTitle,
): string | undefined {
  const line = `${JSON.stringify({ id: sessionId, thread_name: title, updated_at: timestamp })}\n`
  try {
    // Opening a pipe must not wait for its other end.
    const flags =
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)
    const descriptor = openSync(path, flags, 0o600)
    try {
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) return `Codex lists it without a name: "${path}" is no file`
      const last = Buffer.alloc(1, LINE_FEED)
      if (stats.size > 0) readSync(descriptor, last, 0, 1, stats.size - 1)
      // If the last write was incomplete, the new line needs a line feed before it.
      appendFileSync(descriptor, last[0] === LINE_FEED ? line : `\n${line}`)
    } finally {
      closeSync(descriptor)
    }
    return undefined
  } catch (error) {
    return `Codex lists it without a name: writing "${path}" failed, ${explainSystemError(error)}`
  }
}

// Features that give the model tools, or run what the user installed.
const FEATURES = [
  'apps',
  'goals',
  'hooks',
  'image_generation',
  'multi_agent',
  'plugins',
  'shell_tool',
  'skill_search',
  'tool_suggest',
  'unified_exec',
]
const INSTRUCTIONS = 'instructions.md'

const SERVER = /^[ \t]*\[[ \t]*mcp_servers\.([\w-]+|"[^"\\\n]+")[ \t.\]]/gm

/** By the tables of its `config.toml`. */
function listServers(environment: Environment): string[] {
  const path = join(findFolder(environment), 'config.toml')
  const text = quietly(() => readInputFile(path).toString('utf8')) ?? ''
  return [...new Set(Array.from(text.matchAll(SERVER), ([, name = '']) => name))]
}
