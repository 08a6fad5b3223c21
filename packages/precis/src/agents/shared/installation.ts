/** How precis is added to an agent, and what its hooks may ask for. */
import type { Conversation, RecallPath } from '@precis/core'
import type { ByteSource } from '@precis/core/formats'
import type { JsonObject } from '../../files/lines.ts'
import type { Environment, SettingsEntry, StartCommand } from './file-entry.ts'

/** Entries in the agent's own files, each in a place that the agent documents. */
export interface Installation {
  /** The name of the tool that searches removed text, as this agent shows it to its model. */
  readonly recallTool: string
  /**
   * The same tool from precis's plugin. Undefined if there is no plugin, or the plugin itself names
   * the tool.
   */
  readonly pluginRecallTool?: string
  readonly bestWay: BestWay
  /** The folders or files that exist if the agent was ever used. */
  findTraces(environment: Environment): readonly string[]
  /** The first entry is the one with the tool. */
  listEntries(places: Places): readonly SettingsEntry[]
  /** More text for the user, in addition to the entries. */
  readonly note?: string
  /**
   * The work and the answer of `precis hook` for this agent. A text is printed unchanged. If
   * undefined, the hook keeps the session that the agent names.
   */
  answerHook?(input: JsonObject, host: HookHost): Promise<object | string | undefined>
}

/** How to begin with precis in this agent. */
export interface BestWay {
  /** `<repository>` is the folder of a clone of precis. */
  readonly commands: readonly string[]
  /** What precis does at a compaction, and what the compaction costs. */
  readonly does: string
  readonly cost: string
  /** How precis answers the compaction, if it does not with these commands. */
  readonly answering?: string
  /** Whether only these commands do it, and not what `precis install` adds. */
  readonly isOnlyByPlugin?: true
}

export interface Places {
  readonly environment: Environment
  readonly command: StartCommand
}

/** Everything a hook may ask for. Keeps nothing if the user turned the archive off. */
export interface HookHost {
  readonly environment: Environment
  /** By path, or by id of any agent's session. Undefined if it is not due. */
  keepSession(name: string, options?: KeepOptions): Promise<KeptSession | undefined>
  /** For conversations that are not in a file. */
  keepDocument(document: HookDocument): Promise<KeptSession | undefined>
  /**
   * How to look up the original of the agent's last compaction of a session, given by path or id.
   * Undefined if the original is not kept, or the model has no tool for it.
   */
  findRecall(session: string): Promise<RecallPath | undefined>
  /**
   * Whether the gateway answered the agent's last compaction of a session, so that its summary is
   * by precis. False if nothing is kept.
   */
  isAnswered(session: string): Promise<boolean>
}

export interface KeepOptions {
  /** Whether the agent is about to compact the session. */
  readonly isDue?: (session: OpenedSession) => boolean
  /** How many of the latest messages the agent leaves unchanged. */
  readonly keptMessages?: number
}

export interface OpenedSession {
  readonly source: ByteSource
  readonly conversation: Conversation
}

interface HookDocument extends OpenedSession {
  readonly sessionId: string | undefined
  readonly keptMessages: number
}

export interface KeptSession {
  /** SHA-256 of the session, in hexadecimal digits. */
  readonly hash: string
  /** The name that a model uses to look it up. */
  readonly reference: string
}
