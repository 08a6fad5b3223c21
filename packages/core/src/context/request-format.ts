import type { FormatName } from '../formats/format.ts'

/** The formats whose messages are sent, not stored. */
export type RequestFormat = Exclude<FormatName, 'claude-code' | 'codex' | 'opencode' | 'gemini-cli' | 'pi' | 'copilot'>
