import { claudeCode } from './claude-code/claude-code.ts'
import { cline } from './cline/cline.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { copilotCli } from './copilot-cli/copilot-cli.ts'
import { cursor } from './cursor/cursor.ts'
import { geminiCli } from './gemini-cli/gemini-cli.ts'
import { kilo } from './kilo/kilo.ts'
import { opencode } from './opencode/opencode.ts'
import { pi } from './pi/pi.ts'
import { qwenCode } from './qwen-code/qwen-code.ts'
import type { Agent } from './shared/agent.ts'

/** Every agent that precis knows. */
export const agents: readonly Agent[] = [
  claudeCode,
  codex,
  opencode,
  kilo,
  geminiCli,
  pi,
  copilot,
  copilotCli,
  cline,
  cursor,
  qwenCode,
]
