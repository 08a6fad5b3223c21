import { closeSync } from 'node:fs'
import type { Message } from '@precis/core'
import { isUserRequest } from '@precis/core/conversation'
import { type ByteSource, FormatError } from '@precis/core/formats'
import { redactSecrets } from '@precis/core/secrets'
import type { Agent, Description } from '../agents/shared/agent.ts'
import { systemErrorCode } from '../files/errors.ts'
import { readLines } from '../files/lines.ts'
import { createPeekSource, openInputFile } from '../files/read-document.ts'
import type { SessionFile } from './find-sessions.ts'

/**
 * A session as a list shows it. Unreadable values are undefined. Words are cut where they are very
 * long, and secrets in them are redacted.
 */
export interface DescribedSession extends SessionFile, Omit<Description, 'sessionId'> {}

/**
 * The agent's name for it, or else its first words. A session that precis wrote says so first, if a
 * list cuts nothing off. `madeBy` is the command that is known to have made it.
 */
export function nameSession(
  { title, firstPrompt }: Pick<DescribedSession, 'title' | 'firstPrompt'>,
  madeBy?: string,
): string | undefined {
  const { name, mark } = splitMark(title ?? firstPrompt ?? '')
  const known = madeBy === undefined ? '' : madeBy === 'clone' ? '(clone)' : '(compressed)'
  return [mark || known, name].filter(Boolean).join(' ') || undefined
}

/** The end of a title that precis gave. */
function splitMark(title: string): { readonly name: string; readonly mark: string } {
  const start = title.endsWith(')') ? title.lastIndexOf(' (') : -1
  const mark = start < 0 ? '' : title.slice(start + 1)
  return /^\((?:compressed|clone)/.test(mark)
    ? { name: title.slice(0, start), mark }
    : { name: title, mark: '' }
}

/**
 * Reads the beginning and the end of the file, never all of it, and nothing of one that is
 * described already.
 */
export function describeSession(file: SessionFile | DescribedSession): DescribedSession {
  if ('contextTokens' in file) return file
  const { agent, path } = file
  return describeBy(file, agent.store ? agent.store.describe(path) : describeFile(agent, path))
}

/** The same by its document, for a caller that opened it. */
export const describeDocument = (file: SessionFile, source: ByteSource): DescribedSession =>
  describeBy(file, readDescription(file.agent, source))

function describeBy(file: SessionFile, description: Description): DescribedSession {
  const { agent, path } = file
  const { sessionId, title, firstPrompt, contextTokens } = description
  // The name of a file may have only the beginning of the id that the session is resumed by.
  return {
    ...file,
    id: sessionId?.startsWith(file.id) ? sessionId : file.id,
    workingDirectory: description.workingDirectory ?? agent.findWorkingDirectory?.(path),
    title: title && redactSecrets(title.slice(0, LONGEST_TITLE)),
    firstPrompt: firstPrompt && redactSecrets(firstPrompt.slice(0, LONGEST_PROMPT)),
    contextTokens,
  }
}

const LONGEST_TITLE = 1000
// Users remember the beginning of a prompt that is a whole document.
const LONGEST_PROMPT = 10_000

const UNREADABLE: Description = {
  sessionId: undefined,
  workingDirectory: undefined,
  firstPrompt: undefined,
  title: undefined,
  contextTokens: undefined,
}

function describeFile(agent: Agent, path: string): Description {
  return readFile(path, (source) => readDescription(agent, source)) ?? UNREADABLE
}

const readDescription = (agent: Agent, source: ByteSource): Description => ({
  ...agent.readHead(source),
  title: agent.readTitle?.(source),
  contextTokens: agent.readContextTokens?.(source),
})

/** The last words of either side. Undefined if the end of the session does not contain them. */
export interface LastWords {
  readonly user: string | undefined
  readonly agent: string | undefined
}

const NO_WORDS: LastWords = { user: undefined, agent: undefined }
// Read between two keys.
const END_BYTES = 1 << 18
const LONG_END_BYTES = 1 << 20

/**
 * Reads the last 256 KB, or the last megabyte if the agent worked that long. Reads nothing of a
 * longer session that is not a file of lines.
 */
export function readLastWords({ agent, path }: SessionFile): LastWords {
  if (agent.store) return NO_WORDS
  const words = readFile(path, (source) => {
    const last = readWordsOfEnd(agent, source, END_BYTES)
    return last.user === undefined ? readWordsOfEnd(agent, source, LONG_END_BYTES) : last
  })
  return words ?? NO_WORDS
}

function readWordsOfEnd(agent: Agent, source: ByteSource, bytes: number): LastWords {
  const start = Math.max(0, source.byteLength - bytes)
  if (start > 0 && !agent.isLog(source)) return NO_WORDS
  const end = Buffer.from(source.read(start, source.byteLength))
  const head = start > 0 ? readFirstLine(source) : ''
  try {
    const { messages } = agent.format.parse(
      head + end.toString('utf8', start > 0 ? end.indexOf('\n') + 1 : 0),
    )
    const said = messages.filter(({ records = [] }) => head === '' || !records.includes(0))
    const agentMessage = said.findLast(
      (message) => message.role === 'assistant' && joinTexts(message) !== '',
    )
    const request = said.findLast(isUserRequest)
    return { user: request && joinTexts(request), agent: agentMessage && joinTexts(agentMessage) }
  } catch (error) {
    if (error instanceof FormatError) return NO_WORDS
    throw error
  }
}

/** Some formats say in it what the others are. */
function readFirstLine(source: ByteSource): string {
  const [line] = readLines(source, 0, END_BYTES)
  return line ? `${line.toString('utf8')}\n` : ''
}

const joinTexts = ({ parts }: Message): string =>
  parts
    .flatMap((part) => (part.type === 'text' ? part.text : []))
    .join('\n')
    .trim()

/**
 * Undefined for a file that cannot be read. It is listed all the same: the command that reads it
 * reports why.
 */
function readFile<Result>(path: string, read: (source: ByteSource) => Result): Result | undefined {
  let descriptor: number
  try {
    descriptor = openInputFile(path)
  } catch {
    return undefined
  }
  try {
    return read(createPeekSource(descriptor))
  } catch (error) {
    // A disk that fails, or a folder that was put in its place.
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  } finally {
    closeSync(descriptor)
  }
}
