import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { openChat } from './agent/open-chat.ts'
import type { ChatAgent, ChatOptions } from './contract/chat-agent.ts'
import { createPalette } from './rendering/chat-view.ts'

export type { ChatError, ChatErrorCode, ChatOptions } from './contract/chat-agent.ts'
export type { ChatPorts, TerminalPort } from './contract/ports.ts'

/** How a chat ended. */
export interface ChatEnd {
  /** Requests and commands whose failure was not shown. Always 0 on a screen. */
  readonly failures: number
}

/**
 * Runs a chat on this terminal. If there is none, reads one question per line from standard input.
 * Rejects with an error that has a code for what cannot be opened.
 */
export async function runChat(options: ChatOptions): Promise<ChatEnd> {
  const { terminal } = options.ports
  const setting = {
    agent: await openChat(options),
    isDemo: options.isDemo,
    workingDirectory: options.workingDirectory,
    open: (resume: string) => openChat({ ...options, resume }),
  }
  const palette = createPalette(terminal)
  if (hasScreen()) {
    const { runScreen } = await import('./screen/live-chat.ts')
    const farewell = renderFarewell(await runScreen(setting, palette))
    if (farewell !== undefined) terminal.note(palette.quiet(farewell))
    return { failures: 0 }
  }
  const { runPlainChat } = await import('./screen/plain-chat.ts')
  return await runPlainChat(setting, palette, terminal)
}

function hasScreen(): boolean {
  return (
    process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb'
  )
}

/** How to resume. Undefined if nothing is kept. */
function renderFarewell({ historyFile, context }: ChatAgent): string | undefined {
  if (historyFile === undefined || context.messages.length === 0) return undefined
  const id = historyFile.slice(historyFile.lastIndexOf('/') + 1).replace(/\.jsonl$/, '')
  return `Go on with it: precis chat --resume ${id}`
}
