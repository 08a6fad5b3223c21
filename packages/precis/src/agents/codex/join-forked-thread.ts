/**
 * A fork of Codex 0.169 contains only its own records. Its first line names the thread that it
 * continues, and the place:
 *
 *   base   session_meta   0 … 109 │ 110 …                              the forked thread
 *   fork   session_meta { history_base: { thread_id, end_byte_offset } }   110 …
 *   whole  session_meta   0 … 109   110 …
 */
import type { ByteSource } from '@precis/core/formats'
import { SessionError } from '../../files/errors.ts'
import { asCount, asObject, asText, parseObject, readLines } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { ListedSession } from '../shared/agent.ts'

/**
 * Undefined for a thread that is complete. Throws `SessionError` if a forked thread is missing, or
 * is a fork of itself.
 */
export function joinForkedThread(
  source: ByteSource,
  listThreads: () => readonly ListedSession[],
): ByteSource | undefined {
  if (!readBase(source)) return undefined
  const threads = new Map(listThreads().map(({ id, path }) => [id.toLowerCase(), path]))
  const pieces: Buffer[] = []
  let own: ByteSource = source
  let first: Buffer | undefined
  const seen = new Set<string>()
  for (;;) {
    const fork = readBase(own)
    const lineBytes = fork?.lineBytes ?? findLineEnd(own)
    pieces.unshift(Buffer.from(own.read(lineBytes, own.byteLength)))
    first ??= fork?.whole
    if (!fork) break
    const path = threads.get(fork.thread.toLowerCase())
    if (path === undefined)
      throw unreadable(fork.thread, 'is not among the sessions of Codex. Put its file back')
    if (seen.size === seen.add(path).size)
      throw unreadable(fork.thread, 'goes on from itself. Put back its file as it was')
    const bytes = readInputFile(path)
    own = createMemorySource(bytes.subarray(0, Math.min(fork.endBytes, bytes.length)))
  }
  return createMemorySource(Buffer.concat([first ?? Buffer.alloc(0), ...pieces]))
}

interface Fork {
  readonly thread: string
  /** How much of the other file comes before. */
  readonly endBytes: number
  /** Length of the first line, including its line break. */
  readonly lineBytes: number
  /** The first line of a thread that needs no other thread. */
  readonly whole: Buffer
}

function readBase(source: ByteSource): Fork | undefined {
  const [line] = readLines(source)
  if (!line?.includes('"history_base"')) return undefined
  const meta = parseObject(line)
  const { history_base: named, ...payload } = asObject(meta?.payload) ?? {}
  const base = asObject(named)
  const thread = asText(base?.thread_id)
  if (meta?.type !== 'session_meta' || thread === undefined) return undefined
  const whole = Buffer.from(
    `${JSON.stringify({ ...meta, ...('ordinal' in meta && { ordinal: 0 }), payload })}\n`,
  )
  return { thread, endBytes: asCount(base?.end_byte_offset), lineBytes: findLineEnd(source), whole }
}

function findLineEnd(source: ByteSource): number {
  const [line] = readLines(source)
  return Math.min((line?.length ?? 0) + 1, source.byteLength)
}

function unreadable(thread: string, problem: string): SessionError {
  return new SessionError(
    'unreadable',
    `Reading a fork of Codex: it goes on from thread ${thread}, which ${problem}, or fork again in Codex.`,
  )
}
