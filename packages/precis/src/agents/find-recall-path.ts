import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { RecallPath } from '@precis/core'
import type { ByteSource } from '@precis/core/formats'
import type { Agent } from '../sessions/agent-home.ts'
import { findRecallTool } from './recall-tool.ts'

// Of the SHA-256 of an original: what a model writes back without a mistake, and nobody else has.
export const REFERENCE_DIGITS = 12
const PIECE_BYTES = 1 << 20
const BYTES_BETWEEN_PAUSES = 16 << 20

/**
 * How the model that goes on with a session of `agent` looks up what was removed from `original`, once that is in the
 * archive: undefined where the agent was not given the tool. The same document has the same reference.
 */
export async function findRecallPath(original: ByteSource, agent: Agent | undefined): Promise<RecallPath | undefined> {
  const found = agent === undefined ? undefined : findRecallTool(agent)
  if (!found) return undefined
  const sha256 = createHash('sha256')
  for (let position = 0; position < original.byteLength; position += PIECE_BYTES) {
    sha256.update(original.read(position, Math.min(position + PIECE_BYTES, original.byteLength)))
    // Hashing a large session holds the process; an interruption gets through here.
    if (position % BYTES_BETWEEN_PAUSES === 0) await setImmediate()
  }
  return { tool: found.toolName, reference: sha256.digest('hex').slice(0, REFERENCE_DIGITS) }
}

/** The same for an original whose SHA-256 is known, in hexadecimal digits. */
export function findRecallPathOf(sha256: string, agent: Agent): RecallPath | undefined {
  const found = findRecallTool(agent)
  return found && { tool: found.toolName, reference: sha256.slice(0, REFERENCE_DIGITS) }
}
