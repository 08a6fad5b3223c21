/** Keeps a session in the archive as it is before its agent compacts it in its place. */
import type { Conversation } from '@precis/core'
import type { ByteSource, FormatName } from '@precis/core/formats'
import { findRealPath } from '../archive/compressions.ts'
import { createArchive } from '../archive/open-archive.ts'
import { findRecordFates } from '../archive/record-fates.ts'
import { type Stored, storeOriginal } from '../archive/store-original.ts'
import { loadSession } from '../sessions/load-session.ts'

/** Which archive, and how large it may be. */
export interface ArchivePlace {
  readonly database: string | undefined
  readonly quotaBytes: number
}

export interface SessionToKeep {
  readonly source: ByteSource
  readonly format: FormatName
  readonly sessionId: string | undefined
  readonly path: string | undefined
  readonly conversation: Conversation
  /** Messages that the agent leaves as they are; none by default. */
  readonly kept?: Conversation['messages']
}

/** By path, or by id of any agent's session. Throws like `loadSession` and `storeOriginal`. */
export async function keepSession(name: string, place: ArchivePlace): Promise<Stored> {
  const { document, format, head, conversation } = await loadSession(name)
  try {
    const { source, path } = document
    return await keepDocument({ source, format: format.name, sessionId: head?.sessionId, path, conversation }, place)
  } finally {
    document.close()
  }
}

/** The result of such a compaction is the session itself: it has the same id and the same path. */
export async function keepDocument(
  session: SessionToKeep,
  { database: place, quotaBytes }: ArchivePlace,
): Promise<Stored> {
  const { source, format, sessionId, conversation, kept = [] } = session
  const path = session.path === undefined ? undefined : findRealPath(session.path)
  const database = await createArchive(place)
  try {
    return await storeOriginal(
      database,
      {
        command: 'compact',
        source,
        format,
        sessionId,
        path,
        fates: findRecordFates(conversation, { messages: kept }),
        newSessionId: sessionId,
        newPath: path,
        report: {},
      },
      quotaBytes,
    )
  } finally {
    await database.close()
  }
}
