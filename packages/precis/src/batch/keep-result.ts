import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { ByteSource } from '@precis/core/formats'
import { ArchiveError } from '../archive/archive-error.ts'
import { findRealPath, recordResult } from '../archive/compressions.ts'
import { createArchive, explain } from '../archive/open-archive.ts'
import { storeOriginal } from '../archive/store-original.ts'
import { isDatabaseAddress } from '../database/database-address.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import type { Job, JobArchive, JobCompressed, KeptResult } from './job.ts'
import { renderSettings } from './settings.ts'

/** Keeps the original before the result is written. Never throws: a compression that cannot be kept is still one. */
export async function keepResult(
  source: ByteSource,
  path: string | undefined,
  { format, report, fates, originalId, output, damage }: Omit<JobCompressed, 'kept'>,
  { settings, newSession }: Pick<Job, 'settings' | 'newSession'>,
  { place, quotaBytes, newPath }: JobArchive,
): Promise<KeptResult> {
  // Each fact is in the records; what counts here is how many there are.
  const { facts: _facts, ...receipt } = report.receipt
  const original = {
    command: 'compress',
    source,
    format,
    sessionId: originalId,
    path: path === undefined ? undefined : findRealPath(path),
    fates: new Map(fates),
    newSessionId: newSession.sessionId,
    newPath: findRealPath(newPath),
    report: { ...report, receipt, settings: renderSettings(settings), ...toDamageJson({ damage }) },
  } as const
  for (let attempts = 1; ; attempts++) {
    try {
      const database = await createArchive(place)
      try {
        const stored = await storeOriginal(database, original, quotaBytes)
        if (output) {
          const hash = createHash('sha256').update(output).digest('hex')
          await recordResult(database, stored.name, { bytes: output.length, hash, messages: report.after.messages })
        }
        return stored
      } finally {
        await database.close()
      }
    } catch (error) {
      const explained = explain(error, place)
      const isAway = explained instanceof ArchiveError && explained.code === 'archive-unavailable'
      const isServer = place !== undefined && isDatabaseAddress(place)
      if (!isServer || !isAway || attempts === MOST_ATTEMPTS) {
        return { problem: explained instanceof Error ? explained.message : String(explained) }
      }
    }
    await setTimeout(RETRY_MS)
  }
}

// A server that restarts is back by then.
const MOST_ATTEMPTS = 20
const RETRY_MS = 2000
