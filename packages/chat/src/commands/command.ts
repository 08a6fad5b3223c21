import type { ChatAgent } from '../contract/chat-agent.ts'
import type { ChatView } from '../rendering/chat-view.ts'
import type { WindowContents } from '../rendering/context-contents.ts'

/** A word that the user may type after a slash. */
export interface SlashCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Arguments that may follow the name. */
  readonly hint?: string
  readonly summary: string
  /**
   * Whether it may run while the model answers. All others would change the history below the
   * answer.
   */
  readonly runsWhileAnswering: boolean
  /** Completions of the argument while it is typed. */
  listArguments?(agent: ChatAgent): readonly string[]
  run(argument: string, chat: Chat): Promise<void>
}

/** The chat that a command works on. */
export interface Chat {
  /** Changes with `reopen`. */
  readonly agent: ChatAgent
  readonly view: ChatView
  readonly workingDirectory: string
  readonly measure: () => WindowContents
  /** Sends the last request again. */
  readonly resend: () => Promise<void>
  /**
   * Switches to another chat or session, and keeps the present one. If the other cannot be opened,
   * rejects and stays.
   */
  readonly reopen: (session: string) => Promise<void>
  readonly quit: () => void
}
