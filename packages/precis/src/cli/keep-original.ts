/** What every command that writes a new session does first: it keeps what goes. */
import type { Conversation } from '@precis/core'
import type { NewSession } from '@precis/core/formats'
import type { Command } from 'commander'
import { findRealPath } from '../archive/compressions.ts'
import { createArchive, explain, openArchive } from '../archive/open-archive.ts'
import { findRecordFates } from '../archive/record-fates.ts'
import { type Stored, storeOriginal } from '../archive/store-original.ts'
import type { ArchiveSettings } from '../configuration/configuration.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import type { Destination } from './destination.ts'
import { renderPlural } from './render.ts'
import type { Terminal } from './terminal.ts'
import { neutralizeLine } from './terminal-text.ts'

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

export function addArchiveOption(command: Command): Command {
  return command.option('--no-archive', 'do not keep the original in the archive')
}

/** Never throws: a compression that cannot be kept is still one, and its original is where it was. */
export async function keepOriginal(
  session: LoadedSession,
  result: NewResult,
  { quotaMegabytes = DEFAULT_QUOTA_MEGABYTES }: ArchiveSettings,
  terminal: Terminal,
): Promise<Kept> {
  try {
    const database = await createArchive()
    try {
      return storeOriginal(database, describe(session, result), quotaMegabytes * BYTES_PER_MEGABYTE)
    } finally {
      database.close()
    }
  } catch (error) {
    const explained = explain(error)
    const problem = explained instanceof Error ? explained.message : String(explained)
    const { path } = session.document
    const where = path === undefined ? 'It came from standard input: keep it yourself.' : 'Its file stays as it is.'
    terminal.note(`precis: the original is not in the archive. ${where} ${neutralizeLine(problem)}`)
    return { problem }
  }
}

/** What was kept for a result that could not be written is forgotten again; its records go with the next collection. */
export async function writeKept<T>(kept: Kept | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    // Where that fails too, the next collection does it: why nothing was written says more.
    if (kept && 'name' in kept) await Promise.allSettled([forget(kept.name)])
    throw error
  }
}

async function forget(name: string): Promise<void> {
  const database = await openArchive()
  database?.prepare('DELETE FROM compression WHERE name = ?').run([name])
  database?.close()
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
    report: { ...report, receipt },
  }
}

/** For the report; a problem was told already. What went to standard output has no other name than that of its entry. */
export function renderKept(kept: Kept | undefined, { type }: Destination): string[] {
  if (!kept || 'problem' in kept) return []
  const name = type === 'standard-output' ? ` ${kept.name}` : ''
  const records = `${renderPlural(kept.spans, 'record')} ${kept.spans === 1 ? 'was' : 'were'} removed or changed`
  return [`archive: ${records}; "precis recall${name}" searches them, "precis restore${name}" gives them back`]
}
