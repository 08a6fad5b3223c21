/** Looks for a text in all that was said in a session. */
import { closeSync, readSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { redactSecrets } from '@precis/core/secrets'
import { openInputFile, readInputFile } from '../input-file.ts'
import type { Agent } from './agent-home.ts'
import { readContentTexts } from './content-texts.ts'
import { asText, type JsonObject, parseObject } from './lines.ts'
import { type Damage, findDamage, NO_DAMAGE } from './load-session.ts'
import { openSession } from './open-session.ts'
import { withStoredSession } from './opencode/stored-session.ts'
import { cutExcerpt, type TextSearch } from './search-text.ts'
import type { SessionFile } from './session-file.ts'

export interface FoundText {
  /** Texts that have it: what somebody said, an argument of a call, its result. */
  readonly count: number
  /** The first ones. */
  readonly places: readonly FoundPlace[]
}

export interface SearchedSession {
  /** Undefined where it is not. */
  readonly found: FoundText | undefined
  /** Of a session that has the text, or may have it in a line that nobody can read. */
  readonly damage: Damage
}

export interface FoundPlace {
  /** Line of the file, from 1; of a session that is no file of lines, its message. */
  readonly record: number
  readonly excerpt: string
}

const MOST_PLACES = 3
const BLOCK_BYTES = 1 << 20
const MOST_RECORD_BYTES = 32 << 20
// One object over many lines has to be read whole.
const MOST_DOCUMENT_BYTES = 64 << 20
const LINE_FEED = 0x0a

/**
 * Memory is bounded by the longest record, which is left out above 32 MB, and time grows
 * with the bytes. What cannot be read holds nothing. Lets other work go on in between.
 */
export async function searchSession(file: SessionFile, search: TextSearch): Promise<SearchedSession> {
  const found = createFound(file.agent, search)
  let damage = NO_DAMAGE
  try {
    if (file.agent === 'opencode') searchStored(file.path, found)
    else if (file.path.endsWith('.json')) searchDocument(file.path, search, found)
    else {
      const isUnread = await searchLines(file.path, search, found)
      if (isUnread || found.count > 0) damage = await readDamage(file)
    }
  } catch (error) {
    // It went away or may not be read; what is found in the others is told all the same.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  return { found: found.count > 0 ? { count: found.count, places: found.places } : undefined, damage }
}

async function readDamage({ path, agent }: SessionFile): Promise<Damage> {
  const document = await openSession(path)
  try {
    return findDamage(document.source, agent)
  } finally {
    document.close()
  }
}

interface Found {
  count: number
  readonly places: FoundPlace[]
  look(record: JsonObject, number: number): void
}

function createFound(agent: Agent, search: TextSearch): Found {
  const found: Found = {
    count: 0,
    places: [],
    look(record, number) {
      for (const text of readContentTexts(record, agent)) {
        const at = search.find(text)
        if (at < 0) continue
        found.count++
        if (found.places.length < MOST_PLACES) {
          found.places.push({ record: number, excerpt: renderExcerpt(text, search) })
        }
      }
    },
  }
  return found
}

/** Around the first place that is no secret; of a text that says it in a secret alone, the beginning. */
function renderExcerpt(text: string, search: TextSearch): string {
  const shown = redactSecrets(text)
  return cutExcerpt(shown, Math.max(0, search.find(shown)), search.length)
}

function searchStored(path: string, found: Found): void {
  withStoredSession(path, ({ messages, readParts }) => {
    messages.forEach((message, index) => {
      for (const part of readParts(asText(message.id) ?? '')) found.look(part, index + 1)
    })
  })
}

function searchDocument(path: string, search: TextSearch, found: Found): void {
  if (statSync(path).size > MOST_DOCUMENT_BYTES) return
  const bytes = readInputFile(path)
  if (search.findCandidate(bytes, 0) < 0) return
  const document = parseObject(bytes)
  const records = [document?.messages, document?.requests].find(Array.isArray) ?? []
  records.forEach((record: unknown, index) => {
    if (typeof record === 'object' && record !== null) found.look({ record }, index + 1)
  })
}

//   block   … line ⏎ line ⏎ beginning of a line that goes into the next block
//                  ▲ candidate: only its line is parsed
// Gives whether a candidate could not be read.
async function searchLines(path: string, search: TextSearch, found: Found): Promise<boolean> {
  let lines = 0
  let isUnread = false
  for await (const block of readBlocks(path)) {
    let counted = 0
    for (let at = search.findCandidate(block, 0); at >= 0; ) {
      const start = at === 0 ? 0 : block.lastIndexOf(LINE_FEED, at - 1) + 1
      const next = block.indexOf(LINE_FEED, at)
      const end = next < 0 ? block.length : next
      lines += countBreaks(block, counted, start)
      counted = start
      const record = parseObject(block.subarray(start, end))
      if (record) found.look(record, lines + 1)
      else isUnread = true
      at = search.findCandidate(block, end + 1)
    }
    lines += countBreaks(block, counted, block.length)
  }
  return isUnread
}

function countBreaks(block: Buffer, start: number, end: number): number {
  let count = 0
  for (let at = block.indexOf(LINE_FEED, start); at >= 0 && at < end; at = block.indexOf(LINE_FEED, at + 1)) count++
  return count
}

/** Whole lines, a megabyte or one long line at a time. Each block is valid until the next. */
async function* readBlocks(path: string): AsyncGenerator<Buffer> {
  const descriptor = openInputFile(path)
  try {
    let buffer = Buffer.allocUnsafe(BLOCK_BYTES)
    let filled = 0
    let isSkipping = false
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
      if (end > start) yield buffer.subarray(start, end)
      buffer.copyWithin(0, isSkipping ? filled : end, filled)
      filled -= isSkipping ? filled : end
      await setImmediate()
    }
    if (filled > 0 && !isSkipping) yield buffer.subarray(0, filled)
  } finally {
    closeSync(descriptor)
  }
}
