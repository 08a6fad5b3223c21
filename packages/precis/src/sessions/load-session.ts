import { setImmediate } from 'node:timers/promises'
import type { Conversation } from '@precis/core'
import { detectFormat, type Format, FormatError, type FormatName, formats } from '@precis/core/formats'
import { type AgentHome, findAgentHome } from './agent-home.ts'
import { findWorkspaceFolder } from './copilot/list-copilot.ts'
import { findSessionPath } from './find-sessions.ts'
import { findProjectRoot } from './gemini-cli/project-folder.ts'
import { isLog } from './gemini-cli/stored-chat.ts'
import { parseObject, readLines } from './lines.ts'
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
  /** Bytes of a last line that is no JSON: a write that never ended. */
  readonly cutOffBytes: number
}

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
      cutOffBytes: home && home.agent !== 'opencode' && isLog(source) ? measureCutOffLine(document) : 0,
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

const TAIL_BYTES = 1 << 20

function measureCutOffLine({ source }: OpenDocument): number {
  let last: Buffer | undefined
  for (const line of readLines(source, Math.max(source.byteLength - TAIL_BYTES, 0))) last = line
  const text = last?.toString('utf8').trim()
  return last && text && !parseObject(last) ? last.length : 0
}
