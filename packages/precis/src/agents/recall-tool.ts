/** Whether a model can look up what was removed: markers in compressed sessions name the tool only where it is. */
import { getNodeValue } from 'jsonc-parser'
import type { Agent } from '../sessions/agent-home.ts'
import { asObject } from '../sessions/lines.ts'
import { readAgentFile } from './agent-file.ts'
import { AgentFileError } from './agent-file-error.ts'
import { findEntry, listOwnNodes, listTomlStatements } from './find-entry.ts'
import { integrations } from './index.ts'
import type { Entry } from './integration.ts'
import { parseJsonDocument } from './json-document.ts'
import { findStartCommand } from './start-command.ts'

/** The tool as the agent shows it to its model; undefined where the agent has no entry of precis, or a broken one. */
export function findRecallTool(
  agent: Agent,
  environment: NodeJS.ProcessEnv = process.env,
): { readonly toolName: string } | undefined {
  const { recallTool, listEntries } = integrations[agent]
  // The first entry is the one that gives the tool.
  const [entry] = listEntries({ environment, command: findStartCommand() })
  if (!entry) return undefined
  try {
    const text = readAgentFile(entry.path)
    const { type } = findEntry(text, entry)
    const isThere = (type === 'installed' || type === 'own') && !isSwitchedOff(text ?? '', entry)
    return isThere ? { toolName: recallTool } : undefined
  } catch (error) {
    if (error instanceof AgentFileError) return undefined
    throw error
  }
}

/** As the agents let the person say it: `"enabled": false`, `enabled = false`, `"disabled": true`. */
function isSwitchedOff(text: string, entry: Entry): boolean {
  if (entry.type === 'toml') {
    return listTomlStatements(text, entry.names).some(
      ({ path, start, end }) => path.at(-1) === 'enabled' && text.slice(start, end).endsWith('false'),
    )
  }
  const document = entry.type === 'json' ? parseJsonDocument(text) : undefined
  if (!document || 'problem' in document || entry.type !== 'json') return false
  const [node] = listOwnNodes(document, entry)
  const { enabled, disabled } = asObject(node && getNodeValue(node)) ?? {}
  return enabled === false || disabled === true
}
