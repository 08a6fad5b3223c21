/** What is kept of one owner, where it is, and how to delete it. */
import type { ConversationStore } from '@precis/core/following'
import { forgetCompression, listCompressions } from '../archive/compressions.ts'
import { findArchivePath, openArchive } from '../archive/open-archive.ts'
import { isDatabaseAddress, renderDatabaseAddress } from '../database/database.ts'
import { isOfOwner } from './owner.ts'

export interface Forgetting {
  readonly store: ConversationStore
  /** The archive's database: a file or an address. The user's own archive by default. */
  readonly database: string | undefined
  /**
   * Whether to delete what compactions removed, too. The next collection of the archive removes its
   * records.
   */
  readonly hasOriginals: boolean
}

/**
 * Deletes accounts, replacements of histories, and facts about summaries. Rejects like the
 * database.
 */
export async function forgetOwner(
  ownerId: string,
  { store, database, hasOriginals }: Forgetting,
): Promise<void> {
  await store.delete(`${ownerId}/`)
  // Data of followers begins with their key as JSON.
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

/** The place with its password removed. */
export function renderDatabasePlace(database = findArchivePath()): string {
  return isDatabaseAddress(database) ? renderDatabaseAddress(database) : database
}
