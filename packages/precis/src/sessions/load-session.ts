import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Conversation } from '@precis/core'
import {
  type ByteSource,
  detectFormat,
  type Format,
  FormatError,
  type FormatName,
  formats,
} from '@precis/core/formats'
import { agents as allAgents } from '../agents/index.ts'
import type { Agent, SessionHead, Timeline } from '../agents/shared/agent.ts'
import { asCount, asObject, type JsonObject, parseObject, readLines } from '../files/lines.ts'
import { type OpenDocument, openStandardInput } from '../files/read-document.ts'
import {
  completeDocument,
  findAgent,
  findSessionPath,
  openSession,
  type SessionFile,
} from './find-sessions.ts'

export const STANDARD_INPUT = '-'

/** A parsed document that stays open: messages without edits are read again when it is written. */
export interface LoadedSession {
  /** As it was asked for. */
  readonly name: string
  readonly document: OpenDocument
  readonly format: Format
  readonly conversation: Conversation
  /** Undefined for message formats. */
  readonly agent: Agent | undefined
  readonly head: SessionHead | undefined
  /** The agent's name for it, as lists show it. */
  readonly title?: string | undefined
  /** The format that it was read in, if it will be written in another. */
  readonly convertedFrom?: string
  /** `provider/model` for the command that resumes it, if its agent needs it to continue. */
  readonly resumeModel?: string
  readonly damage: Damage
}

/** Damaged parts of a session, which are not in the conversation. */
export interface Damage {
  /** Lines without a record, except a line that is cut off. */
  readonly lines: number
  /** Their numbers, from 1. If there are many, only the first ones. */
  readonly lineNumbers: readonly number[]
  /** Bytes of a last line that is not JSON: a write that never ended. */
  readonly cutOffBytes: number
  /** Unreadable messages and parts of a stored session. Missing if there are none. */
  readonly records?: number
}

export const NO_DAMAGE: Damage = { lines: 0, lineNumbers: [], cutOffBytes: 0 }

/**
 * Loads a path, `-` for standard input, or an agent's session by id or unique prefix. Recognizes
 * the format if it is not given.
 */
export async function loadSession(
  name: string,
  format?: FormatName,
  agents = allAgents,
): Promise<LoadedSession> {
  const document =
    name === STANDARD_INPUT
      ? await openStandardInput()
      : await openSession(findSessionPath(name, agents), agents)
  const session = loadDocument(name, document, format, agents)
  // An interruption meanwhile gets through here.
  await setImmediate()
  return session
}

/** Closes the document when it cannot be read. `name` is for messages. */
export function loadDocument(
  name: string,
  opened: OpenDocument,
  formatName?: FormatName,
  agents = allAgents,
): LoadedSession {
  try {
    const { path, damagedRecords: records = 0 } = opened
    const format = formats[formatName ?? detectFormat(opened.source)]
    const agent = findAgent(format.name, path, agents)
    const document = completeDocument(opened, agent)
    const { source } = document
    const conversation = locate(format.parse(source), path, agent)
    return {
      name,
      document,
      format,
      conversation,
      agent,
      head: agent && readHead(agent, document),
      title: agent?.readTitle?.(source),
      damage: {
        ...(agent ? findDamage(source, agent) : NO_DAMAGE),
        ...(records > 0 && { records }),
      },
    }
  } catch (error) {
    opened.close()
    throw error instanceof FormatError
      ? new FormatError(error.code, `Reading "${name}" failed. ${error.message}`)
      : error
  }
}

/** Some sessions have an id only in the name of their file. */
function readHead(agent: Agent, { source, path = '' }: OpenDocument): SessionHead {
  const head = agent.readHead(source)
  const [name = ''] = basename(path).split('.', 1)
  const sessionId = head.sessionId ?? (agent.ids.whole.test(name) ? name : undefined)
  return { ...head, sessionId }
}

/** The folder of a session may name its working directory when the session does not. */
function locate(
  conversation: Conversation,
  path: string | undefined,
  agent: Agent | undefined,
): Conversation {
  const found = path === undefined ? undefined : agent?.findWorkingDirectory?.(path)
  const workingDirectory = conversation.workingDirectory ?? found
  return workingDirectory === undefined ? conversation : { ...conversation, workingDirectory }
}

export const MOST_LINE_NUMBERS = 10
const LINE_FEED = 0x0a

export async function readFileDamage({ path, agent }: SessionFile): Promise<Damage> {
  const document = await openSession(path)
  try {
    return findDamage(document.source, agent)
  } finally {
    document.close()
  }
}

/** In a session of lines an object has to be on every one that is not blank. */
function findDamage(source: ByteSource, agent: Agent): Damage {
  if (!agent.isLog(source)) return NO_DAMAGE
  const lineNumbers: number[] = []
  let lines = 0
  let number = 0
  let lastBytes = 0
  for (const line of readLines(source)) {
    number++
    lastBytes = 0
    if (parseObject(line) || line.toString('utf8').trim() === '') continue
    lines++
    lastBytes = line.length
    if (lineNumbers.length < MOST_LINE_NUMBERS) lineNumbers.push(number)
  }
  const isCutOff =
    lastBytes > 0 && source.read(source.byteLength - 1, source.byteLength)[0] !== LINE_FEED
  if (!isCutOff) return { lines, lineNumbers, cutOffBytes: 0 }
  return {
    lines: lines - 1,
    lineNumbers: lineNumbers.filter((each) => each !== number),
    cutOffBytes: lastBytes,
  }
}

export const isDamaged = ({ lines, cutOffBytes, records = 0 }: Damage): boolean =>
  lines + cutOffBytes + records > 0

/** For JSON. Empty if the session is whole. */
export function toDamageJson({ damage }: { readonly damage: Damage }): { damage?: Damage } {
  return isDamaged(damage) ? { damage } : {}
}

/** From what `toDamageJson` gave. */
export function readDamageJson(json: JsonObject): Damage {
  const { lines, lineNumbers, cutOffBytes, records } = asObject(json.damage) ?? {}
  const numbers: readonly unknown[] = Array.isArray(lineNumbers) ? lineNumbers : []
  const damage = {
    lines: asCount(lines),
    lineNumbers: numbers.map(asCount),
    cutOffBytes: asCount(cutOffBytes),
  }
  return records === undefined ? damage : { ...damage, records: asCount(records) }
}

/** `line 7`, `lines 7, 12`, `lines 7, 12 and 2315 more`. */
export function renderDamagedLines({ lines, lineNumbers }: Damage): string {
  const more = lines - lineNumbers.length
  return `${lines === 1 ? 'line' : 'lines'} ${lineNumbers.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/**
 * Everything that was said in a session, with its agent's own compactions undone. If that is not
 * available, the messages that would be sent now.
 */
export function readTimeline({ agent, conversation, document }: LoadedSession): Timeline {
  if (agent?.readTimeline) return agent.readTimeline(document.source)
  const timed = conversation.messages.map((message) => ({
    message,
    timeMs: undefined,
    records: message.records ?? [],
  }))
  return { timed, compactions: 0 }
}
