import type { Agent } from '../sessions/agent-home.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { geminiCli } from './gemini-cli.ts'
import type { AgentIntegration } from './integration.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'

export const integrations: Readonly<Record<Agent, AgentIntegration>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  opencode,
  pi,
  copilot,
}
