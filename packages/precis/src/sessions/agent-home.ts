import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { findPiSessionFolder } from './pi/session-folder.ts'

export type Agent = 'claude-code' | 'codex' | 'opencode' | 'gemini-cli' | 'pi' | 'copilot'

/** Where an agent keeps its sessions on this machine; the folder need not exist. */
export interface AgentHome {
  readonly agent: Agent
  /** As people write it. */
  readonly name: string
  readonly sessionsDirectory: string
  /** Without a folder for each project, as a person may want it of pi. */
  readonly isFlat?: boolean
}

/** Variables of the agents go before the folders in the home directory, as in the agents themselves. */
export function findAgentHomes(environment: NodeJS.ProcessEnv = process.env): AgentHome[] {
  const claude = environment.CLAUDE_CONFIG_DIR || join(homedir(), '.claude')
  const codex = environment.CODEX_HOME || join(homedir(), '.codex')
  const data = environment.XDG_DATA_HOME || join(homedir(), '.local', 'share')
  const gemini = environment.GEMINI_CLI_HOME || homedir()
  return [
    { agent: 'claude-code', name: 'Claude Code', sessionsDirectory: resolve(claude, 'projects') },
    { agent: 'codex', name: 'Codex', sessionsDirectory: resolve(codex, 'sessions') },
    { agent: 'opencode', name: 'OpenCode', sessionsDirectory: resolve(data, 'opencode') },
    { agent: 'gemini-cli', name: 'Gemini CLI', sessionsDirectory: resolve(gemini, '.gemini', 'tmp') },
    { agent: 'pi', name: 'pi', ...findPiSessionFolder(environment) },
    { agent: 'copilot', name: 'GitHub Copilot', sessionsDirectory: resolve(findVscodeData(environment), 'User') },
  ]
}

/** As VS Code itself looks for it. */
function findVscodeData(environment: NodeJS.ProcessEnv): string {
  if (environment.VSCODE_PORTABLE) return join(environment.VSCODE_PORTABLE, 'user-data')
  return join(environment.VSCODE_APPDATA || findApplicationData(environment), 'Code')
}

function findApplicationData(environment: NodeJS.ProcessEnv): string {
  switch (process.platform) {
    case 'win32':
      return environment.APPDATA || join(homedir(), 'AppData', 'Roaming')
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support')
    default:
      return environment.XDG_CONFIG_HOME || join(homedir(), '.config')
  }
}

/** Undefined for a format that is no agent's session. */
export function findAgentHome(format: string): AgentHome | undefined {
  return findAgentHomes().find(({ agent }) => agent === format)
}
