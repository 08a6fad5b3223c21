/**
 * The part of OpenCode's interface for plugins that precis uses (opencode.ai/docs/plugins and
 * `@opencode-ai/plugin`, tested with 1.18.33).
 */
import type { RecallSchema } from '@precis/core/context'

export interface OpencodeHooks {
  /** Before the request for a summary is made. OpenCode reads the prompt after the next hook. */
  readonly 'experimental.session.compacting': (
    input: { readonly sessionID: string },
    output: { readonly context: string[]; prompt?: string | undefined },
  ) => Promise<void>
  /** Before every request. Of a compaction, copies of what the summary replaces. */
  readonly 'experimental.chat.messages.transform': (
    input: object,
    output: { readonly messages: unknown[] },
  ) => Promise<void>
  /** A text of the model is complete, and not stored yet. */
  readonly 'experimental.text.complete': (
    input: { readonly sessionID: string; readonly messageID: string },
    output: { text: string },
  ) => Promise<void>
  readonly event: (input: {
    readonly event: {
      readonly type: string
      readonly properties?: { readonly sessionID?: string }
    }
  }) => Promise<void>
  readonly 'tool.definition': (
    input: { readonly toolID: string },
    output: { jsonSchema?: unknown },
  ) => Promise<void>
  readonly tool: Readonly<Record<string, OpencodeTool>>
}

interface OpencodeTool {
  readonly description: string
  readonly args: RecallSchema['properties']
  execute(input: unknown, context: { readonly sessionID: string }): Promise<string>
}

/** The second argument of a plugin: `"plugin": [["<path>", { "mode": "verify" }]]`. */
export interface OpencodeOptions {
  /** `replace`: precis summarizes. `verify`: the model does, and precis restores what it lost. */
  readonly mode?: 'replace' | 'verify'
}

interface Answer {
  readonly data?: unknown
  readonly error?: unknown
}

/** Its requests stay inside the process. */
export interface OpencodeClient {
  readonly app: { log(entry: { readonly body: object }): Promise<unknown> }
  readonly tui: { showToast(toast: { readonly body: object }): Promise<unknown> }
  readonly config: { providers(): Promise<Answer> }
  readonly session: {
    messages(request: { readonly path: { readonly id: string } }): Promise<Answer>
    prompt(request: {
      readonly path: { readonly id: string }
      readonly body: object
    }): Promise<unknown>
  }
}
