/**
 * The files of threads. A fork of Codex 0.169 contains only its own records. Its first line names
 * the thread that it continues, and the place:
 *
 *   base   session_meta   0 … 109 │ 110 …                              the forked thread
 *   fork   session_meta { history_base: { thread_id, end_byte_offset } }   110 …
 *   whole  session_meta   0 … 109   110 …
 */
import { dirname, join, resolve } from 'node:path'
import type { ByteSource } from '@precis/core/formats'
import { SessionError } from '../../files/errors.ts'
import { asCount, asObject, asText, parseObject, readLines } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { Environment, IsWanted, ListedSession } from '../shared/agent.ts'
import { listFiles } from '../shared/session-files.ts'
import { findFolder } from './launch.ts'

const SESSION_FILE =
  /^rollout-.{1,40}-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$/i

export function findHome(environment: Environment): string {
  return resolve(findFolder(environment), 'sessions')
}

export function findArchive(environment: Environment): string {
  return join(dirname(findHome(environment)), 'archived_sessions')
}

export function listThreads(environment: Environment, isWanted?: IsWanted): ListedSession[] {
  return listFiles(findHome(environment), { levels: [3, 3], pattern: SESSION_FILE }, isWanted)
}

/**
 * Undefined for a thread that is complete. Throws `SessionError` if a forked thread is missing, or
 * is a fork of itself.
 */
export function completeThread(
  source: ByteSource,
  environment: Environment,
): ByteSource | undefined {
  if (!readBase(source)) return undefined
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
    const path = findThread(fork.thread, environment)
    if (path === undefined)
      throw unreadable(fork.thread, 'is not among the sessions of Codex. Put its file back')
    if (seen.size === seen.add(path).size)
      throw unreadable(fork.thread, 'goes on from itself. Put back its file as it was')
    const bytes = readInputFile(path)
    own = createMemorySource(bytes.subarray(0, Math.min(fork.endBytes, bytes.length)))
  }
  return createMemorySource(Buffer.concat([first ?? Buffer.alloc(0), ...pieces]))
}

function findThread(thread: string, environment: Environment): string | undefined {
  const isWanted = (id: string) => id.toLowerCase() === thread.toLowerCase()
  const archive = { levels: [0, 0], pattern: SESSION_FILE } as const
  const [found] = [
    ...listThreads(environment, isWanted),
    ...listFiles(findArchive(environment), archive, isWanted),
  ]
  return found?.path
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
