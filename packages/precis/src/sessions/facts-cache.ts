/**
 * A cache of session facts: one file in the user's cache folder, which you may delete at any time.
 * A file that is damaged, of another version or not of precis is ignored and written again.
 *
 *   {"precis":"session-facts","version":14,"sha256":…}     of all that follows
 *   ["claude-code\t~/.claude/…/3f2a.jsonl",52133,1795452226000]⇥{…}⇥{…}⇥"first prompt"⇥keys of requests⇥[[…]]
 */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { SessionError } from '../files/errors.ts'
import { asCount, parseObject } from '../files/lines.ts'
import { readInputFile } from '../files/read-document.ts'
import { findUserFolders, shortenHome } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import type { SessionFile } from './find-sessions.ts'
import { type PackedFacts, unpackFacts } from './pack-facts.ts'
import type { SessionFacts } from './session-facts.ts'

export interface FactsCache {
  /** Why the stored file was ignored, for the user. Undefined for a good file, and for none. */
  readonly problem: string | undefined
  /** Undefined for a session that is not known, or is not as it was. */
  find(file: SessionFile): SessionFacts | undefined
  add(file: SessionFile, facts: PackedFacts): void
  /**
   * Stores known and added facts, the latest sessions first if there is no room for all. With
   * `areAll`, facts that were not asked for are of sessions that are gone. Returns the reason of a
   * failure, in words.
   */
  save(areAll: boolean): Promise<string | undefined>
}

/** Facts stay bytes until they are asked for: most commands need some of a few sessions. */
interface CachedEntry {
  readonly bytes: number
  readonly modified: number
  readonly packed: Buffer
}

// Another number wherever facts are read in another way.
const VERSION = 14
const NAME = 'session-facts'
const MOST_BYTES = 1 << 28
const LINE_FEED = 0x0a
const LINE_END = Buffer.of(LINE_FEED)
// JSON never contains a tab as it is.
const SEPARATOR = '\t'

export function openFactsCache(
  folder: string = findUserFolders().cache,
  mostBytes: number = MOST_BYTES,
): FactsCache {
  const path = join(folder, `${NAME}.jsonl`)
  const { entries: known, problem } = readEntries(path, mostBytes)
  const current = new Map<string, CachedEntry>()
  let isChanged = false
  return {
    problem,
    find(file) {
      const key = nameFile(file)
      const entry = current.get(key) ?? known.get(key)
      if (entry?.bytes !== file.bytes || entry.modified !== file.modified.getTime())
        return undefined
      current.set(key, entry)
      return unpackFacts(entry.packed)
    },
    add(file, packed) {
      const { bytes, modified } = file
      const entry = { bytes, modified: modified.getTime(), packed: Buffer.from(packed) }
      current.set(nameFile(file), entry)
      isChanged = true
    },
    async save(areAll) {
      const isPruned = areAll && current.size < known.size
      if (!isChanged && !isPruned) return undefined
      const kept = areAll ? current : new Map([...known, ...current])
      try {
        await writeFileAtomically(path, renderEntries(kept, mostBytes), { createFolders: true })
        isChanged = false
        return undefined
      } catch (error) {
        if (error instanceof SessionError) return error.message
        throw error
      }
    },
  }
}

const nameFile = ({ agent, path }: SessionFile): string => `${agent.name}\t${path}`

function renderEntries(entries: ReadonlyMap<string, CachedEntry>, mostBytes: number): Buffer[] {
  const lines: Buffer[] = []
  let room = mostBytes
  for (const [key, entry] of [...entries].sort(([, a], [, b]) => b.modified - a.modified)) {
    const { bytes, modified, packed } = entry
    const name = Buffer.from(`${JSON.stringify([key, bytes, modified])}${SEPARATOR}`)
    const length = name.length + packed.length + 1
    if (length > room) continue
    room -= length
    lines.push(name, packed, LINE_END)
  }
  // One write: a line at a time takes longer than reading the sessions.
  const rest = Buffer.concat(lines)
  const sha256 = hash('sha256', rest)
  return [Buffer.from(`${JSON.stringify({ precis: NAME, version: VERSION, sha256 })}\n`), rest]
}

/** By its sum the file is what was written: the shape of no line has to be looked at. */
function readEntries(path: string, mostBytes: number) {
  const entries = new Map<string, CachedEntry>()
  const bytes = readWhole(path)
  if (bytes.length === 0) return { entries, problem: undefined }
  const ignore = (found: string) => ({
    entries,
    problem: `the cache "${shortenHome(path)}" is ${found}, so all sessions are read again`,
  })
  const end = bytes.indexOf(LINE_FEED)
  const head = end < 0 ? undefined : parseObject(bytes.subarray(0, end))
  if (head?.precis !== NAME) return ignore('damaged')
  if (head.version !== VERSION) return ignore('of another version')
  const rest = bytes.subarray(end + 1)
  if (rest.length > mostBytes) return ignore('too large')
  if (hash('sha256', rest) !== head.sha256) return ignore('damaged')
  for (let start = 0; start < rest.length; ) {
    const tab = rest.indexOf(SEPARATOR, start)
    const next = rest.indexOf(LINE_FEED, tab)
    const [key, size, modified]: [string, number, number] = JSON.parse(
      rest.toString('utf8', start, tab),
    )
    const packed = rest.subarray(tab + 1, next)
    entries.set(key, { bytes: asCount(size), modified: asCount(modified), packed })
    start = next + 1
  }
  return { entries, problem: undefined }
}

function readWhole(path: string): Buffer {
  try {
    return readInputFile(path)
  } catch {
    // It does not exist before the first time.
    return Buffer.alloc(0)
  }
}
