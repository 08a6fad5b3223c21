/**
 * Search in what compactions removed from this conversation, and in what was removed before it was
 * forked. Everything is read from the files of the sessions, so nothing is stored twice.
 */
import type { Message } from '@precis/core'
import { createRecall } from '@precis/core/context'
import { isSummaryText, readText, renderPart } from '@precis/core/conversation'
import { neutralizeLine } from '@precis/core/text'
import type { ListedTool, Mod } from './mod.ts'
import {
  MOST_BYTES,
  readPiece,
  readSessionFile,
  readStart,
  type SessionFile,
  splitPart,
} from './session-file.ts'

/** The name under which the model calls it. */
export const RECALL_NAME = 'recall_removed'

/** As the agent offers it to the model. */
export function describeRecall(): ListedTool {
  const { description, inputSchema } = createRecall({ name: RECALL_NAME }).tool
  return {
    name: RECALL_NAME,
    description,
    inputSchema,
    mcp: false,
    isReadOnly: true,
    isDeferred: true,
  }
}

interface Removed {
  readonly compactions: number
  /** This session, and those that it was forked from, newest first. */
  readonly sessions: readonly string[]
  /** What is missing, for the reader. */
  readonly notes: readonly string[]
  /** Everything before the latest compaction, oldest first. */
  readonly parts: readonly string[]
}

/** Answers in words, as the tool `recall` does. */
export async function searchRemoved($: Mod, input: object, agentId?: string): Promise<string> {
  const { parts, compactions, notes } = await findRemoved($, agentId)
  const recall = createRecall({ name: RECALL_NAME })
  const seen = new Set<string>()
  for (const piece of listPieces(parts)) {
    // The agent ends a module that holds its thread for seconds.
    await $.clock.now()
    await recall.store({ id: 0, removed: readFirst(piece, seen), natives: [] })
  }
  const found = compactions > 0 ? recall.tool.execute(input) : NOTHING_REMOVED
  return [found, ...notes].join('\n')
}

export const NOTHING_REMOVED = 'Nothing was removed from this conversation yet.'

/** For a sub-agent, its own conversation. */
export async function findRemoved($: Mod, agentId?: string): Promise<Removed> {
  const { transcriptPath } = await $.session.info()
  if (transcriptPath === '')
    return {
      parts: [],
      compactions: 0,
      sessions: [],
      notes: ['This session has no file, so nothing was kept.'],
    }
  const folder = transcriptPath.slice(0, transcriptPath.lastIndexOf('.jsonl'))
  const path = agentId === undefined ? transcriptPath : `${folder}/subagents/agent-${agentId}.jsonl`
  return await readLineage($, path)
}

// What is compared with a summary is searched several times without a pause.
const MOST_COMPARED_UNITS = 8 << 20

/** The newest messages that compactions removed from the main conversation, oldest first. */
export async function readRemoved(
  $: Mod,
): Promise<{ readonly removed: readonly Message[]; readonly compactions: number }> {
  const { parts, compactions } = await findRemoved($)
  const pieces = listPieces(parts)
  const seen = new Set<string>()
  const messages: (readonly Message[])[] = []
  let units = 0
  for (let index = pieces.length - 1; index >= 0; index--) {
    const piece = pieces[index]!
    units += piece.length
    if (units > MOST_COMPARED_UNITS && messages.length > 0) break
    await $.clock.now()
    messages.unshift(readFirst(piece, seen))
  }
  return { removed: messages.flat(), compactions }
}

const listPieces = (parts: readonly string[]): string[] =>
  parts.flatMap((part) => [...splitPart(part)])

const readFirst = (piece: string, seen: Set<string>): Message[] =>
  readPiece(piece).filter((message) => isFirst(message, seen))

/** What a compaction kept is in the file again after the boundary. */
function isFirst(message: Message, seen: Set<string>): boolean {
  // A compaction by a mod leaves out the reasoning of what it keeps.
  const said = message.parts.filter(({ type }) => type !== 'reasoning')
  const parts = (said.length > 0 ? said : message.parts).map((part) =>
    'callId' in part ? [part.callId, renderPart(part)] : renderPart(part),
  )
  const key = JSON.stringify([message.role, parts])
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

const MOST_FORKS = 10

/**
 * A session and the sessions that it was forked from, which its summaries name. A fork begins with
 * the latest compaction before it:
 *
 *   original  messages · boundary 1 · messages · boundary 2 · messages …
 *   fork                                         boundary 2 · messages · boundary 3 · messages
 */
async function readLineage($: Mod, path: string): Promise<Removed> {
  const folder = path.replace(/[^/\\]*$/, '')
  const parts: string[] = []
  const notes: string[] = []
  const sessions: string[] = []
  let compactions = 0
  let bytesLeft = MOST_BYTES
  let forkedAt: string | undefined
  let next: string | undefined = path.slice(folder.length, -'.jsonl'.length)
  while (next !== undefined && !sessions.includes(next) && sessions.length < MOST_FORKS) {
    sessions.push(next)
    let file: SessionFile
    try {
      file = await readSessionFile($, `${folder}${next}.jsonl`, bytesLeft)
      bytesLeft -= file.bytesRead
    } catch (error) {
      notes.push(`The session ${next} cannot be read (${neutralizeLine(String(error))}).`)
      break
    }
    if (file.isCut) notes.push('Only the newest 64 MB of it are searched.')
    const at: string | undefined = forkedAt
    const end = at === undefined ? -1 : file.parts.findIndex((part) => readId(part) === at)
    if (at !== undefined && end < 0) {
      // What it did after the fork is not of this conversation.
      notes.push(`The session ${next} is not searched: where it was forked was not found in it.`)
      break
    }
    const earlier = file.parts.slice(0, end)
    parts.unshift(...earlier)
    compactions += Math.max(0, earlier.length - (forkedAt === undefined ? 0 : 1))
    const fork = findFork(file.parts)
    next = fork?.session
    forkedAt = fork?.at
  }
  return { parts, compactions, sessions, notes }
}

/** The session that the earliest summary names, and the boundary before that summary. */
function findFork(
  parts: readonly string[],
): { session: string; at: string | undefined } | undefined {
  for (const part of parts) {
    const session = findReference(part)
    if (session !== undefined) return { session, at: readId(part) }
  }
  return undefined
}

/** The id of the boundary at the beginning of a part. */
function readId(part: string): string | undefined {
  return /"uuid":"([^"]+)"/.exec(part.slice(0, part.indexOf('\n')))?.[1]
}

// As `renderRecallPath` names it.
const REFERENCE = /under reference ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/

/** The session that a summary at the beginning of a part names. */
function findReference(part: string): string | undefined {
  if (!part.includes('under reference ')) return undefined
  const first = readStart(part)[0]
  const text = first && readText(first)
  return text && isSummaryText(text) ? REFERENCE.exec(text)?.[1] : undefined
}
