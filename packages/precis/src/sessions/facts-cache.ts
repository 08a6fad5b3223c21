/**
 * A cache of session facts: one file in the user's cache folder, which you may delete at any time.
 * A file that is damaged, of another version or not of precis is ignored and written again.
 *
 *   {"precis":"session-facts","version":4,"sha256":…}     of all that follows
 *   ["claude-code\t~/.claude/…/3f2a.jsonl",52133,1795452226000,{…}]
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { SessionError } from '../files/errors.ts'
import { asCount, parseObject } from '../files/lines.ts'
import { readInputFile } from '../files/read-document.ts'
import { findUserFolders } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import type { SessionFile } from './find-sessions.ts'
import type { SessionFacts } from './session-facts.ts'

export interface FactsCache {
  /** Undefined for a session that is not known, or is not as it was. */
  find(file: SessionFile): SessionFacts | undefined
  add(file: SessionFile, facts: SessionFacts): void
  /** Stores found and added facts. Returns the reason of a failure, in words. */
  save(): Promise<string | undefined>
}

interface CachedEntry {
  readonly bytes: number
  readonly modified: number
  readonly facts: SessionFacts
}

// Another number wherever facts are read in another way.
const VERSION = 6
const NAME = 'session-facts'
const MOST_BYTES = 1 << 28
const LINE_FEED = 0x0a

export function openFactsCache(folder: string = findUserFolders().cache): FactsCache {
  const path = join(folder, `${NAME}.jsonl`)
  const known = readEntries(path)
  const current = new Map<string, CachedEntry>()
  let isChanged = false
  return {
    find(file) {
      const key = nameFile(file)
      const entry = known.get(key)
      if (entry?.bytes !== file.bytes || entry.modified !== file.modified.getTime())
        return undefined
      current.set(key, entry)
      return entry.facts
    },
    add(file, facts) {
      current.set(nameFile(file), { bytes: file.bytes, modified: file.modified.getTime(), facts })
      isChanged = true
    },
    async save() {
      if (!isChanged && current.size === known.size) return undefined
      try {
        await writeFileAtomically(path, renderEntries(current), { createFolders: true })
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

function renderEntries(entries: ReadonlyMap<string, CachedEntry>): Buffer[] {
  const lines = Array.from(entries, ([key, { bytes, modified, facts }]) =>
    Buffer.from(`${JSON.stringify([key, bytes, modified, facts])}\n`),
  )
  const sha256 = createHash('sha256')
  for (const line of lines) sha256.update(line)
  return [
    Buffer.from(
      `${JSON.stringify({ precis: NAME, version: VERSION, sha256: sha256.digest('hex') })}\n`,
    ),
    ...lines,
  ]
}

/** By its sum the file is what was written: the shape of no line has to be looked at. */
function readEntries(path: string): Map<string, CachedEntry> {
  const entries = new Map<string, CachedEntry>()
  const bytes = readWhole(path)
  const end = bytes.indexOf(LINE_FEED)
  const head = end < 0 ? undefined : parseObject(bytes.subarray(0, end))
  if (head?.precis !== NAME || head.version !== VERSION) return entries
  const rest = bytes.subarray(end + 1)
  if (createHash('sha256').update(rest).digest('hex') !== head.sha256) return entries
  for (const line of rest.toString('utf8').split('\n')) {
    if (line === '') continue
    const [key, size, modified, facts]: [string, number, number, SessionFacts] = JSON.parse(line)
    entries.set(key, { bytes: asCount(size), modified: asCount(modified), facts })
  }
  return entries
}

function readWhole(path: string): Buffer {
  try {
    const bytes = readInputFile(path)
    return bytes.length > MOST_BYTES ? Buffer.alloc(0) : bytes
  } catch {
    // It does not exist before the first time.
    return Buffer.alloc(0)
  }
}
