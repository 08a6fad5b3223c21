/** Identifies processes, even if an earlier process had the same number. */

import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { quietly, systemErrorCode } from './errors.ts'

export interface ProcessIdentity {
  readonly process: number
  /** In ticks since the machine started. Empty if the system does not report it. */
  readonly startedAt: string
  readonly host: string
}

export function identifyProcess(): ProcessIdentity {
  return { process: process.pid, startedAt: readStart(process.pid), host: hostname() }
}

/** Whether this exact process still runs. Undefined for a process of another machine. */
export function isAlive({ process: id, startedAt, host }: ProcessIdentity): boolean | undefined {
  if (host !== hostname()) return undefined
  if (!isRunning(id)) return false
  const start = readStart(id)
  return start === '' || startedAt === '' || start === startedAt
}

/** For files that several containers of one machine may share. */
export interface ContainedProcess extends ProcessIdentity {
  /** Numbers of processes mean nothing in another one. */
  readonly container: string
}

export const identifyContained = (): ContainedProcess => {
  return { ...identifyProcess(), container: findContainer() }
}

/** The same as `isAlive`. Undefined for a process of another container too. */
export const isContainedAlive = (process: ContainedProcess): boolean | undefined =>
  process.container === findContainer() ? isAlive(process) : undefined

/** Empty if the system does not know it. */
const findContainer = (): string => quietly(() => readlinkSync('/proc/self/ns/pid')) ?? ''

/** Whether any process of this machine has the number. */
export function isRunning(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0) return false
  try {
    return process.kill(id, 0)
  } catch (error) {
    // Signals to a process of another user may be forbidden.
    return systemErrorCode(error) === 'EPERM'
  }
}

function readStart(id: number): string {
  const stat = quietly(() => readFileSync(`/proc/${id}/stat`, 'utf8')) ?? ''
  // Field 22. The second field is a name in parentheses with any characters.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
