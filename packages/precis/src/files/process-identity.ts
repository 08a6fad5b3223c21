/** Tells processes apart, also from those that had the same number before. */

import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { quietly, systemErrorCode } from './errors.ts'

export interface ProcessIdentity {
  readonly process: number
  /** In ticks since the machine started; empty where the system does not tell. */
  readonly startedAt: string
  readonly host: string
}

export function identifyProcess(): ProcessIdentity {
  return { process: process.pid, startedAt: readStart(process.pid), host: hostname() }
}

/** Whether that very process still runs; undefined for one of another machine. */
export function isAlive({ process: id, startedAt, host }: ProcessIdentity): boolean | undefined {
  if (host !== hostname()) return undefined
  if (!isRunning(id)) return false
  const start = readStart(id)
  return start === '' || startedAt === '' || start === startedAt
}

/** Whether any process of this machine has the number. */
export function isRunning(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0) return false
  try {
    return process.kill(id, 0)
  } catch (error) {
    // One of another user may not be signalled.
    return systemErrorCode(error) === 'EPERM'
  }
}

function readStart(id: number): string {
  const stat = quietly(() => readFileSync(`/proc/${id}/stat`, 'utf8')) ?? ''
  // Field 22; the second one is a name in parentheses that may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
