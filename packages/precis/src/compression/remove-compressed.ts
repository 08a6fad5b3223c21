import { rmSync, statSync } from 'node:fs'
import { type Growth, readWhole } from '@precis/core/formats'
import type { ArchivedCompression } from '../archive/compressions.ts'
import type { Database } from '../database/database.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { findLineagePath } from '../sessions/lineage.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { renderPlural } from '../terminal/render.ts'
import { countUnkept, type OriginalSession } from './find-original.ts'
import { describeSession, storeAsItIs } from './keep-original.ts'

/** The session that the user continues. */
interface Continuation {
  /** Its path. Undefined for standard output. */
  readonly output: string | undefined
  /** What it could not take over. */
  readonly losses: readonly unknown[]
}

export interface Removal {
  /** Whether the compressed session was removed, and why not if that was requested. */
  readonly removed: boolean
  readonly notRemoved: string | undefined
}

/**
 * Why the compressed session has to stay: it is continued, or contains the only copy of something.
 */
export function findObstacle(
  entry: ArchivedCompression,
  grown: LoadedSession,
  original: OriginalSession,
  growth: Growth,
  { output, losses }: Continuation,
): string | undefined {
  const place = grown.document.path && findRealPath(grown.document.path)
  const isOriginal = entry.command === 'compact' || place === entry.originalPath
  if (isOriginal || (output !== undefined && place === findRealPath(output))) {
    return 'it is the session itself that goes on, and no copy of it'
  }
  if (losses.length > 0) return 'the new session cannot hold all of what was added'
  const { format, conversation } = original.session
  const kept = [...readWhole(format, conversation), ...growth.messages]
  const count = countUnkept(entry, grown, kept, growth.messages.length === 0)
  if (count === 0) return undefined
  return `${renderPlural(count, 'record')} that its agent added, such as words you took back, ${count === 1 ? 'is' : 'are'} neither in the original nor in the new session, so delete it yourself if you do not need ${count === 1 ? 'that' : 'those'}`
}

/**
 * Records without a message, such as a title, are not in the session that goes on. If the agent
 * added some, the archive keeps the compressed session in its present state, as long as that one is
 * there. Returns the name of the entry.
 */
export async function keepOtherRecords(
  entry: ArchivedCompression,
  grown: LoadedSession,
  { messages }: Growth,
  result: { readonly sessionId: string | undefined; readonly path: string | undefined },
  { database, quotaBytes }: { readonly database: Database; readonly quotaBytes: number },
): Promise<string | undefined> {
  const { format, conversation } = grown
  if (countUnkept(entry, grown, [...readWhole(format, conversation), ...messages], true) === 0)
    return undefined
  const session = { ...describeSession(grown), kept: conversation.messages, result }
  return (await storeAsItIs(database, session, quotaBytes)).name
}

/**
 * Removes the file only if it is still what was read. Anything that its agent wrote meanwhile
 * stays.
 */
export function removeCompressed(
  grown: LoadedSession | undefined,
  { dryRun }: { readonly dryRun?: boolean },
): Removal {
  const path = grown?.document.path
  if (!grown || path === undefined) return { removed: false, notRemoved: 'it is gone already' }
  const { stats } = grown.document
  if (!stats || grown.agent?.isRemovable?.(path) === false) {
    return {
      removed: false,
      notRemoved: `${grown.agent?.title ?? 'its agent'} keeps it in its own store, so remove it there`,
    }
  }
  const real = findRealPath(path)
  const now = statSync(real, { throwIfNoEntry: false })
  if (!now || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs) {
    return { removed: false, notRemoved: 'it was written to meanwhile, so undo it again' }
  }
  if (dryRun) return { removed: false, notRemoved: undefined }
  rmSync(real)
  rmSync(findLineagePath(real), { force: true })
  return { removed: true, notRemoved: undefined }
}
