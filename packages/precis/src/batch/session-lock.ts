/** One process compresses a session at a time. The lock of a process that was killed binds nobody. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findUserFolders } from '../configuration/user-folders.ts'
import { acquireLease, type Lease } from '../sessions/file-lease.ts'
import { SessionError } from '../sessions/session-error.ts'

const held = new Set<Lease>()

/** Undefined while another process has it. The lock is named after the result. */
export function lockSession(resultId: string): Lease | undefined {
  try {
    const lease = acquireLease(join(findLocksFolder(), resultId))
    held.add(lease)
    return {
      release() {
        held.delete(lease)
        lease.release()
      },
    }
  } catch (error) {
    if (error instanceof SessionError && error.code === 'in-use') return undefined
    throw error
  }
}

/** Synchronous: it also runs while the process ends. */
export function releaseLocks(): void {
  for (const lease of held) lease.release()
  held.clear()
}

/** Those of processes that were killed. */
export function removeStaleLocks(): void {
  for (const name of listNames(findLocksFolder())) {
    const [, resultId] = /^([\w-]{1,80})\.lock\.\d+$/.exec(name) ?? []
    if (resultId !== undefined) lockSession(resultId)?.release()
  }
}

function findLocksFolder(): string {
  return join(findUserFolders().data, 'locks')
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing was ever locked.
    return []
  }
}
