import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type Agent = 'claude-code' | 'codex'

/** Where an agent keeps its sessions on this machine; the folder need not exist. */
export interface AgentHome {
  readonly agent: Agent
  /** As people write it. */
  readonly name: string
  readonly sessionsDirectory: string
}

/** `CLAUDE_CONFIG_DIR` and `CODEX_HOME` go before the folders in the home directory, as in the agents themselves. */
export function findAgentHomes(environment: NodeJS.ProcessEnv = process.env): AgentHome[] {
  const claude = environment.CLAUDE_CONFIG_DIR || join(homedir(), '.claude')
  const codex = environment.CODEX_HOME || join(homedir(), '.codex')
  return [
    { agent: 'claude-code', name: 'Claude Code', sessionsDirectory: resolve(claude, 'projects') },
    { agent: 'codex', name: 'Codex', sessionsDirectory: resolve(codex, 'sessions') },
  ]
}

/** Undefined for a format that is no agent's session. */
export function findAgentHome(format: string): AgentHome | undefined {
  return findAgentHomes().find(({ agent }) => agent === format)
}
