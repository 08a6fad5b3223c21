/** What every command that reads the archive has in common. */
import type { Command } from 'commander'
import { ArchiveError } from '../archive/archive-error.ts'
import { type ArchivedCompression, findCompression } from '../archive/compressions.ts'
import { explain, openArchive } from '../archive/open-archive.ts'
import type { Sqlite } from '../archive/sqlite.ts'
import { findSessionPath } from '../sessions/find-sessions.ts'
import { loadSession, STANDARD_INPUT } from '../sessions/load-session.ts'
import { SessionError } from '../sessions/session-error.ts'
import { SESSION_ARGUMENT } from './session-argument.ts'

export function addArchivedSessionArgument(command: Command): Command {
  return command.argument(
    `<${SESSION_ARGUMENT}>`,
    'a session that precis wrote, its original, or an entry of the archive: a file, or any unique beginning of an id',
  )
}

/** Opens the archive, finds what was asked for, and closes it in any case. */
export async function withArchivedSession<T>(
  name: string,
  work: (database: Sqlite, compression: ArchivedCompression) => Promise<T> | T,
): Promise<T> {
  const database = await openArchive()
  if (!database) throw nothingKept(name)
  try {
    return await work(database, await find(database, name))
  } catch (error) {
    throw explain(error)
  } finally {
    database.close()
  }
}

/** A file that was moved still has its id in it, and a file may be named after another id than it has. */
async function find(database: Sqlite, name: string): Promise<ArchivedCompression> {
  const asked = attempt(database, name)
  if (asked instanceof ArchiveError && asked.code === 'not-archived' && name !== STANDARD_INPUT) {
    const path = findFile(name)
    const found = path === undefined ? asked : attempt(database, path)
    if (!(found instanceof ArchiveError)) return found
    const sessionId = path === undefined ? undefined : await readSessionId(path)
    if (sessionId !== undefined) return findCompression(database, sessionId)
  }
  if (asked instanceof ArchiveError) throw asked
  return asked
}

function attempt(database: Sqlite, name: string): ArchivedCompression | ArchiveError {
  try {
    return findCompression(database, name)
  } catch (error) {
    if (error instanceof ArchiveError) return error
    throw error
  }
}

/** Undefined where it is of no agent: the archive may know it all the same. */
function findFile(name: string): string | undefined {
  try {
    return findSessionPath(name)
  } catch (error) {
    if (error instanceof SessionError && error.code === 'no-such-session') return undefined
    throw error
  }
}

async function readSessionId(path: string): Promise<string | undefined> {
  const { document, head } = await loadSession(path)
  document.close()
  return head?.sessionId
}

function nothingKept(name: string): ArchiveError {
  return new ArchiveError(
    'not-archived',
    `Looking up "${name}" in the archive: there is none yet. "precis compress" and "precis clone" make it.`,
  )
}
