/** The original of a compression: what the archive keeps, and what became of its file. */
import { existsSync } from 'node:fs'
import type { Conversation } from '@precis/core'
import { beginsWith, type Format, FormatError, formats } from '@precis/core/formats'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { readOriginal } from '../archive/read-original.ts'
import type { Database } from '../database/database.ts'
import { findAgentHome } from '../sessions/agent-home.ts'
import { type LoadedSession, NO_DAMAGE } from '../sessions/load-session.ts'
import { openSession } from '../sessions/open-session.ts'
import { splitDatabasePath } from '../sessions/opencode/stored-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { readHead } from '../sessions/read-head.ts'

/** `longer`: its agent went on with it. `nowhere`: it came from standard input. */
export type OriginalState = 'same' | 'longer' | 'changed' | 'gone' | 'nowhere'

export interface OriginalSession {
  /** As if it had been read from its file. */
  readonly session: LoadedSession
  readonly bytes: Buffer
  readonly state: OriginalState
}

/** Reads it from the archive, whole, and compares it with its file. Throws `ArchiveError` when it is damaged. */
export async function findOriginal(
  database: Database,
  entry: ArchivedCompression,
  format: Format,
): Promise<OriginalSession> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await readOriginal(database, entry)) chunks.push(Uint8Array.from(chunk))
  const bytes = Buffer.concat(chunks)
  const conversation = format.parse(createMemorySource(bytes))
  const state = await compareWithFile(entry, bytes, conversation, format)
  const path = entry.originalPath !== null && state !== 'gone' ? entry.originalPath : undefined
  const home = findAgentHome(format.name)
  const source = createMemorySource(bytes)
  const session: LoadedSession = {
    name: entry.originalPath ?? entry.name,
    document: { source, path, stats: undefined, close: () => {} },
    format,
    conversation,
    home,
    head: home && readHead(source, home.agent),
    damage: NO_DAMAGE,
  }
  return { session, bytes, state }
}

export function findFormat(entry: ArchivedCompression): Format {
  const format = Object.values(formats).find(({ name }) => name === entry.format)
  if (format) return format
  throw new Error(`Undoing ${entry.name}: it is of the format "${entry.format}", which this precis does not know.`)
}

async function compareWithFile(
  { originalPath: path }: ArchivedCompression,
  bytes: Buffer,
  conversation: Conversation,
  format: Format,
): Promise<OriginalState> {
  if (path === null) return 'nowhere'
  const stored = splitDatabasePath(path)
  if (!existsSync(stored?.database ?? path)) return 'gone'
  const now = await readAll(path)
  if (now === undefined) return 'gone'
  if (now.equals(bytes)) return 'same'
  // A store tells its sessions anew each time, and a file that is only longer may be compacted: what counts is what is said.
  const after = parseAgain(format, now)
  if (!after || !beginsWith(after, conversation)) return 'changed'
  return after.messages.length > conversation.messages.length ? 'longer' : 'same'
}

/** Undefined for a session that is no longer in its store. */
async function readAll(path: string): Promise<Buffer | undefined> {
  try {
    const document = await openSession(path)
    try {
      return Buffer.from(document.source.read(0, document.source.byteLength))
    } finally {
      document.close()
    }
  } catch {
    return undefined
  }
}

/** Undefined where something else lies there now. */
function parseAgain(format: Format, bytes: Buffer): Conversation | undefined {
  try {
    return format.parse(createMemorySource(bytes))
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
