/**
 * The file of a session. The agent only adds to it, so it contains everything that compactions
 * removed:
 *
 *   messages · boundary · summary · messages · boundary · summary · messages
 *   └─ part ─┘ └──────── part ─────────────┘ └──────── what stands ────────┘
 */
import type { Conversation, Message } from '@precis/core'
import { claudeCode, FormatError } from '@precis/core/formats'
import { isMissing } from './keep-original.ts'
import type { Mod } from './mod.ts'

export interface SessionFile {
  /** The lines between compactions. The last part is what stands. */
  readonly parts: readonly string[]
  /** Whether the file is so large that its beginning was not read. */
  readonly isCut: boolean
  readonly bytesRead: number
}

// What one call of the agent reads at most, and what a search reads in all.
const PIECE_BYTES = 4 << 20
export const MOST_BYTES = 64 << 20

/** Reads the newest bytes. Rejects if there is no such file. */
export async function readSessionFile(
  $: Mod,
  path: string,
  mostBytes = MOST_BYTES,
): Promise<SessionFile> {
  const { size } = await $.fs.stat(path)
  const start = Math.max(0, size - mostBytes)
  const decoder = new TextDecoder()
  let text = ''
  for (let offset = start; offset < size; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, size - offset)
    const { base64 } = await $.fs.read(path, { as: 'bytes', offset, length })
    text += decoder.decode(toBytes(base64), { stream: true })
  }
  const lines = (text + decoder.decode()).split('\n')
  // The first line may be cut.
  if (start > 0) lines.shift()
  return { parts: splitParts(lines), isCut: start > 0, bytesRead: size - start }
}

function toBytes(base64: string): Uint8Array {
  const units = atob(base64)
  const bytes = new Uint8Array(units.length)
  for (let index = 0; index < units.length; index++) bytes[index] = units.charCodeAt(index)
  return bytes
}

function splitParts(lines: readonly string[]): string[] {
  const parts: string[][] = [[]]
  for (const line of lines) {
    if (isBoundary(line)) parts.push([])
    parts.at(-1)!.push(line)
  }
  return parts.map((part) => part.join('\n'))
}

/** A message may contain these words too, so the line is read. */
function isBoundary(line: string): boolean {
  if (!line.includes('"compact_boundary"')) return false
  try {
    const { type, subtype, isSidechain } = JSON.parse(line) as Record<string, unknown>
    return type === 'system' && subtype === 'compact_boundary' && isSidechain !== true
  } catch {
    // A kill may leave half a line.
    return false
  }
}

// Parsing one takes a small part of a second. The agent ends a module that holds its thread for
// seconds, so whoever reads several pieces calls the agent between them.
const PIECE_UNITS = 2 << 20

/** Pieces of a part with whole turns, so that each can be read alone. */
export function* splitPart(part: string): Generator<string> {
  let start = 0
  let at = 0
  while (at < part.length) {
    const size = at - start
    const end = part.indexOf('\n', at) + 1 || part.length
    const isFull = size > PIECE_UNITS && (size > 4 * PIECE_UNITS || isTyped(part.slice(at, end)))
    if (isFull) {
      yield part.slice(start, at)
      start = at
    }
    at = end
  }
  if (start < at) yield part.slice(start)
}

/** No answer and no result is cut from its call there. */
const isTyped = (line: string): boolean =>
  line.includes('"type":"user"') &&
  !line.includes('"tool_result"') &&
  !line.includes('"isSidechain":true')

/** The messages of a piece. Empty if there are none. */
export const readPiece = (piece: string): readonly Message[] => parsePiece(piece)?.messages ?? []

function parsePiece(piece: string): Conversation | undefined {
  try {
    return claudeCode.parse(piece)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** The beginning of a part, which is enough for its summary. */
export const readStart = (part: string): readonly Message[] =>
  readPiece(part.split('\n', START_LINES).join('\n'))

const START_LINES = 8

/**
 * A new session with what stood before the latest compaction, ready to be written. Undefined if the
 * file contains nothing from before it.
 */
export async function copyEarlier(
  $: Mod,
  { parts }: SessionFile,
  sessionId: string,
): Promise<string | undefined> {
  const timestamp = new Date(await $.clock.now()).toISOString()
  const createId = () => crypto.randomUUID()
  const copied: string[] = []
  let hasMessages = false
  for (const piece of splitPart(`${parts.at(-2) ?? ''}\n`)) {
    await $.clock.now()
    const conversation = parsePiece(piece)
    hasMessages ||= (conversation?.messages.length ?? 0) > 0
    const title = 'Before the compaction'
    const output = conversation
      ? claudeCode.serialize(conversation, { sessionId, timestamp, title, createId })
      : piece
    if (typeof output !== 'string') throw new TypeError('Writing a session: found no text.')
    // Each piece begins with the title.
    copied.push(copied.length > 0 && conversation ? output.slice(output.indexOf('\n') + 1) : output)
  }
  return hasMessages ? copied.join('') : undefined
}

/** Rejects if the agent cannot write it. */
export async function writeSessionFile($: Mod, path: string, text: string): Promise<void> {
  if (new TextEncoder().encode(text).length <= PIECE_BYTES) await $.fs.write(path, text)
  else await writeLarge($, path, text)
}

const WRITE_MS = 30_000
const NODE_SCRIPT = "process.stdin.pipe(require('fs').createWriteStream(process.argv[1]))"
// Programs that write their input to a file. Windows may have only the second.
const WRITERS = [['tee'], ['node', '-e', NODE_SCRIPT]] as const

/** The agent writes no file above 4 MiB itself. */
async function writeLarge($: Mod, path: string, text: string): Promise<void> {
  for (const words of WRITERS) {
    try {
      const run = { stdin: text, timeoutMs: WRITE_MS }
      const { exitCode, stderr } = await $.process.run([...words, path], run)
      if (exitCode === 0) return
      throw new Error(`${words[0]} failed with ${exitCode}: ${stderr.slice(0, 200)}`)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  throw new Error('a session above 4 MB needs "tee" or "node" on the PATH, and neither was found')
}
