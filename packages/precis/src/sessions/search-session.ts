/** Looks for a text in all messages, calls and results of a session. */
import { closeSync, fstatSync, readSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { redactSecrets } from '@precis/core/secrets'
import type { Agent, NumberedRecord } from '../agents/shared/agent.ts'
import { type JsonObject, parseObject } from '../files/lines.ts'
import { createMemorySource, openInputFile, readInputFile } from '../files/read-document.ts'
import { createSlices } from '../files/slices.ts'
import type { SessionFile } from './find-sessions.ts'
import { type Damage, MOST_LINE_NUMBERS, NO_DAMAGE, readFileDamage } from './load-session.ts'
import { LONGEST_CANDIDATE, type TextSearch } from './text-search.ts'

export interface FoundText {
  /** Texts that have it: a message, an argument of a call, its result. */
  readonly count: number
  /** The first ones. */
  readonly places: readonly FoundPlace[]
}

export interface SearchedSession {
  /** Undefined if there is no match. */
  readonly found: FoundText | undefined
  /**
   * The number of unreadable lines. It covers all lines of a matching session that was searched to
   * its end, and otherwise lines that may match.
   */
  readonly damage: Damage
  /** What was too large to be searched, in words. Undefined if everything was searched. */
  readonly leftOut?: string | undefined
}

export interface SearchLimits {
  /** Ends the search with the matches found so far. */
  readonly signal?: AbortSignal
  /** Ends it at the first text that has it. */
  readonly isOneEnough?: boolean
}

interface FoundPlace {
  /** Line of the file, from 1. If the session is not a file of lines, its message. */
  readonly record: number
  readonly excerpt: string
}

const MOST_PLACES = 3
const LEAST_BLOCK_BYTES = 1 << 12
const BLOCK_BYTES = 1 << 20
const MOST_RECORD_BYTES = 32 << 20
// One object over many lines has to be read whole if it may contain the text.
const MOST_DOCUMENT_BYTES = 512 << 20
const LINE_FEED = 0x0a

/**
 * Memory is bounded by the longest record, which is left out above 32 MB, and time grows with the
 * bytes. Unreadable records contain no match. Other work runs in between.
 */
export async function searchSession(
  file: SessionFile,
  search: TextSearch,
  limits: SearchLimits = {},
): Promise<SearchedSession> {
  const { agent, path } = file
  const found = createFound(agent, search, limits)
  let damage = NO_DAMAGE
  try {
    if (agent.store) {
      const mayHold = (json: Uint8Array) => search.findCandidate(json, 0) >= 0
      await searchRecords(agent.store.readContent(path, mayHold), found)
    } else if (path.endsWith('.json')) await searchDocument(file, search, found)
    else {
      damage = await searchLines(path, search, found)
      if (found.count > 0 && !found.isEnough()) damage = await readFileDamage(file)
    }
  } catch (error) {
    // The file was removed or may not be read. Matches in the others are still reported.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  return {
    found: found.count > 0 ? { count: found.count, places: found.places } : undefined,
    damage,
    leftOut: found.leftOut,
  }
}

interface Matches {
  count: number
  leftOut: string | undefined
  readonly places: FoundPlace[]
  look(record: JsonObject, findNumber: () => number): void
  isEnough(): boolean
}

function createFound(
  agent: Agent,
  search: TextSearch,
  { signal, isOneEnough = false }: SearchLimits,
): Matches {
  const found: Matches = {
    count: 0,
    leftOut: undefined,
    places: [],
    look(record, findNumber) {
      for (const text of readContentTexts(record, agent)) {
        const at = search.find(text)
        if (at < 0) continue
        found.count++
        if (found.places.length < MOST_PLACES) {
          found.places.push({ record: findNumber(), excerpt: renderExcerpt(text, at, search) })
        }
        if (isOneEnough) return
      }
    },
    isEnough: () => signal?.aborted === true || (isOneEnough && found.count > 0),
  }
  return found
}

async function searchRecords(records: readonly NumberedRecord[], found: Matches): Promise<void> {
  const breathe = createSlices()
  for (const { record, number } of records) {
    if (found.isEnough()) return
    found.look(record, () => number)
    await breathe()
  }
}

// Text that is farther away is not part of the excerpt, and a secret is shorter.
const REDACTED_AROUND = 1 << 14

/**
 * An excerpt around the first match outside of secrets. If only a secret matches, the beginning of
 * the text.
 */
function renderExcerpt(text: string, at: number, search: TextSearch): string {
  const near = redactSecrets(
    text.slice(Math.max(0, at - REDACTED_AROUND), at + search.length + REDACTED_AROUND),
  )
  const place = search.find(near)
  if (place >= 0) return cutExcerpt(near, place, search.length)
  const shown = redactSecrets(text)
  return cutExcerpt(shown, Math.max(0, search.find(shown)), search.length)
}

async function searchDocument(
  { agent, path }: SessionFile,
  search: TextSearch,
  found: Matches,
): Promise<void> {
  if (!(await holdsCandidate(path, search))) return
  if (statSync(path).size > MOST_DOCUMENT_BYTES) {
    found.leftOut = 'a document above 512 MB, which may contain it,'
    return
  }
  for (const piece of agent.splitRecords(createMemorySource(readInputFile(path)))) {
    const record = piece.records.length > 0 ? parseObject(Buffer.from(piece.bytes)) : undefined
    if (record) found.look({ record }, () => Number(piece.records[0]) + 1)
  }
}

/** Reads block by block, so that most documents are never in memory. */
async function holdsCandidate(path: string, search: TextSearch): Promise<boolean> {
  const descriptor = openInputFile(path)
  try {
    const buffer = Buffer.allocUnsafe(
      Math.min(Math.max(fstatSync(descriptor).size, LEAST_BLOCK_BYTES), BLOCK_BYTES),
    )
    for (let kept = 0; ; ) {
      const read = readSync(descriptor, buffer, kept, buffer.length - kept, null)
      if (read === 0) return false
      const block = buffer.subarray(0, kept + read)
      if (search.findCandidate(block, 0) >= 0) return true
      // It may begin in this block and end in the next one.
      kept = Math.min(LONGEST_CANDIDATE, block.length)
      buffer.copyWithin(0, block.length - kept, block.length)
      await setImmediate()
    }
  } finally {
    closeSync(descriptor)
  }
}

//   block   … line ⏎ line ⏎ beginning of a line that ends in the next block
//                  ▲ candidate: only its line is parsed
// Returns the candidates that could not be read.
async function searchLines(path: string, search: TextSearch, found: Matches): Promise<Damage> {
  const unread: number[] = []
  let unreadLines = 0
  let cutOffBytes = 0
  const descriptor = openInputFile(path)
  try {
    const number = createLineCounter(descriptor)
    for await (const { block, position, isTooLong } of readBlocks(descriptor)) {
      if (isTooLong) found.leftOut = 'lines above 32 MB'
      for (let at = search.findCandidate(block, 0); at >= 0 && !found.isEnough(); ) {
        const start = at === 0 ? 0 : block.lastIndexOf(LINE_FEED, at - 1) + 1
        const next = block.indexOf(LINE_FEED, at)
        const end = next < 0 ? block.length : next
        const record = parseObject(block.subarray(start, end))
        if (record) found.look(record, () => number(position + start))
        else if (next < 0) cutOffBytes = end - start
        else if (++unreadLines <= MOST_LINE_NUMBERS) unread.push(number(position + start))
        at = search.findCandidate(block, end + 1)
      }
      if (found.isEnough()) break
    }
  } finally {
    closeSync(descriptor)
  }
  return { lines: unreadLines, lineNumbers: unread, cutOffBytes }
}
/** The number of a line by its position, from 1. Asked for in ascending order. */
function createLineCounter(descriptor: number): (position: number) => number {
  let counted = 0
  let number = 1
  return (position) => {
    const buffer = Buffer.allocUnsafe(Math.min(position - counted, BLOCK_BYTES))
    while (counted < position) {
      const length = Math.min(position - counted, buffer.length)
      const read = readSync(descriptor, buffer, 0, length, counted)
      // It became shorter.
      if (read === 0) break
      number += countBreaks(buffer.subarray(0, read))
      counted += read
    }
    return number
  }
}

function countBreaks(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

interface LineBlock {
  /** Whole lines, a megabyte or one long line. Valid until the next block. */
  readonly block: Buffer
  readonly position: number
  /** Whether lines before it were too long to be read. */
  readonly isTooLong: boolean
}

async function* readBlocks(descriptor: number): AsyncGenerator<LineBlock> {
  // Most sessions fit into less. One byte more shows that nothing follows.
  const { size } = fstatSync(descriptor)
  let buffer = Buffer.allocUnsafe(Math.min(Math.max(size, LEAST_BLOCK_BYTES) + 1, BLOCK_BYTES))
  let filled = 0
  let position = 0
  let isSkipping = false
  let isTooLong = false
  for (;;) {
    const read = readSync(descriptor, buffer, filled, buffer.length - filled, null)
    if (read === 0) break
    const end = buffer.lastIndexOf(LINE_FEED, filled + read - 1) + 1
    filled += read
    if (end === 0 && filled < buffer.length) continue
    if (end === 0 && buffer.length < MOST_RECORD_BYTES) {
      buffer = Buffer.concat([buffer], buffer.length * 2)
      continue
    }
    const start = isSkipping ? buffer.indexOf(LINE_FEED) + 1 : 0
    isSkipping = end === 0
    isTooLong ||= isSkipping
    if (end > start)
      yield { block: buffer.subarray(start, end), position: position + start, isTooLong }
    const gone = isSkipping ? filled : end
    buffer.copyWithin(0, gone, filled)
    filled -= gone
    position += gone
    await setImmediate()
  }
  if (filled > 0 && !isSkipping) yield { block: buffer.subarray(0, filled), position, isTooLong }
  else if (isTooLong) yield { block: buffer.subarray(0, 0), position, isTooLong }
}

// Frames, ids, signatures, and what agents write a second time.
const OTHER_FIELDS = new Set(
  'toolUseResult replacement_history signature thoughtSignature thinkingSignature textSignature encrypted_content usage uuid parentUuid parentId sessionId sessionID messageID id requestId responseId tool_use_id call_id callID toolCallId type role model version cwd gitBranch timestamp slug mimeType media_type'.split(
    ' ',
  ),
)

/**
 * Every text in the order of its record, without frames, ids, signatures and base64. Not recursive:
 * depth is not ours.
 */
function* readContentTexts(record: JsonObject, agent: Agent): Generator<string> {
  if (agent.holdsContent?.(record) === false) return
  const rest: unknown[] = [record]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') {
      if (!isBase64(value)) yield value
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) rest.push(value[index])
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, inner] of Object.entries(value).reverse()) {
        if (!OTHER_FIELDS.has(field)) rest.push(decodeArguments(field, inner))
      }
    }
  }
}

/** Arguments of a call are JSON inside of JSON. */
function decodeArguments(field: string, value: unknown): unknown {
  const isJson = (field === 'arguments' || field === 'partialJson') && typeof value === 'string'
  return isJson ? (parseObject(Buffer.from(value)) ?? value) : value
}

const SHORTEST_BASE64 = 256
const BASE64_BEGINNING = /^[A-Za-z0-9+/_-]{256}/
const BASE64_END = /^[A-Za-z0-9+/_-]{60,64}={0,2}$/

/** By its beginning and its end: no language writes so long words. */
function isBase64(text: string): boolean {
  if (text.startsWith('data:')) return text.slice(0, 200).includes(';base64,')
  return (
    text.length >= SHORTEST_BASE64 &&
    BASE64_BEGINNING.test(text) &&
    BASE64_END.test(text.slice(-64))
  )
}

const EXCERPT_BEFORE = 60
const EXCERPT_AFTER = 140

/** The line around the place, cut to some two hundred characters. */
export function cutExcerpt(text: string, at: number, length: number): string {
  const lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  const nextBreak = text.indexOf('\n', at + length)
  const lineEnd = nextBreak < 0 ? text.length : nextBreak
  const start = Math.max(lineStart, at - EXCERPT_BEFORE)
  const end = Math.min(lineEnd, at + length + EXCERPT_AFTER)
  return `${start > lineStart ? '…' : ''}${text.slice(start, end).trim()}${end < lineEnd ? '…' : ''}`
}
