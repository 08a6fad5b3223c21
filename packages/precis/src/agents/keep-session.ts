/** Keeps a session in the archive as it is before its agent compacts it in its place. */
import type { Conversation } from '@precis/core'
import { type ByteSource, beginsWith, FormatError, type FormatName, formats } from '@precis/core/formats'
import { ArchiveError } from '../archive/archive-error.ts'
import { type ArchivedCompression, findRealPath, forgetCompression, listTaken } from '../archive/compressions.ts'
import { createArchive } from '../archive/open-archive.ts'
import { readOriginal } from '../archive/read-original.ts'
import { findRecordFates } from '../archive/record-fates.ts'
import { type Stored, storeOriginal } from '../archive/store-original.ts'
import { type Damage, type LoadedSession, loadSession, toDamageJson } from '../sessions/load-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'

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
  readonly damage: Damage
  /** Messages that the agent leaves as they are; none by default. */
  readonly kept?: Conversation['messages']
}

/**
 * By path, or by id of any agent's session. Undefined where the agent is not about to compact it. Throws like `loadSession`
 * and `storeOriginal`.
 */
export async function keepSession(
  name: string,
  place: ArchivePlace,
  isDue: (session: LoadedSession) => boolean = () => true,
): Promise<Stored | undefined> {
  const session = await loadSession(name)
  const { document, format, head, conversation, damage } = session
  try {
    if (!isDue(session)) return undefined
    const { source, path } = document
    const sessionId = head?.sessionId
    return await keepDocument({ source, format: format.name, sessionId, path, conversation, damage }, place)
  } finally {
    document.close()
  }
}

/**
 * The result of such a compaction is the session itself: it has the same id and the same path. Agents call their hook also
 * for a compaction that never comes, or that fails: an entry stays only where the session was compacted after it.
 */
export async function keepDocument(
  session: SessionToKeep,
  { database: place, quotaBytes }: ArchivePlace,
): Promise<Stored> {
  const { source, format, sessionId, conversation, kept = [] } = session
  const path = session.path === undefined ? undefined : findRealPath(session.path)
  const database = await createArchive(place)
  try {
    const stored = await storeOriginal(
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
        report: toDamageJson(session),
      },
      quotaBytes,
    )
    for (const entry of await listTaken(database, sessionId, path)) {
      if (entry.name === stored.name) continue
      if (
        entry.originalHash !== stored.hash &&
        !(await isContained(entry, () => readOriginal(database, entry), conversation))
      )
        break
      await forgetCompression(database, entry.name)
    }
    return stored
  } finally {
    await database.close()
  }
}

/** Whether all that was kept is still sent, as it was. What is damaged stays for "precis archive verify" to find. */
async function isContained(
  { format: formatName }: ArchivedCompression,
  read: () => Promise<AsyncIterable<Uint8Array>>,
  conversation: Conversation,
): Promise<boolean> {
  const format = Object.values(formats).find(({ name }) => name === formatName)
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of await read()) chunks.push(Uint8Array.from(chunk))
    const before = format?.parse(createMemorySource(Buffer.concat(chunks)))
    return before !== undefined && beginsWith(conversation, before)
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof FormatError) return false
    throw error
  }
}
