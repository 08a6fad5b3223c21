/**
 * A cache of session facts: one file in the user's cache folder, which you may delete at any time.
 * A file that is damaged, of another version or not of precis is ignored and written again.
 *
 *   {"precis":"session-facts","version":8,"sha256":…}     of all that follows
 *   ["claude-code\t~/.claude/…/3f2a.jsonl",52133,1795452226000]⇥{…}
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
  /** Undefined for a session that is unknown, or has changed since. */
  find(file: SessionFile): SessionFacts | undefined
  add(file: SessionFile, facts: SessionFacts): void
  /**
   * Stores found and added facts, the latest sessions first if not all of them fit. Returns
   * the reason of a failure, in words.
   */
  save(): Promise<string | undefined>
}

/** Facts stay text until they are asked for: most commands need those of a few sessions. */
interface CachedEntry {
  readonly bytes: number
  readonly modified: number
  readonly packed: string
}

// Another number wherever facts are read in another way.
const VERSION = 8
const NAME = 'session-facts'
const MOST_BYTES = 1 << 28
const LINE_FEED = 0x0a
// JSON never contains a tab as it is.
const SEPARATOR = '\t'

export function openFactsCache(
  folder: string = findUserFolders().cache,
  mostBytes: number = MOST_BYTES,
): FactsCache {
  const path = join(folder, `${NAME}.jsonl`)
  const known = readEntries(path, mostBytes)
  const current = new Map<string, CachedEntry>()
  let isChanged = false
  return {
    find(file) {
      const key = nameFile(file)
      const entry = known.get(key)
      if (entry?.bytes !== file.bytes || entry.modified !== file.modified.getTime())
        return undefined
      current.set(key, entry)
      return unpackFacts(JSON.parse(entry.packed))
    },
    add(file, facts) {
      current.set(nameFile(file), {
        bytes: file.bytes,
        modified: file.modified.getTime(),
        packed: JSON.stringify(packFacts(facts)),
      })
      isChanged = true
    },
    async save() {
      if (!isChanged && current.size === known.size) return undefined
      try {
        await writeFileAtomically(path, renderEntries(current, mostBytes), { createFolders: true })
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
    const line = Buffer.from(`${JSON.stringify([key, bytes, modified])}${SEPARATOR}${packed}\n`)
    if (line.length > room) continue
    room -= line.length
    lines.push(line)
  }
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
function readEntries(path: string, mostBytes: number): Map<string, CachedEntry> {
  const entries = new Map<string, CachedEntry>()
  const bytes = readWhole(path)
  const end = bytes.indexOf(LINE_FEED)
  const head = end < 0 ? undefined : parseObject(bytes.subarray(0, end))
  if (head?.precis !== NAME || head.version !== VERSION) return entries
  const rest = bytes.subarray(end + 1)
  if (rest.length > mostBytes) return entries
  if (createHash('sha256').update(rest).digest('hex') !== head.sha256) return entries
  for (const line of rest.toString('utf8').split('\n')) {
    const end = line.indexOf(SEPARATOR)
    if (end < 0) continue
    const [key, size, modified]: [string, number, number] = JSON.parse(line.slice(0, end))
    entries.set(key, {
      bytes: asCount(size),
      modified: asCount(modified),
      packed: line.slice(end + 1),
    })
  }
  return entries
}

function readWhole(path: string): Buffer {
  try {
    return readInputFile(path)
  } catch {
    // It does not exist before the first time.
    return Buffer.alloc(0)
  }
}

/** Requests as rows of numbers: there are hundreds in a session. */
type PackedFacts = Omit<SessionFacts, 'requests'> & {
  readonly models: readonly string[]
  readonly rows: readonly PackedRow[]
}

type PackedRow = readonly [
  key: string | null,
  model: number,
  timeMs: number | null,
  input: number,
  cacheWrite: number,
  cacheRead: number,
  output: number,
  dollars: number | null,
  isOutputCounted: 0 | 1,
]

function packFacts({ requests, ...facts }: SessionFacts): PackedFacts {
  const models = [...new Set(requests.map(({ model }) => model))]
  const places = new Map(models.map((model, place) => [model, place]))
  const rows = requests.map(
    (one): PackedRow => [
      one.key ?? null,
      places.get(one.model) ?? 0,
      one.timeMs ?? null,
      one.input,
      one.cacheWrite,
      one.cacheRead,
      one.output,
      one.dollars ?? null,
      one.isOutputCounted ? 1 : 0,
    ],
  )
  return { ...facts, models, rows }
}

function unpackFacts({ models, rows, ...facts }: PackedFacts): SessionFacts {
  const requests = rows.map((row) => {
    const [key, model, timeMs, input, cacheWrite, cacheRead, output, dollars, counted] = row
    return {
      key: key ?? undefined,
      model: models[model] ?? '',
      timeMs: timeMs ?? undefined,
      input,
      cacheWrite,
      cacheRead,
      output,
      tokens: input + cacheWrite + cacheRead + output,
      dollars: dollars ?? undefined,
      ...(counted === 1 && { isOutputCounted: true }),
    }
  })
  return { ...facts, requests }
}
