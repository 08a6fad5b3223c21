/**
 * The contract of agents: all that differs between them is in the folder of each, and no other
 * folder asks which one it is. A session that one of them wrote is data: what cannot be read is
 * left out, never thrown.
 */
import type { Conversation, Message, RecallPath } from '@precis/core'
import type { ByteSource, Format, NewSession } from '@precis/core/formats'
import type { JsonObject } from '../../files/lines.ts'
import type { BilledRequest, BilledSum } from './billed.ts'
import type { Environment, SettingsEntry, StartCommand } from './file-entry.ts'
import type { Measured } from './measured.ts'
import type { AgentWire } from './wire.ts'

export type { BilledRequest, BilledSum } from './billed.ts'
export type {
  Environment,
  FileEntry,
  JsonEntry,
  JsonValue,
  SettingsEntry,
  StartCommand,
  TomlEntry,
  TomlValueEntry,
} from './file-entry.ts'
export type { Measured } from './measured.ts'

/** One coding agent on this machine. */
export interface Agent {
  /** As options, arguments and reports write it: `gemini-cli`. */
  readonly name: string
  /** As users write it: `Gemini CLI`. */
  readonly title: string
  /** Other names that users give it on the command line, such as that of its program. */
  readonly aliases?: readonly string[]
  readonly format: Format
  readonly ids: SessionIds

  /** The environment variables that name another home. */
  readonly homeVariables: readonly string[]
  /** The folder below which it keeps its sessions. Need not exist. */
  findHome(environment: Environment): string
  /** The sessions below its home, in any order. None is opened. */
  list(environment: Environment): readonly ListedSession[]
  /** Sessions that are not one file each; undefined where all are. */
  readonly store?: SessionStore
  /**
   * The working directory of a session, by the folder that it lies in; for sessions that do not
   * name it themselves.
   */
  findWorkingDirectory?(path: string): string | undefined
  /** The folder of sessions that the user set aside. */
  findSetAside?(path: string, environment: Environment): string

  /**
   * The session with what it only refers to: what came before a fork, which lies in the session
   * that was forked. Undefined for one that is whole. Throws `SessionError` where the other is not
   * there.
   */
  completeSession?(source: ByteSource, environment: Environment): ByteSource | undefined

  /** Reads no more than a megabyte, or as far as the first prompt. */
  readHead(source: ByteSource): SessionHead
  /**
   * As its own list calls the session, by the beginning and the end of it; undefined where the
   * session holds no title.
   */
  readTitle?(source: ByteSource): string | undefined
  /**
   * Tokens of the newest request and its answer, as the provider counted them: the agent's own
   * gauge. Unknown after a compaction.
   */
  readContextTokens?(source: ByteSource): number | undefined
  /**
   * The window of its model as the agent notes it, in tokens; undefined where this session has no
   * note of it.
   */
  readWindowTokens?(source: ByteSource): number | undefined
  readTimes(source: ByteSource): SessionTimes | undefined
  /** One for each request that was billed, in order; none where the agent does not note tokens. */
  readRequests(source: ByteSource): readonly BilledRequest[]
  /** In order; none where the agent notes no sums. */
  readSums?(source: ByteSource): readonly BilledSum[]
  /**
   * The system prompt and the tools of its newest request, each as text; undefined where the
   * session does not hold them.
   */
  readFixed?(source: ByteSource): readonly string[] | undefined
  /**
   * The whole history, the agent's own compactions undone; without it a session is what would be
   * sent of it now.
   */
  readTimeline?(source: ByteSource): Timeline
  /**
   * Each time the agent made its history shorter within the session, in order; without it none are
   * known.
   */
  readCompactions?(source: ByteSource): readonly RecordedCompaction[]
  /** Whether every line is a record of its own; otherwise the session is one JSON document. */
  isLog(source: ByteSource): boolean
  /**
   * The document in pieces that the archive keeps once each, however often they occur; joined, they
   * are the document.
   */
  splitRecords(source: ByteSource): Iterable<Piece>
  /**
   * Whether a record holds a message, not a note of the agent about the session or a second copy.
   */
  holdsContent?(record: JsonObject): boolean

  /** The place where the agent finds a new session. */
  place(request: PlacementRequest): string
  /** The command that continues a session: a line for a shell, quoted. */
  resume(request: ResumeRequest): string
  /**
   * Adds a session that was placed to a list that the agent keeps beside its sessions. Gives in
   * words why it is not there; undefined when it is. Never throws.
   */
  register?(path: string, newSession: ListedTitle, environment: Environment): string | undefined
  /** Whether the agent would take a file of this name, beside its sessions, for one of them. */
  takesForSession?(name: string): boolean
  /** Whether deleting its file deletes the session; always, unless this says otherwise. */
  isRemovable?(path: string): boolean
  /**
   * The model that continues a converted session, for agents that are configured with several
   * providers.
   */
  findNextModel?(recorded: ProviderModel, directory: string, environment: Environment): NextModel

  /** How precis is put into its files; undefined where it has no place for a tool or a hook. */
  readonly installation?: Installation
  /**
   * Its requests to providers; undefined where a gateway can do nothing for it that it does not do
   * for others.
   */
  readonly wire?: AgentWire
}

/** The ids that an agent gives its sessions. */
export interface SessionIds {
  /** From a random UUID; the same id for the same one. */
  create(uuid: string): string
  /** Matches whole ids and nothing that could be a path or act on a shell. */
  readonly whole: RegExp
  /** Matches beginnings of ids that a user may give, of three characters and more. */
  readonly beginning: RegExp
  /** Characters of an id that the name of a file has, where it has not all. */
  readonly charactersInNames?: number
}

/** A session as the folders of its agent show it. */
export interface ListedSession {
  /** Or its beginning, where the name of the file has no more. */
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modified: Date
}

/** For sessions that are rows of a database, or many small files. */
export interface SessionStore {
  /** Takes the path of a session inside of a file apart; undefined for the path of a file. */
  locate(path: string): StoredPlace | undefined
  /**
   * The session as its agent exports it; undefined for a path that is such a document. Throws
   * `SessionError`.
   */
  export(path: string): ExportedSession | undefined
  /** Undefined in every field that cannot be read. */
  describe(path: string): Description
  /**
   * All words, calls and answers, each with the number of its message, from 1. Throws
   * `SessionError`.
   */
  readContent(path: string): readonly NumberedRecord[]
}

export interface ExportedSession {
  readonly bytes: Uint8Array
  /** Messages and parts that cannot be read; they are not in the document. */
  readonly damagedRecords: number
}

export interface StoredPlace {
  /** The file that the session is in. */
  readonly file: string
  /** A path without an ending, of files that lie beside the session. */
  readonly beside: string
}

export interface NumberedRecord {
  readonly number: number
  readonly record: JsonObject
}

/** Facts from the beginning of a session. */
export interface SessionHead {
  readonly sessionId: string | undefined
  readonly workingDirectory: string | undefined
  /** The first words of the user. */
  readonly firstPrompt: string | undefined
}

/** A session in a list. */
export interface Description extends SessionHead {
  readonly title: string | undefined
  readonly contextTokens: number | undefined
}

/** When a session began, and when it was last continued. */
export interface SessionTimes {
  readonly start: Date
  readonly end: Date
}

/** A compaction that happened, as the session notes it. */
export interface RecordedCompaction {
  /** Number of the native record at which it stands, as messages name records. */
  readonly record: number
  /** Number of the last record that it wrote: its summary, and what it put beside that. */
  readonly lastRecord: number
  readonly time: Date | undefined
  /** Who wanted it: the agent, or the user by a command. */
  readonly trigger: 'automatic' | 'manual' | undefined
  /** Who wrote the summary; `precis` by its gateway or by an extension of the agent. */
  readonly by: 'agent' | 'precis'
  /** How long the user waited for it. */
  readonly durationMs: Measured | undefined
  /** Of the context, as the agent counts it. */
  readonly tokensBefore: Measured | undefined
  readonly tokensAfter: Measured | undefined
  /**
   * Without the words that today's version of the agent puts around it. Undefined where only its
   * provider can read it.
   */
  readonly summary: string | undefined
  /** The request that wrote it, where the session has the usage of that. */
  readonly request?: BilledRequest
}

/** A session as if its agent had never compacted it. */
export interface Timeline {
  readonly timed: readonly TimedMessage[]
  /** How often the agent compacted it; its summaries are left out. */
  readonly compactions: number
}

export interface TimedMessage {
  readonly message: Message
  readonly timeMs: number | undefined
  /**
   * Its native records in the whole document, from 0; those that the message names may be of a part
   * of it.
   */
  readonly records: readonly number[]
}

/** A stretch of a document. */
export interface Piece {
  /** Valid until the next one is read. */
  readonly bytes: Uint8Array
  /** Numbers of native records, as messages name them, that lie in it. */
  readonly records: readonly number[]
}

export interface PlacementRequest {
  readonly sessionId: string
  readonly time: Date
  /** With links resolved; undefined for standard input, and for a session of another agent. */
  readonly originalPath: string | undefined
  /** Absolute; undefined where it is not known. */
  readonly directory: string | undefined
  readonly environment: Environment
}

export interface ResumeRequest {
  readonly sessionId: string
  readonly path: string
  readonly directory: string | undefined
  /** `provider/model`, where the command has to name it. */
  readonly model?: string
}

/** A new session in a list that its agent keeps. */
export type ListedTitle = Pick<NewSession, 'sessionId' | 'title' | 'timestamp'>

export interface ProviderModel {
  readonly provider: string
  readonly model: string
}

export interface NextModel {
  /** `provider/model`; undefined where the agent chooses, or has nothing to choose from. */
  readonly model: string | undefined
  /** Whether the agent only takes it when the command names it. */
  readonly isNamed: boolean
  /** Which model it is and why, or what has to be configured, for the user. */
  readonly note: string
}

/**
 * How precis is put into an agent: entries in its own files, each in a place that the agent
 * documents.
 */
export interface Installation {
  /** The name of the tool that looks up what was removed, as this agent shows it to its model. */
  readonly recallTool: string
  /**
   * The same where the plugin of precis brings it; undefined where there is none, or it says by
   * itself.
   */
  readonly pluginRecallTool?: string
  /** The folders or files that exist once the agent was used. */
  findTraces(environment: Environment): readonly string[]
  /** The first one is the one that gives the tool. */
  listEntries(places: Places): readonly SettingsEntry[]
  /** More for the user, beside the entries. */
  readonly note?: string
  /**
   * The work and the answer of `precis hook` for this agent, a text as it is; without it the
   * session that the agent names is kept.
   */
  answerHook?(input: JsonObject, host: HookHost): Promise<object | string | undefined>
}

export interface Places {
  readonly environment: Environment
  readonly command: StartCommand
}

/** Everything a hook may ask for. Where the user wants nothing kept, nothing is. */
export interface HookHost {
  readonly environment: Environment
  /** By path, or by id of any agent's session. Undefined where it is not due. */
  keepSession(name: string, options?: KeepOptions): Promise<KeptSession | undefined>
  /** For what lies in no file. */
  keepDocument(document: HookDocument): Promise<KeptSession | undefined>
  /**
   * How the original of the agent's last compaction of a session is looked up, by path or id;
   * undefined where it is not kept, or the model has no tool for it.
   */
  findRecall(session: string): Promise<RecallPath | undefined>
  /**
   * Whether the gateway answered the agent's last compaction of a session: then its summary is one
   * of precis. False where nothing is kept.
   */
  isAnswered(session: string): Promise<boolean>
}

export interface KeepOptions {
  /** Whether the agent is about to compact the session. */
  readonly isDue?: (session: OpenedSession) => boolean
  /** How many of the newest messages the agent leaves as they are. */
  readonly keptMessages?: number
}

export interface OpenedSession {
  readonly source: ByteSource
  readonly conversation: Conversation
}

export interface HookDocument extends OpenedSession {
  readonly sessionId: string | undefined
  readonly keptMessages: number
}

export interface KeptSession {
  /** SHA-256 of the session, in hexadecimal digits. */
  readonly hash: string
  /** The name that a model looks it up by. */
  readonly reference: string
}
