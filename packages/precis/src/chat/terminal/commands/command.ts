import type { ChatAgent } from '../../chat-agent.ts'
import type { ChatView } from '../chat-view.ts'
import type { WindowContents } from '../context-contents.ts'

/** What a person may type behind a slash. One file each. */
export interface SlashCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** What may follow the name. */
  readonly hint?: string
  readonly summary: string
  /** Whether it may run while the model answers; the others change what the answer stands on. */
  readonly runsWhileAnswering: boolean
  /** Completions of the argument while it is typed. */
  listArguments?(agent: ChatAgent): readonly string[]
  run(argument: string, chat: Chat): Promise<void>
}

/** What a command works on. */
export interface Chat {
  /** Changes with `reopen`. */
  readonly agent: ChatAgent
  readonly view: ChatView
  readonly workingDirectory: string
  readonly measure: () => WindowContents
  /** Sends the last request again. */
  readonly resend: () => Promise<void>
  /** Goes on with another chat or session; the one so far is kept. Rejects, and stays, when that cannot be opened. */
  readonly reopen: (session: string) => Promise<void>
  readonly quit: () => void
}
