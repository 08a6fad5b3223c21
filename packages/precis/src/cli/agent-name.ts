import { InvalidArgumentError } from 'commander'
import { type Agent, findAgentHome, findAgentHomes } from '../sessions/agent-home.ts'

// As the commands that start them are called.
const SHORT_NAMES: ReadonlyMap<string, Agent> = new Map([
  ['claude', 'claude-code'],
  ['gemini', 'gemini-cli'],
])

/** As people write it. */
export function findAgentName(agent: Agent): string {
  return findAgentHome(agent)?.name ?? agent
}

/** As options and arguments take them, without the short ones. */
export function listAgentNames(): Agent[] {
  return findAgentHomes().map(({ agent }) => agent)
}

/** In letters of any case, short ones too. Throws `InvalidArgumentError`, as commander wants it. */
export function parseAgentName(text: string): Agent {
  const lower = text.toLowerCase()
  const name = SHORT_NAMES.get(lower) ?? lower
  const agent = listAgentNames().find((known) => known === name)
  if (agent) return agent
  throw new InvalidArgumentError(`Give one of ${listAgentNames().join(', ')}.`)
}
