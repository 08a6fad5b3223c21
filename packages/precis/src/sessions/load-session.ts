import { setImmediate } from 'node:timers/promises'
import type { Conversation } from '@precis/core'
import { type ByteSource, detectFormat, type Format, FormatError, type FormatName, formats } from '@precis/core/formats'
import { type Agent, type AgentHome, findAgentHome } from './agent-home.ts'
import { findWorkspaceFolder } from './copilot/list-copilot.ts'
import { findSessionPath } from './find-sessions.ts'
import { findProjectRoot } from './gemini-cli/project-folder.ts'
import { isLog } from './gemini-cli/stored-chat.ts'
import { asCount, asObject, type JsonObject, parseObject, readLines } from './lines.ts'
import { openSession } from './open-session.ts'
import { type OpenDocument, openStandardInput } from './read-document.ts'
import { readHead, type SessionHead } from './read-head.ts'

export const STANDARD_INPUT = '-'

/** A parsed document that stays open: what nobody edited is read again when it is written. */
export interface LoadedSession {
  /** As it was asked for. */
  readonly name: string
  readonly document: OpenDocument
  readonly format: Format
  readonly conversation: Conversation
  /** Undefined for message formats. */
  readonly home: AgentHome | undefined
  readonly head: SessionHead | undefined
  /** The format that it was read in, where that is not the one it will be written in. */
  readonly convertedFrom?: FormatName
  /** `provider/model` for the command that resumes it, where its agent would not go on without. */
  readonly resumeModel?: string
  readonly damage: Damage
}

/** The damaged lines of a session; they are no part of the conversation. */
export interface Damage {
  /** Lines that hold no record, but for one that is cut off. */
  readonly lines: number
  /** Their numbers, from 1; of many only the first ones. */
  readonly lineNumbers: readonly number[]
  /** Bytes of a last line that is no JSON: a write that never ended. */
  readonly cutOffBytes: number
}

export const NO_DAMAGE: Damage = { lines: 0, lineNumbers: [], cutOffBytes: 0 }

/** Loads a path, `-` for standard input, or an agent's session by id or unique prefix. Without a format it is recognised. */
export async function loadSession(name: string, format?: FormatName): Promise<LoadedSession> {
  const document = name === STANDARD_INPUT ? await openStandardInput() : await openSession(findSessionPath(name))
  const session = loadDocument(name, document, format)
  // An interruption meanwhile gets through here.
  await setImmediate()
  return session
}

/** Closes the document when it cannot be read. `name` is for messages. */
export function loadDocument(name: string, document: OpenDocument, formatName?: FormatName): LoadedSession {
  try {
    const { source } = document
    const format = formats[formatName ?? detectFormat(source)]
    const home = findAgentHome(format.name)
    const conversation = locate(format.parse(source), document.path)
    return {
      name,
      document,
      format,
      conversation,
      home,
      head: home && readHead(source, home.agent),
      damage: home ? findDamage(source, home.agent) : NO_DAMAGE,
    }
  } catch (error) {
    document.close()
    throw error instanceof FormatError
      ? new FormatError(error.code, `Reading "${name}" failed. ${error.message}`)
      : error
  }
}

/** Where the session does not tell of its working directory, its folder may. */
function locate(conversation: Conversation, path: string | undefined): Conversation {
  const told = path === undefined ? undefined : (findProjectRoot(path) ?? findWorkspaceFolder(path))
  const workingDirectory = conversation.workingDirectory ?? told
  return workingDirectory === undefined ? conversation : { ...conversation, workingDirectory }
}

export const MOST_LINE_NUMBERS = 10
const LINE_FEED = 0x0a

/** In a session of lines an object has to be on every one that is not blank. */
export function findDamage(source: ByteSource, agent: Agent): Damage {
  if (agent === 'opencode' || !isLog(source)) return NO_DAMAGE
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
  const isCutOff = lastBytes > 0 && source.read(source.byteLength - 1, source.byteLength)[0] !== LINE_FEED
  if (!isCutOff) return { lines, lineNumbers, cutOffBytes: 0 }
  return { lines: lines - 1, lineNumbers: lineNumbers.filter((each) => each !== number), cutOffBytes: lastBytes }
}

/** For JSON; nothing where the session is whole. */
export function toDamageJson({ damage }: { readonly damage: Damage }): { damage?: Damage } {
  return damage.lines > 0 || damage.cutOffBytes > 0 ? { damage } : {}
}

/** From what `toDamageJson` gave. */
export function readDamageJson(json: JsonObject): Damage {
  const { lines, lineNumbers, cutOffBytes } = asObject(json.damage) ?? {}
  const numbers: readonly unknown[] = Array.isArray(lineNumbers) ? lineNumbers : []
  return { lines: asCount(lines), lineNumbers: numbers.map(asCount), cutOffBytes: asCount(cutOffBytes) }
}

/** `line 7`, `lines 7, 12`, `lines 7, 12 and 2315 more`. */
export function renderDamagedLines({ lines, lineNumbers }: Damage): string {
  const more = lines - lineNumbers.length
  return `${lines === 1 ? 'line' : 'lines'} ${lineNumbers.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
