/** What is kept of one owner, where it is, and how it is deleted. */
import type { ConversationStore } from '@precis/core/following'
import { forgetCompression, listCompressions } from '../archive/compressions.ts'
import { findArchivePath, openArchive } from '../archive/open-archive.ts'
import { isDatabaseAddress, renderDatabaseAddress } from '../database/database.ts'
import { isOfOwner } from './owner.ts'

export interface Forgetting {
  readonly store: ConversationStore
  /** The archive's: a file or an address; the user's own by default. */
  readonly database: string | undefined
  /**
   * Whether also what compactions removed. Its records go with the next collection of the archive.
   */
  readonly hasOriginals: boolean
}

/**
 * Accounts, what takes the place of histories, and what is known of summaries. Rejects like the
 * database.
 */
export async function forgetOwner(
  ownerId: string,
  { store, database, hasOriginals }: Forgetting,
): Promise<void> {
  await store.delete(`${ownerId}/`)
  // What followers keep begins with their key as JSON.
  await store.delete(`"${ownerId}/`)
  if (!hasOriginals) return
  const archive = await openArchive(database)
  if (!archive) return
  try {
    for (const { name, originalId } of await listCompressions(archive)) {
      if (isOfOwner(originalId, ownerId)) await forgetCompression(archive, name)
    }
  } finally {
    await archive.close()
  }
}

/** Without a password. */
export function renderPlace(database = findArchivePath()): string {
  return isDatabaseAddress(database) ? renderDatabaseAddress(database) : database
}
