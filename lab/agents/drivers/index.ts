import type { Driver } from '../driver.ts'
import { claudeCode } from './claude-code.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilotCli } from './copilot-cli.ts'
import { geminiCli } from './gemini-cli.ts'
import { kilo } from './kilo.ts'
import { openCode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwenCode } from './qwen-code.ts'

export const drivers: readonly Driver[] = [
  claudeCode,
  codex,
  copilotCli,
  geminiCli,
  openCode,
  kilo,
  pi,
  qwenCode,
  cline,
]

/** The other agents that precis knows, each with the reason why no driver runs it. */
export const undriven: Readonly<Record<string, string>> = {
  cursor: 'It is not in npm, and needs a login.',
  copilot: 'It is a part of VS Code, not a program of npm.',
}
