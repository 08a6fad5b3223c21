/** What every command that writes a new session does first: it keeps what goes. */
import { createHash } from 'node:crypto'
import type { Conversation } from '@precis/core'
import type { NewSession } from '@precis/core/formats'
import type { Command } from 'commander'
import { findRealPath, forgetCompression, recordResult } from '../archive/compressions.ts'
import { createArchive, explain, openArchive } from '../archive/open-archive.ts'
import { findRecordFates } from '../archive/record-fates.ts'
import { type Stored, storeOriginal } from '../archive/store-original.ts'
import type { ArchiveSettings } from '../configuration/configuration.ts'
import type { Database } from '../database/database.ts'
import { type LoadedSession, toDamageJson } from '../sessions/load-session.ts'
import { renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { addDatabaseOption } from './database-option.ts'
import type { Destination } from './destination.ts'

/** What the archive took, or why it took nothing. */
export type Kept = Stored | { readonly problem: string }

/** What is about to be written. */
export interface NewResult {
  readonly command: 'compress' | 'clone'
  readonly conversation: Conversation
  readonly newSession: NewSession | undefined
  readonly destination: Destination
  readonly report: { readonly receipt: { readonly facts: unknown } }
}

export const DEFAULT_QUOTA_MEGABYTES = 2000
const BYTES_PER_MEGABYTE = 1_000_000

/** Above it an archive takes nothing more. */
export function findQuotaBytes({ quotaMegabytes = DEFAULT_QUOTA_MEGABYTES }: ArchiveSettings = {}): number {
  return quotaMegabytes * BYTES_PER_MEGABYTE
}

export function addArchiveOption(command: Command): Command {
  return addDatabaseOption(command.option('--no-archive', 'do not keep the original in the archive'))
}

/** Never throws: a compression that cannot be kept is still one, and its original is where it was. */
export async function keepOriginal(
  session: LoadedSession,
  result: NewResult,
  settings: ArchiveSettings,
  terminal: Terminal,
): Promise<Kept> {
  const { database: place } = settings
  try {
    const database = await createArchive(place)
    try {
      return await storeOriginal(database, describe(session, result), findQuotaBytes(settings))
    } finally {
      await database.close()
    }
  } catch (error) {
    const explained = explain(error, place)
    const problem = explained instanceof Error ? explained.message : String(explained)
    const { path } = session.document
    const where = path === undefined ? 'It came from standard input: keep it yourself.' : 'Its file stays as it is.'
    terminal.note(`precis: the original is not in the archive. ${where} ${neutralizeLine(problem)}`)
    return { problem }
  }
}

/**
 * Tells the archive what was written in the end. What was kept for a result that could not be written is forgotten again; its
 * records go with the next collection. `write` gives every chunk to `watch` and returns the size in bytes.
 */
export async function writeKept(
  kept: Kept | undefined,
  place: string | undefined,
  { messages }: Pick<Conversation, 'messages'>,
  write: (watch: (chunk: Uint8Array) => void) => Promise<number>,
): Promise<number> {
  if (!kept || 'problem' in kept) return await write(() => {})
  const sha256 = createHash('sha256')
  // Where either fails the original is kept all the same, and why nothing was written says more.
  try {
    const bytes = await write((chunk) => sha256.update(chunk))
    const result = { bytes, hash: sha256.digest('hex'), messages: messages.length }
    await Promise.allSettled([tell(place, (database) => recordResult(database, kept.name, result))])
    return bytes
  } catch (error) {
    await Promise.allSettled([tell(place, (database) => forgetCompression(database, kept.name))])
    throw error
  }
}

async function tell(place: string | undefined, work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openArchive(place)
  if (!database) return
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

function describe(session: LoadedSession, { command, conversation, newSession, destination, report }: NewResult) {
  const { document, format, head } = session
  // Each fact is in the records; what counts here is how many there are.
  const { facts: _facts, ...receipt } = report.receipt
  return {
    command,
    source: document.source,
    format: format.name,
    sessionId: head?.sessionId,
    path: document.path === undefined ? undefined : findRealPath(document.path),
    fates: findRecordFates(session.conversation, conversation),
    newSessionId: newSession?.sessionId,
    newPath: 'path' in destination ? findRealPath(destination.path) : undefined,
    report: { ...report, receipt, ...toDamageJson(session) },
  }
}

/** For the report; a problem was told already. What went to standard output has no other name than that of its entry. */
export function renderKept(kept: Kept | undefined, { type }: Destination): string[] {
  if (!kept || 'problem' in kept) return []
  const name = type === 'standard-output' ? ` ${kept.name}` : ''
  const records = `${renderPlural(kept.spans, 'record')} ${kept.spans === 1 ? 'was' : 'were'} removed or changed`
  return [`archive: ${records}; "precis recall${name}" searches them, "precis restore${name}" gives them back`]
}
