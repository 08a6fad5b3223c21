import { Option } from 'commander'
import type { Agent } from '../sessions/agent-home.ts'
import { listAgentNames, parseAgentName } from './agent-name.ts'

/** Which agents' sessions are meant; all where the option is not given. */
export function createAgentOption(meaning = 'only sessions of this agent'): Option {
  return new Option('--agent <name>', `${meaning}, repeatable: ${listAgentNames().join(', ')}`).argParser(collectAgents)
}

function collectAgents(text: string, before: readonly Agent[] = []): readonly Agent[] {
  return [...before, parseAgentName(text)]
}
