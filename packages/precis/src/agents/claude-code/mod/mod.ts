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
  }
  readonly process: {
    run(
      words: readonly string[],
      options: { readonly stdin: string; readonly timeoutMs: number },
    ): Promise<{ readonly exitCode: number; readonly stdout: string }>
  }
  readonly clock: {
    after(milliseconds: number, run: () => void): unknown
  }
  readonly ui: {
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
  | { readonly messages: readonly SessionRow[] }
  /** The conversation stays as it is. */
  | { readonly skip: string }

/** What a hook of the settings gets on its standard input. */
export interface SettingsEvent {
  readonly source?: string
}

export interface SettingsAnswer {
  readonly additionalContext?: readonly string[]
}

/** The agent's own way. */
export interface Next<Event, Answer> {
  (event: Event): Promise<Answer>
  /** Of the hook's own time. Calls of `$` and of the agent's own way take nothing of it. */
  readonly budget: { readonly remainingMs: number }
}

interface FailedNext<Event, Answer> extends Next<Event, Answer> {
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
}

/** The fields of `userConfig` in the plugin's manifest. */
export interface ModOptions {
  readonly budgetTokens?: number
}
