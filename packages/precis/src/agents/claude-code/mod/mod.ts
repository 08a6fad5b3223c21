/**
 * The part of the agent's interface for mods that precis uses. The agent writes the whole interface
 * for its version (`/plugin-authoring`, tested with 2.1.332), and reads each call of `$` in the
 * source.
 */
import type { SessionRow } from '@precis/core/formats'

export interface Mod {
  readonly session: {
    id(): Promise<string>
    cwd(): Promise<string>
    usage(options: { readonly breakdown: 'summary' }): Promise<SessionUsage>
    info(): Promise<{
      /** Empty if the session has no file. */
      readonly transcriptPath: string
    }>
    /** Refused while a command or a request runs. */
    compact(): Promise<unknown>
    /** The row is in the next request, as a reminder, and stays. */
    append(row: {
      readonly message: {
        readonly type: 'user'
        readonly content: readonly { readonly type: 'text'; readonly text: string }[]
      }
    }): Promise<unknown>
    /** Where it is drawn. Empty with `-p`. */
    surfaces(): Promise<readonly string[]>
  }
  readonly process: {
    run(
      words: readonly string[],
      options: { readonly stdin: string; readonly timeoutMs: number },
    ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>
  }
  readonly fs: {
    stat(path: string): Promise<{ readonly size: number }>
    read(
      path: string,
      range: { readonly as: 'bytes'; readonly offset: number; readonly length: number },
    ): Promise<{ readonly base64: string }>
    write(path: string, text: string): Promise<void>
  }
  /** Values of JSON, at most 4 MiB in all, kept between sessions. */
  readonly store: {
    get(key: string): Promise<unknown>
    set(key: string, value: unknown): Promise<void>
    delete(key: string): Promise<unknown>
    keys(): Promise<readonly string[]>
  }
  readonly clock: {
    now(): Promise<number>
    after(milliseconds: number, run: () => void): unknown
  }
  readonly command: {
    register(command: {
      readonly name: string
      readonly description: string
      readonly argumentHint: string
    }): Promise<unknown>
    /** As if the user typed it, when nothing else runs. Refused inside a turn. */
    run(command: { readonly command: string }): Promise<unknown>
  }
  readonly ui: {
    /** Rejects if the user closes the dialog, and if nobody can answer. */
    ask(
      question: string,
      options: { readonly options: readonly string[]; readonly header: string },
    ): Promise<string>
    open(pane: { readonly id: string; readonly title: string }): Promise<{
      readonly isPlaced: boolean
    }>
    /** What a surface draws with. */
    resolve(event: RenderEvent): { readonly Box: unknown; readonly Text: unknown }
    log(text: string, options?: { readonly to: 'transcript' | 'debug' }): void
  }
}

/** Of the main conversation, even inside a compaction of a sub-agent. */
export interface SessionUsage {
  readonly context: {
    readonly breakdown: {
      readonly model: string
      /** The window that the compaction measures by. */
      readonly rawMaxTokens: number
      /** Of that window, 0 to 100. */
      readonly percentage: number
    }
  }
}

export interface CompactEvent {
  readonly trigger: 'manual' | 'auto' | 'plugin' | 'precompute'
  /** Of a sub-agent, whose own messages these are. */
  readonly agentId?: string
  /** What the user typed after `/compact`. */
  readonly instructions?: string
  readonly messages: readonly unknown[]
}

export type CompactAnswer =
  | { readonly messages: readonly SessionRow[]; readonly skip?: undefined }
  /** The conversation stays as it is. */
  | { readonly skip: string; readonly messages?: undefined }

/** A turn begins or is over, of the main conversation or of a sub-agent. */
export interface TurnEvent {
  readonly agentId?: string
  /** Of a turn that is over: tokens that it wrote into the cache, by their lifetime. */
  readonly usage?: {
    readonly ephemeral_5m_input_tokens?: number
    readonly ephemeral_1h_input_tokens?: number
  }
}

/** A row that the agent is about to store. */
interface AppendEvent {
  readonly agentId?: string
  readonly message: {
    /** Undefined for what is in no request. */
    readonly role?: 'user' | 'assistant'
    readonly content: readonly object[]
  }
}

/** What a hook of the settings gets on its standard input. */
interface SettingsEvent {
  readonly source?: string
  /** Of a sub-agent. */
  readonly agent_id?: string
}

interface SettingsAnswer {
  readonly additionalContext?: readonly string[]
}

export interface RenderEvent {
  readonly surface: string
}

interface CommandEvent {
  /** What the user typed after its name. */
  readonly args: string
}

interface CommandAnswer {
  readonly text: string
  /** The text is in no request. */
  readonly isTextDisplayOnly: true
}

/** A tool that a module offers, under its own name. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: object
  readonly mcp: false
  readonly isReadOnly: boolean
  /** Whether the model searches for it before it reads its schema. */
  readonly isDeferred: boolean
}

/** A call of a tool that the module offers, with its input. */
interface ToolEvent {
  readonly agentId?: string
  readonly query?: unknown
  readonly span?: unknown
  readonly offset?: unknown
}

interface ToolAnswer {
  readonly result: string
  readonly isError?: boolean
}

interface ConnectEvent {
  readonly server: string
}

/** `value`: it is not connected, and why. */
interface ConnectAnswer {
  readonly value: {
    readonly isConnected: boolean
    readonly reason?: 'disabled'
    readonly message?: string
  }
}

/** The agent's own way. */
export interface Next<Event, Answer> {
  (event: Event): Promise<Answer>
  /** Of the hook's own time. Calls of `$` and of the agent's own way take nothing of it. */
  readonly budget: { readonly remainingMs: number }
}

export interface FailedNext<Event = never, Answer = unknown> extends Next<Event, Answer> {
  readonly error?: { readonly message?: string }
}

interface Registration<Event, Answer> {
  /** What happens if the hook throws or takes too long. */
  catch(handle: ($: Mod, event: Event, next: FailedNext<Event, Answer>) => Promise<Answer>): void
}

type Hook<Event, Answer> = ($: Mod, event: Event, next: Next<Event, Answer>) => Promise<Answer>

export interface On {
  (
    event: 'session.compact',
    hook: Hook<CompactEvent, CompactAnswer>,
  ): Registration<CompactEvent, CompactAnswer>
  (
    event: 'classic.SessionStart' | 'classic.PostCompact',
    hook: Hook<SettingsEvent, SettingsAnswer>,
  ): Registration<SettingsEvent, SettingsAnswer>
  (
    event: 'turn.start' | 'turn.complete',
    hook: Hook<TurnEvent, object>,
  ): Registration<TurnEvent, object>
  (
    event: 'session.append',
    matcher: { readonly door: 'compaction' },
    hook: Hook<AppendEvent, object>,
  ): Registration<AppendEvent, object>
  (event: 'session.start', hook: Hook<object, object>): Registration<object, object>
  (
    event: 'mcp.connect',
    hook: Hook<ConnectEvent, ConnectAnswer>,
  ): Registration<ConnectEvent, ConnectAnswer>
  (
    event: 'command.run',
    matcher: { readonly command: string },
    hook: Hook<CommandEvent, CommandAnswer>,
  ): Registration<CommandEvent, CommandAnswer>
  (
    event: 'tool.list',
    hook: Hook<object, { readonly value: readonly object[] }>,
  ): Registration<object, { readonly value: readonly object[] }>
  (
    event: 'tool.call',
    matcher: { readonly tool: string },
    hook: Hook<ToolEvent, ToolAnswer>,
  ): Registration<ToolEvent, ToolAnswer>
  (
    event: 'ui.render',
    matcher: { readonly component: 'Pane'; readonly requestId: string },
    hook: Hook<RenderEvent, unknown>,
  ): Registration<RenderEvent, unknown>
}

/** The fields of `userConfig` in the plugin's manifest. */
export interface ModOptions {
  readonly budgetTokens?: number
  /** Whether a compaction that the user asks for is shown and confirmed first. */
  readonly preview?: boolean
  /** `replace`: no model is asked. `verify`: the agent summarizes, and precis puts back. */
  readonly mode?: 'replace' | 'verify'
  /** Share of the window, 0 to 100, above which a finished turn is compacted. 0 is never. */
  readonly compactAtPercent?: number
  /**
   * The same for a conversation whose cache at the provider is about to expire, because the user
   * types nothing.
   */
  readonly compactIdlePercent?: number
}
