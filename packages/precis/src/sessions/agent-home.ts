import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type Agent = 'claude-code' | 'codex' | 'opencode' | 'gemini-cli' | 'pi'

/** Where an agent keeps its sessions on this machine; the folder need not exist. */
export interface AgentHome {
  readonly agent: Agent
  /** As people write it. */
  readonly name: string
  readonly sessionsDirectory: string
}

/** Variables of the agents go before the folders in the home directory, as in the agents themselves. */
export function findAgentHomes(environment: NodeJS.ProcessEnv = process.env): AgentHome[] {
  const claude = environment.CLAUDE_CONFIG_DIR || join(homedir(), '.claude')
  const codex = environment.CODEX_HOME || join(homedir(), '.codex')
  const data = environment.XDG_DATA_HOME || join(homedir(), '.local', 'share')
  const gemini = environment.GEMINI_CLI_HOME || homedir()
  const pi = environment.PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
  return [
    { agent: 'claude-code', name: 'Claude Code', sessionsDirectory: resolve(claude, 'projects') },
    { agent: 'codex', name: 'Codex', sessionsDirectory: resolve(codex, 'sessions') },
    { agent: 'opencode', name: 'OpenCode', sessionsDirectory: resolve(data, 'opencode') },
    { agent: 'gemini-cli', name: 'Gemini CLI', sessionsDirectory: resolve(gemini, '.gemini', 'tmp') },
    { agent: 'pi', name: 'pi', sessionsDirectory: resolve(pi, 'sessions') },
  ]
}

/** Undefined for a format that is no agent's session. */
export function findAgentHome(format: string): AgentHome | undefined {
  return findAgentHomes().find(({ agent }) => agent === format)
}
