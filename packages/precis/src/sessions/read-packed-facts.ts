/** Runs in threads: reads the facts of one session. */
import { agents } from '../agents/index.ts'
import { SessionError } from '../files/errors.ts'
import type { SessionFile } from './find-sessions.ts'
import { type PackedFacts, packFacts } from './pack-facts.ts'
import { readSessionFacts } from './session-facts.ts'

/** A session with the name of its agent, as one thread can send it to another. */
export interface SessionTask extends Omit<SessionFile, 'agent'> {
  readonly agent: string
  readonly isBrief: boolean
}

// Reading that much takes half a minute. No agent continues such a session.
const MOST_BYTES = 2 ** 31

/**
 * Undefined for a session that went away, cannot be read or is above 2 GiB: it spoils nothing.
 */
export async function readPackedFacts(task: SessionTask): Promise<PackedFacts | undefined> {
  const agent = agents.find(({ name }) => name === task.agent)
  if (!agent || task.bytes > MOST_BYTES) return undefined
  try {
    return packFacts(await readSessionFacts({ ...task, agent }, task.isBrief))
  } catch (error) {
    if (error instanceof SessionError) return undefined
    throw error
  }
}

/** Of each in order. A thread takes some sessions at a time. */
export async function readEach(tasks: readonly SessionTask[]) {
  const found: (PackedFacts | undefined)[] = []
  for (const task of tasks) found.push(await readPackedFacts(task))
  return found
}
