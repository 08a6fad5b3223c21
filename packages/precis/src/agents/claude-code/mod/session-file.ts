/**
 * The file of a session. The agent only adds to it, so it contains everything that compactions
 * removed:
 *
 *   messages · boundary · summary · messages · boundary · summary · messages
 *   └─ part ─┘ └──────── part ─────────────┘ └──────── what stands ────────┘
 */
import type { Conversation, Message } from '@precis/core'
import { claudeCode, FormatError } from '@precis/core/formats'
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

/** The messages of one part, or of several that follow each other. Empty if there are none. */
export const readPart = (part: string): readonly Message[] => parsePart(part)?.messages ?? []

function parsePart(part: string): Conversation | undefined {
  try {
    return claudeCode.parse(part)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** The beginning of a part, which is enough for its summary. */
export const readStart = (part: string): readonly Message[] =>
  readPart(part.split('\n', START_LINES).join('\n'))

const START_LINES = 8

/**
 * A new session with what stood before the latest compaction, ready to be written. Undefined if the
 * file contains nothing from before it.
 */
export function copyEarlier(
  { parts }: SessionFile,
  sessionId: string,
  time: Date,
): string | undefined {
  const conversation = parsePart(`${parts.at(-2) ?? ''}\n`)
  if (!conversation || conversation.messages.length === 0) return undefined
  const output = claudeCode.serialize(conversation, {
    sessionId,
    timestamp: time.toISOString(),
    title: 'Before the compaction',
    createId: () => crypto.randomUUID(),
  })
  if (typeof output !== 'string') throw new TypeError('Writing a session: found no text.')
  return output
}

/** Rejects if the agent cannot write it. */
export async function writeSessionFile($: Mod, path: string, text: string): Promise<void> {
  if (new TextEncoder().encode(text).length <= PIECE_BYTES) await $.fs.write(path, text)
  else {
    // The agent writes no larger file itself.
    const { exitCode, stderr } = await $.process.run(['tee', path], {
      stdin: text,
      timeoutMs: WRITE_MS,
    })
    if (exitCode !== 0) throw new Error(`tee failed with ${exitCode}: ${stderr.slice(0, 200)}`)
  }
}

const WRITE_MS = 30_000
