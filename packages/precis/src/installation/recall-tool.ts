/**
 * How a model searches removed text. Markers in compressed sessions name the tool only if it is
 * installed.
 */

import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { RecallPath } from '@precis/core'
import type { ByteSource } from '@precis/core/formats'
import { getNodeValue } from 'jsonc-parser'
import type { Agent, SettingsEntry } from '../agents/shared/agent.ts'
import { AgentFileError } from '../files/errors.ts'
import { findStartCommand } from '../files/installed-files.ts'
import { asObject } from '../files/lines.ts'
import { readAgentFile } from './agent-file.ts'
import { findSettingsEntry, listOwnNodes } from './find-entry.ts'
import { parseJsonDocument } from './json-document.ts'
import { isTomlTableOff } from './toml-entry.ts'

/**
 * The tool as the agent shows it to its model. Undefined if the agent has no entry of precis, or a
 * broken one.
 */
export function findRecallTool(
  agent: Agent,
  environment: NodeJS.ProcessEnv = process.env,
): { readonly toolName: string } | undefined {
  const { installation } = agent
  const [entry] = installation?.listEntries({ environment, command: findStartCommand() }) ?? []
  if (!installation || !entry) return undefined
  try {
    const text = readAgentFile(entry.path)
    const { type } = findSettingsEntry(text, entry)
    const isThere = (type === 'installed' || type === 'own') && !isSwitchedOff(text ?? '', entry)
    return isThere ? { toolName: installation.recallTool } : undefined
  } catch (error) {
    if (error instanceof AgentFileError) return undefined
    throw error
  }
}

/** The spellings of the agents: `"enabled": false`, `enabled = false`, `"disabled": true`. */
function isSwitchedOff(text: string, entry: SettingsEntry): boolean {
  if (entry.type === 'toml') return isTomlTableOff(text, entry.names)
  const document = entry.type === 'json' ? parseJsonDocument(text) : undefined
  if (!document || 'problem' in document || entry.type !== 'json') return false
  const [node] = listOwnNodes(document, entry)
  const { enabled, disabled } = asObject(node && getNodeValue(node)) ?? {}
  return enabled === false || disabled === true
}

// Digits of the original's SHA-256: short enough for a model to repeat correctly, and still unique.
export const REFERENCE_DIGITS = 12
const PIECE_BYTES = 1 << 20
const BYTES_BETWEEN_PAUSES = 16 << 20

/**
 * How the model that continues a session of `agent` searches the text removed from `original`, when
 * it is in the archive. Undefined if the agent does not have the tool. The same document always has
 * the same reference.
 */
export async function findRecallPath(
  original: ByteSource,
  agent: Agent | undefined,
): Promise<RecallPath | undefined> {
  const found = agent === undefined ? undefined : findRecallTool(agent)
  if (!found) return undefined
  const sha256 = createHash('sha256')
  for (let position = 0; position < original.byteLength; position += PIECE_BYTES) {
    sha256.update(original.read(position, Math.min(position + PIECE_BYTES, original.byteLength)))
    // Hashing a large session blocks the process. An interruption takes effect here.
    if (position % BYTES_BETWEEN_PAUSES === 0) await setImmediate()
  }
  return { tool: found.toolName, reference: sha256.digest('hex').slice(0, REFERENCE_DIGITS) }
}

/** The same for an original with a known SHA-256, in hexadecimal digits. */
export function findRecallPathOf(sha256: string, agent: Agent): RecallPath | undefined {
  const found = findRecallTool(agent)
  return found && { tool: found.toolName, reference: sha256.slice(0, REFERENCE_DIGITS) }
}
