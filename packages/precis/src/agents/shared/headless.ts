/**
 * An agent that answers one prompt and ends, for summaries by the model that its user pays for
 * already. The prompt comes on standard input. The agent runs in an empty folder, with the login of
 * its user, and as far as it can without tools, hooks, plugins, MCP servers and a saved session.
 */
import type { Environment } from './file-entry.ts'

export interface Headless {
  /** As a shell finds it: `claude`. */
  readonly program: string
  /** The command that installs it. */
  readonly install: string
  /** A model whose tokens are those of the models that the agent usually asks. */
  readonly usualModel?: string
  /** Tokens of prompt and answer together that these models take. */
  readonly windowTokens: number
  /** Lines of its output that begin so are dropped as they come: they repeat what others say. */
  readonly repeats?: string
  /** A sentence at the end of the prompt that this agent needs. */
  readonly closing?: string
  plan(request: HeadlessRequest): HeadlessPlan
  /** Reads all that it printed. Undefined if that is no answer of this agent. Never throws. */
  readAnswer(output: string): HeadlessAnswer | undefined
  /** Removes the session that the agent saved in spite of everything. Never throws. */
  forget?(request: HeadlessRequest): void
}

export interface HeadlessRequest {
  /** In which it runs: absolute, empty, and removed after it. */
  readonly folder: string
  readonly environment: Environment
  /** As the user named it; undefined for the model that the agent is set to. */
  readonly model: string | undefined
}

export interface HeadlessPlan {
  readonly arguments: readonly string[]
  /** Added to those of the process. */
  readonly environment?: Readonly<Record<string, string>>
  /** By their paths inside of the folder. */
  readonly files?: Readonly<Record<string, string>>
}

export type HeadlessAnswer =
  | {
      readonly type: 'text'
      readonly text: string
      /** Whether the output limit of the model cut it off. */
      readonly isCutOff?: boolean
      /** Tokens, with those that the agent added of its own. */
      readonly inputTokens: number
      readonly outputTokens: number
    }
  | { readonly type: 'failed'; readonly message: string }

/** For agents whose own system prompt can be replaced; the rules are at the top of the prompt. */
export const ROLE =
  'You write records of conversations. Follow the rules at the top of the message.'
