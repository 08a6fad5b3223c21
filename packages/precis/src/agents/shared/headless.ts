/**
 * An agent that answers one prompt and ends, for summaries by the model that its user already pays
 * for. The prompt comes on standard input. The agent runs in an empty folder, with its user's
 * login. If possible, it has no tools, hooks, plugins, MCP servers or saved session.
 */
import type { ContextWindow } from '@precis/core/models'
import type { Environment } from './file-entry.ts'

export interface Headless extends ContextWindow {
  /** The name in a shell: `claude`. */
  readonly program: string
  /** The command that installs it. */
  readonly install: string
  /** A model with the same tokens as the models that the agent usually asks. */
  readonly usualModel?: string
  /** Output lines that begin so are dropped on arrival, because they repeat other lines. */
  readonly repeats?: string
  /** A sentence at the end of the prompt that this agent needs. */
  readonly closing?: string
  plan(request: HeadlessRequest): HeadlessPlan
  /**
   * Reads everything that it printed. Undefined if that is not an answer of this agent. Never
   * throws.
   */
  readAnswer(output: string): HeadlessAnswer | undefined
  /** Removes the session if the agent saved one anyway. Never throws. */
  forget?(request: HeadlessRequest): void
}

interface HeadlessRequest {
  /** The folder in which it runs: absolute, empty, and removed afterwards. */
  readonly folder: string
  readonly environment: Environment
  /** As the user named it. Undefined for the model that the agent is set to use. */
  readonly model: string | undefined
}

export interface HeadlessPlan {
  readonly arguments: readonly string[]
  /** Added to the variables of the process. */
  readonly environment?: Readonly<Record<string, string>>
  /** By their paths in the folder. */
  readonly files?: Readonly<Record<string, string>>
}

type HeadlessAnswer =
  | {
      readonly type: 'text'
      readonly text: string
      /** Whether the output limit of the model cut it off. */
      readonly isCutOff?: boolean
      /** Tokens, including those that the agent itself added. */
      readonly inputTokens: number
      readonly outputTokens: number
    }
  | {
      readonly type: 'failed'
      /** Undefined if the agent gives no reason. */
      readonly message: string | undefined
    }

/** For agents whose own system prompt can be replaced. The rules are at the top of the prompt. */
export const ROLE =
  'You write records of conversations. Follow the rules at the top of the message.'
