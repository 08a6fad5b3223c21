import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { reasonOf } from '../../files/errors.ts'
import { asCount, asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import { createTemporaryFile } from '../../files/temporary-file.ts'
import type {
  Agent,
  BilledRequest,
  Environment,
  ListedTitle,
  SessionHead,
} from '../shared/agent.ts'
import { readAnswerParts, splitPrompt } from '../shared/billed.ts'
import { changeDirectory, listFiles } from '../shared/session-files.ts'
import { NO_HEAD, readDocumentTimes, readPrompt, readTime } from '../shared/session-lines.ts'
import { splitJson } from '../shared/split-lines.ts'

const ID = /^\d{13}_[0-9a-z]{4,12}$/
const SESSION_FILE = /^(\d{13}_[0-9a-z]{4,12})\.messages\.json$/

/** `~/.cline/data/sessions/<id>/<id>.messages.json`, next to facts in `<id>.json` */
export const cline: Agent = {
  name: 'cline',
  title: 'Cline',
  format: formats.cline,
  ids: {
    create: createId,
    whole: ID,
    beginning: /^\d{3,13}(?:_[0-9a-z]{0,12})?$/,
  },
  homeVariables: [],
  findHome,
  list: () => listFiles(findHome(), { levels: [1, 1], pattern: SESSION_FILE }),
  findWorkingDirectory: (path) => asText(readFacts(path)?.cwd),
  readHead,
  readContextTokens: (source) => {
    const newest = readRequests(source).at(-1)
    return newest && newest.input + newest.cachedInput + newest.cacheWrite + newest.output
  },
  readTimes: (source) =>
    readDocumentTimes(source, ({ messages, updated_at: end }) => [
      Array.isArray(messages) ? asObject(messages[0])?.ts : undefined,
      end,
    ]),
  readRequests,
  isLog: () => false,
  splitRecords: splitJson,
  place: ({ sessionId }) => join(findHome(), sessionId, `${sessionId}.messages.json`),
  resume: ({ directory, sessionId }) => changeDirectory(directory, `cline --tui --id ${sessionId}`),
  register,
}

function findHome(): string {
  return resolve(homedir(), '.cline', 'data', 'sessions')
}

/** Milliseconds and five characters. */
function createId(uuid: string): string {
  const digits = BigInt(`0x${uuid.replaceAll('-', '')}`)
  return `${String(digits % 10n ** 13n).padStart(13, '1')}_${digits.toString(36).slice(-5)}`
}

function readSession(source: ByteSource): JsonObject | undefined {
  const { buffer, byteOffset, length } = source.read(0, source.byteLength)
  return parseObject(Buffer.from(buffer, byteOffset, length))
}

function listMessages(session: JsonObject | undefined): (JsonObject | undefined)[] {
  return Array.isArray(session?.messages) ? session.messages.map(asObject) : []
}

const INPUT = /^<user_input mode="[a-z]{1,20}">([\s\S]*)<\/user_input>$/

function readHead(source: ByteSource): SessionHead {
  const session = readSession(source)
  if (!session) return NO_HEAD
  const prompts = listMessages(session).flatMap((message) => {
    const content = message?.role === 'user' ? message.content : undefined
    const words = (Array.isArray(content) ? content : []).map((block: unknown) => {
      const text = asText(asObject(block)?.text) ?? ''
      return { text: INPUT.exec(text)?.[1] ?? text }
    })
    return readPrompt(words) ?? []
  })
  return {
    sessionId: asText(session.sessionId),
    workingDirectory: asText(session.cwd),
    firstPrompt: prompts[0],
  }
}

/** One for each answer with counts. */
function readRequests(source: ByteSource): BilledRequest[] {
  return listMessages(readSession(source)).flatMap((message, record) => {
    const metrics = asObject(message?.metrics)
    if (!metrics) return []
    return [
      {
        model: asText(asObject(message?.modelInfo)?.id) ?? '',
        record,
        timeMs: readTime(message?.ts),
        id: asText(message?.id),
        answer: readAnswerParts(message?.content),
        ...splitPrompt(metrics.inputTokens, metrics.cacheReadTokens, metrics.cacheWriteTokens),
        output: asCount(metrics.outputTokens),
      },
    ]
  })
}

/** The facts that Cline keeps next to the messages. */
function readFacts(path: string): JsonObject | undefined {
  try {
    return parseObject(readFileSync(path.replace(/\.messages\.json$/, '.json')))
  } catch {
    // A session without facts is still read.
    return undefined
  }
}

/** The model that Cline used last. A session of another agent continues with it. */
function readChosenModel(): { readonly provider: string; readonly model: string } {
  const path = join(dirname(findHome()), 'settings', 'providers.json')
  const settings = existsSync(path) ? parseObject(readFileSync(path)) : undefined
  const provider = asText(settings?.lastUsedProvider) ?? 'cline'
  const chosen = asObject(asObject(settings?.providers)?.[provider])
  return { provider, model: asText(asObject(chosen?.settings)?.model) ?? 'unknown' }
}

/** Without these facts, Cline 3.0.65 begins an empty session under the id. */
function register(
  path: string,
  { sessionId, title, timestamp }: ListedTitle,
  _: Environment,
  originalPath = '',
): string | undefined {
  const factsPath = path.replace(/\.messages\.json$/, '.json')
  if (existsSync(factsPath)) return undefined
  try {
    const session = parseObject(readFileSync(path))
    const original = SESSION_FILE.test(basename(originalPath)) ? readFacts(originalPath) : undefined
    const cwd = asText(original?.cwd) ?? asText(session?.cwd) ?? process.cwd()
    const facts = {
      version: 1,
      source: 'cli',
      ...readChosenModel(),
      interactive: true,
      workspace_root: cwd,
      enable_tools: true,
      enable_spawn: true,
      enable_teams: true,
      ...original,
      // The original may be running.
      pid: process.pid,
      exit_code: 0,
      status: 'completed',
      cwd,
      session_id: sessionId,
      started_at: timestamp,
      ended_at: timestamp,
      prompt: title,
      metadata: { title },
      messages_path: path,
    }
    const temporary = createTemporaryFile(factsPath)
    try {
      writeFileSync(temporary.path, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
      renameSync(temporary.path, factsPath)
    } finally {
      temporary.remove()
    }
    return undefined
  } catch (error) {
    const reason = reasonOf(error)
    return `Cline does not find it, because ${basename(factsPath)} could not be written: ${reason}`
  }
}
