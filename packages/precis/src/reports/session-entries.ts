/** A session as Markdown: its heading, its turns with their entries, and its compactions. */
import type { Message, Part } from '@precis/core'
import { hasFailed } from '@precis/core/actions'
import { isUserRequest, type ToolCallPart } from '@precis/core/conversation'
import stringWidth from 'fast-string-width'
import type { RecordedCompaction } from '../agents/shared/agent.ts'
import { shortenHome } from '../files/user-folders.ts'
import { readSessionCompactions, type SessionCompaction } from '../sessions/compactions.ts'
import { type LoadedSession, readTimeline, toDamageJson } from '../sessions/load-session.ts'
import { type Colors, renderPlural, renderPreview, wrapText } from '../terminal/render.ts'
import {
  type EntryStyle,
  readFence,
  renderCompaction,
  renderContentLine,
  renderEntry,
  renderTurn,
  type SessionEntry,
  type ShownResult,
} from './entry.ts'

export function readShownEntries(
  session: LoadedSession,
  { all = false, record }: { readonly all?: boolean; readonly record?: number },
) {
  const { timed } = readTimeline(session)
  const { workingDirectory } = session.conversation
  const failed = new Set<Part>()
  const results = new Map<Part, ShownResult>()
  const open = new Map<string, { readonly message: Message; readonly calls: ToolCallPart[] }>()
  for (const { message, records } of timed) {
    for (const part of message.parts) {
      if (part.type === 'tool-call') {
        // Some models use an id again.
        const known = open.get(part.callId)
        if (known?.message === message) known.calls.push(part)
        else open.set(part.callId, { message, calls: [part] })
      }
      if (part.type !== 'tool-result') continue
      const call = open.get(part.callId)?.calls.shift()
      if (hasFailed(part, call, workingDirectory)) failed.add(part)
      if (!call) continue
      const shown = { part, record: toNumbers(records)[0] }
      results.set(call, shown).set(part, shown)
    }
  }
  let turn = 0
  const entries = timed.map(({ message, timeMs, records }): SessionEntry => {
    const isRequest = isUserRequest(message)
    if (isRequest) turn++
    return { turn, isRequest, message, timeMs, records: toNumbers(records) }
  })
  // If only one record is shown, its result is shown by itself.
  const style: EntryStyle =
    record === undefined
      ? { isWhole: all, results, failed }
      : { isWhole: true, results: new Map(), failed }
  return { entries, style }
}

const toNumbers = (records: readonly number[]): number[] => records.map((record) => record + 1)

const LONGEST_TITLE = 100

export function renderHeading(
  { title, head, agent, format, conversation, name }: LoadedSession,
  entries: readonly SessionEntry[],
): string {
  const directory = conversation.workingDirectory ?? head?.workingDirectory
  const facts = [
    agent?.title ?? format.name,
    head?.sessionId,
    conversation.model,
    directory && shortenHome(directory),
    renderPlural(entries.at(-1)?.turn ?? 0, 'turn'),
    renderPlural(entries.length, 'message'),
  ].flatMap((fact) => (fact ? [renderContentLine(fact)] : []))
  return `# ${renderContentLine(renderPreview(title ?? head?.firstPrompt ?? name, LONGEST_TITLE))}\n\n${facts.join(' · ')}`
}

/** Block by block, so that a session of many megabytes is never one string. */
export function* renderEntries(
  heading: readonly string[],
  entries: readonly SessionEntry[],
  { compactions, ...style }: EntryStyle & { readonly compactions: readonly SessionCompaction[] },
): Generator<string> {
  yield* heading
  const waiting = [...compactions]
  let before: SessionEntry | undefined
  for (const entry of entries) {
    const block = renderEntry(entry, { ...style, before })
    if (block === '') continue
    while (waiting[0] && waiting[0].record < (entry.records[0] ?? 0)) {
      yield renderCompaction(waiting[0], style.isWhole)
      waiting.shift()
    }
    if (entry.turn !== before?.turn) yield renderTurn(entry)
    before = entry
    yield block
  }
  for (const compaction of waiting) yield renderCompaction(compaction, style.isWhole)
}

/**
 * The compactions between the first and the last record of the chosen entries, and those at the end
 * of the session.
 */
export function readShownCompactions(
  { agent, document }: LoadedSession,
  chosen: readonly SessionEntry[],
  entries: readonly SessionEntry[],
): SessionCompaction[] {
  const records = chosen.flatMap((entry) => entry.records)
  const first = Math.min(...records.slice(0, 1))
  const isAtEnd = chosen.at(-1) === entries.at(-1)
  const last = isAtEnd ? Number.POSITIVE_INFINITY : Math.max(...records.slice(-1))
  const isShown = ({ record }: RecordedCompaction) => record >= first && record < last
  // What they lost takes as long as all else.
  if (!agent?.readCompactions?.(document.source).some(isShown)) return []
  return readSessionCompactions(agent, document.source).filter(isShown)
}

/** With `columns`, for a terminal: no line breaks inside a word, except code. */
export function* encodeBlocks(
  blocks: Iterable<string>,
  colors?: Colors,
  columns?: number,
): Generator<Uint8Array> {
  let isFirst = true
  for (const block of blocks) {
    const fitted = columns === undefined ? block : fitBlock(block, columns)
    const text =
      colors === undefined
        ? fitted
        : fitted.replace(/^#{1,3} .*/, (heading) => colors.bold(heading))
    yield Buffer.from(`${isFirst ? '' : '\n'}${text}\n`)
    isFirst = false
  }
}

const MARKER = /^ {0,12}(?:> |[-*] |\d{1,4}\. )?/

function fitBlock(block: string, columns: number): string {
  let fence = ''
  const lines = block.split('\n').map((line) => {
    const { marks, rest } = readFence(line.replace(/^> /, ''))
    const isInside = fence !== ''
    if (!isInside) fence = marks
    else if (marks.startsWith(fence) && rest.trim() === '') fence = ''
    if (isInside || fence !== '' || stringWidth(line) <= columns) return line
    const [marker = ''] = MARKER.exec(line) ?? []
    const indent = marker.endsWith('> ') ? marker : ' '.repeat(marker.length)
    return wrapText(line.slice(marker.length), columns - marker.length)
      .split('\n')
      .map((part, index) => (index === 0 ? marker : indent) + part)
      .join('\n')
  })
  return lines.join('\n')
}

export function toEntriesJson(
  session: LoadedSession,
  entries: readonly SessionEntry[],
  style: EntryStyle,
) {
  return {
    format: session.format.name,
    agent: session.agent?.name ?? null,
    sessionId: session.head?.sessionId ?? null,
    messages: entries.map((entry) => ({
      turn: entry.turn,
      role: entry.message.role,
      origin: entry.message.origin,
      time: entry.timeMs === undefined ? null : new Date(entry.timeMs).toISOString(),
      records: entry.records,
      markdown: renderEntry(entry, style),
    })),
    ...toDamageJson(session),
  }
}
