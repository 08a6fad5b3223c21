/** The place of a result and its name there, chosen before any work is done. */
import { randomUUID } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { Conversation } from '@precis/core'
import { createSyntheticMessage, readText } from '@precis/core/conversation'
import { withoutQuotesOf } from '@precis/core/facts'
import type { FormatOutput, NewSession } from '@precis/core/formats'
import { CompressionError, SessionError } from '../files/errors.ts'
import { findExisting, writeFileAtomically } from '../files/write-file.ts'
import { isFileOf } from '../sessions/find-sessions.ts'
import { type LoadedSession, STANDARD_INPUT } from '../sessions/load-session.ts'
import { createSessionId, placeSession, refuseWriting } from '../sessions/place-session.ts'
import { renderPreview } from '../terminal/render.ts'
import type { Destination, NewResult, Ports } from './ports.ts'

export interface DestinationOptions {
  readonly out?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

const TITLE_COLUMNS = 80
const SESSION_FILE =
  /^(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl?|(ses_[0-9A-Za-z]{8,60})\.json)$/i

/**
 * Uses `--out` if it was given. If not, the session of an agent is placed where its agent finds it.
 * Documents from standard input and of message formats go to standard output.
 */
export function chooseDestination(
  session: LoadedSession,
  options: DestinationOptions,
): Destination {
  const { document, agent, format, head, name } = session
  if (format.isReadOnly) throw refuseWriting(agent?.title ?? format.name, name)
  const sessionId = createSessionId(agent)
  if (options.out !== undefined && options.out !== STANDARD_INPUT) {
    assertWritable(options.out, session)
    // A file named after a session is that session.
    const [, uuid, named = uuid] = SESSION_FILE.exec(basename(options.out)) ?? []
    return options.dryRun
      ? { type: 'nowhere' }
      : { type: 'file', path: options.out, sessionId: named ?? sessionId }
  }
  if (options.dryRun) return { type: 'nowhere' }
  if (options.out === undefined && agent && name !== STANDARD_INPUT) {
    const placement = placeSession({
      agent,
      sessionId,
      time: new Date(),
      // Next to an original of another agent, it would not be found.
      originalPath: session.convertedFrom === undefined ? document.path : undefined,
      workingDirectory: session.conversation.workingDirectory ?? head?.workingDirectory,
      model: session.resumeModel,
    })
    return { type: 'agent', path: placement.path, sessionId, placement }
  }
  if (options.json) {
    throw new CompressionError(
      'wrong-usage',
      'The result and --json cannot both go to standard output. Give a file with --out, or --dry-run to write nothing.',
    )
  }
  return { type: 'standard-output', sessionId }
}

/** Throws if the result would overwrite its own session, or cannot be written. */
export function assertWritable(out: string, { document, name }: LoadedSession): void {
  const existing = findExisting(out)
  if (isFileOf(document, existing)) {
    throw new SessionError(
      'same-file',
      `Writing "${out}": it is the session itself ("${name}"). precis never changes an original. Give another file.`,
    )
  }
  if (existing?.isDirectory()) {
    throw new CompressionError(
      'wrong-usage',
      `Writing "${out}": it is a folder. Give the name of a file in it.`,
    )
  }
  if (!existing && !findExisting(dirname(out))) {
    throw new SessionError(
      'unwritable',
      `Writing "${out}": there is no folder "${dirname(out)}". Create it, or give another file.`,
    )
  }
}

/** Names for the new session. Undefined for message formats, which have none. */
export function createNewSession(
  session: LoadedSession,
  destination: Destination,
): NewSession | undefined {
  if (session.format.kind !== 'session') return undefined
  const change =
    session.convertedFrom === undefined ? 'compressed' : `from ${session.convertedFrom}`
  return {
    sessionId: 'sessionId' in destination ? destination.sessionId : '',
    timestamp: new Date().toISOString(),
    title: renderTitle(session.head?.firstPrompt, change),
    createId: randomUUID,
    withoutQuotes: (summary, typed) =>
      readText(
        withoutQuotesOf(
          createSyntheticMessage('user', summary),
          typed.map((text) => ({ role: 'user', origin: 'user', parts: [{ type: 'text', text }] })),
        ),
      ),
  }
}

/** The title of a new session in its agent. */
export function renderTitle(firstPrompt: string | undefined, change = 'compressed'): string {
  return `${renderFirstPrompt(firstPrompt) || 'Session'} (${change})`
}

export function renderFirstPrompt(firstPrompt: string | undefined): string {
  return renderPreview(firstPrompt ?? '', TITLE_COLUMNS)
}

const OWNER_READ_WRITE = 0o600

/** Writes to files and to the homes of agents. `print` writes to standard output. */
export function createWriter(
  print: (chunks: Iterable<Uint8Array>) => Promise<number>,
  note: Ports['note'],
): Ports['write'] {
  return async (chunks, result) => {
    const { destination, session } = result
    switch (destination.type) {
      case 'nowhere':
        return measure(chunks)
      case 'standard-output':
        return await print(chunks)
      case 'file':
        return await writeFileAtomically(destination.path, chunks, readMode(session.document.stats))
      case 'agent': {
        const bytes = await writeFileAtomically(destination.path, chunks, {
          ...readMode(session.document.stats),
          createFolders: true,
        })
        const problem =
          result.newSession &&
          session.agent?.register?.(
            destination.path,
            result.newSession,
            process.env,
            session.document.path,
          )
        if (problem !== undefined) note(`the session was written, but ${problem}.`)
        return bytes
      }
    }
  }
}

/** Serializes a conversation to its destination. Returns the size in bytes. */
export async function writeSession(
  { conversation, ...result }: NewResult & { readonly conversation: Conversation },
  write: Ports['write'],
): Promise<number> {
  return await write(
    splitOutput(result.session.format.serialize(conversation, result.newSession)),
    result,
  )
}

/** As private as the original, but writable for its agent. */
export function readMode(stats: { readonly mode: number } | undefined): { mode?: number } {
  return stats ? { mode: stats.mode | OWNER_READ_WRITE } : {}
}

function measure(chunks: Iterable<Uint8Array>): number {
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  return bytes
}

/**
 * The output of a format as bytes. Each piece may be a view that is valid until the next one is
 * read.
 */
export function splitOutput(output: FormatOutput): Iterable<Uint8Array> {
  if (typeof output === 'string') return [Buffer.from(output)]
  if (output instanceof Uint8Array) return [output]
  if (Symbol.iterator in output) return output
  return [Buffer.from(JSON.stringify(output))]
}

/**
 * The result as every later command reads it from the file. Some agents record no border between
 * answers, so two answers become one if the result between them was removed.
 */
export function readBack(
  { format }: LoadedSession,
  conversation: Conversation,
  newSession: NewSession | undefined,
): Conversation {
  const pieces = splitOutput(format.serialize(conversation, newSession))
  return format.parse(Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece))))
}
