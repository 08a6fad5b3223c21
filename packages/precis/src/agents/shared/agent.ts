/**
 * The contract of agents. Everything that differs between agents is in each agent's folder, and no
 * other folder asks which agent it is. A session is untrusted data: what cannot be read is left
 * out, and never throws.
 */
import type { Message } from '@precis/core'
import type { ByteSource, Format, NewSession } from '@precis/core/formats'
import type { JsonObject } from '../../files/lines.ts'
import type { BilledRequest, BilledSum } from './billed.ts'
import type { Environment } from './file-entry.ts'
import type { Headless } from './headless.ts'
import type { Installation } from './installation.ts'
import type { Measured } from './measured.ts'
import type { AgentWire } from './wire.ts'

export type { BilledRequest } from './billed.ts'
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
  /** The name in options, arguments and reports: `gemini-cli`. */
  readonly name: string
  /** The name for users: `Gemini CLI`. */
  readonly title: string
  /** Other names that users may type on the command line, such as the name of its program. */
  readonly aliases?: readonly string[]
  readonly format: Format
  readonly ids: SessionIds

  /** The environment variables that name another home. */
  readonly homeVariables: readonly string[]
  /** The folder with its sessions. Need not exist. */
  findHome(environment: Environment): string
  /**
   * The sessions in its home, in any order. Opens none of them. May leave out those whose id is not
   * wanted, whose files it then need not look at.
   */
  list(environment: Environment, isWanted?: IsWanted): readonly ListedSession[]
  /** Sessions that are not one file each. Undefined if all are. */
  readonly store?: SessionStore
  /**
   * The working directory of a session, found by its folder. For sessions that do not contain it.
   */
  findWorkingDirectory?(path: string): string | undefined
  /** The folder with sessions that the user archived in the agent. */
  findSetAside?(path: string, environment: Environment): string

  /**
   * The session with everything that it only refers to, such as the records before a fork, which
   * are in the forked session. Undefined if it is complete. Throws `SessionError` if the other
   * session is missing.
   */
  completeSession?(source: ByteSource, environment: Environment): ByteSource | undefined

  /** Reads up to the first prompt, and at most a megabyte. */
  readHead(source: ByteSource): SessionHead
  /**
   * The title in the agent's own list, read from the beginning and the end of the session.
   * Undefined if it contains no title.
   */
  readTitle?(source: ByteSource): string | undefined
  /**
   * Tokens of the latest request and its answer, as the provider counted them. The agent's own
   * gauge shows this. Undefined after a compaction.
   */
  readContextTokens?(source: ByteSource): number | undefined
  /** The window of its model in tokens, as the agent recorded it. Undefined if it did not. */
  readWindowTokens?(source: ByteSource): number | undefined
  readTimes(source: ByteSource): SessionTimes | undefined
  /** One for each billed request, in order. Empty if the agent does not record tokens. */
  readRequests(source: ByteSource): readonly BilledRequest[]
  /** In order. Empty if the agent records no sums. */
  readSums?(source: ByteSource): readonly BilledSum[]
  /**
   * The system prompt and the tools of its latest request, each as text. Undefined if the session
   * does not contain them.
   */
  readFixed?(source: ByteSource): readonly string[] | undefined
  /**
   * The whole history, with the agent's own compactions undone. If undefined, a session is what its
   * agent would send now.
   */
  readTimeline?(source: ByteSource): Timeline
  /** The agent's own compactions in the session, in order. If undefined, none are known. */
  readCompactions?(source: ByteSource): readonly RecordedCompaction[]
  /** Whether every line is a separate record. If not, the session is one JSON document. */
  isLog(source: ByteSource): boolean
  /**
   * The document in pieces, each of which the archive stores only once. Joined, they are the
   * document.
   */
  splitRecords(source: ByteSource): Iterable<Piece>
  /**
   * Whether a record contains a message. False for the agent's records about the session, and for
   * second copies.
   */
  holdsContent?(record: JsonObject): boolean

  /**
   * The path where the agent finds a new session. Undefined if precis only reads its sessions. Its
   * format is read-only too.
   */
  place?(request: PlacementRequest): string
  /** The command that continues a session: one shell line, quoted. */
  resume(request: ResumeRequest): string
  /**
   * Adds a placed session to a list that the agent keeps next to its sessions. `original` is the
   * file it was made from. Returns why it failed, for the user. Undefined if it is listed. Never
   * throws.
   */
  register?(
    path: string,
    newSession: ListedTitle,
    environment: Environment,
    original?: string,
  ): string | undefined
  /** Whether the agent would treat a file with this name, next to its sessions, as a session. */
  takesForSession?(name: string): boolean
  /** Whether deleting its file deletes the session. If undefined, it always does. */
  isRemovable?(path: string): boolean
  /** The model that continues a converted session, for agents with several providers. */
  findNextModel?(recorded: ProviderModel, directory: string, environment: Environment): NextModel

  /** How precis is added to its files. Undefined if the agent does not support a tool or a hook. */
  readonly installation?: Installation
  /** Its requests to providers. Undefined if a gateway treats it like any other client. */
  readonly wire?: AgentWire
  /** How it answers one prompt, for summaries; undefined if it has no command for that. */
  readonly headless?: Headless
}

/** The ids that an agent gives its sessions. */
export interface SessionIds {
  /** Made from a random UUID. The same UUID always returns the same id. */
  create(uuid: string): string
  /** Matches whole ids, and nothing that could be a path or affect a shell. */
  readonly whole: RegExp
  /** Matches beginnings of ids that a user may type, with at least three characters. */
  readonly beginning: RegExp
  /** How many characters of an id are in the name of a file, if not all. */
  readonly charactersInNames?: number
}

/** Says of an id, or of its beginning, whether its session is looked for. */
export type IsWanted = (id: string) => boolean

/** A session as it appears in the folders of its agent. */
export interface ListedSession {
  /** Or its beginning, if the name of the file contains only that. */
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modified: Date
}

/** For sessions that are rows of a database, or many small files. */
export interface SessionStore {
  /** Splits the path of a session inside a file. Undefined for the path of a file. */
  locate(path: string): StoredPlace | undefined
  /**
   * The session as its agent exports it. Undefined if the path is such an export already. Throws
   * `SessionError`.
   */
  export(path: string): ExportedSession | undefined
  /** Every field that cannot be read is undefined. */
  describe(path: string): Description
  /**
   * Words, calls and answers, each with the number of its message, from 1. May leave out records
   * whose JSON fails `mayHold`. Throws `SessionError`.
   */
  readContent(path: string, mayHold?: (json: Uint8Array) => boolean): readonly NumberedRecord[]
}

export interface ExportedSession {
  readonly source: ByteSource
  /** Messages and parts that cannot be read. The document does not contain them. */
  readonly damagedRecords: number
}

export interface StoredPlace {
  /** The file that contains the session. */
  readonly file: string
  /** A path without an extension, for files next to the session. */
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

/** A compaction that happened, as the session records it. */
export interface RecordedCompaction {
  /** Number of the native record of the compaction, as messages name records. */
  readonly record: number
  /** Number of the last record that the compaction wrote: its summary, and anything next to it. */
  readonly lastRecord: number
  /** Whether these records are the whole history that continues, with all that was kept. */
  readonly isWhole?: boolean
  readonly time: Date | undefined
  /** Who started it: the agent, or the user with a command. */
  readonly trigger: 'automatic' | 'manual' | undefined
  /**
   * Who wrote the summary. `precis` means its gateway or an extension of the agent. `verified` means
   * the agent, and precis added what was lost.
   */
  readonly by: 'agent' | 'verified' | 'precis'
  /** How long the user waited for it. */
  readonly durationMs: Measured | undefined
  /** Size of the context, as the agent counts it. */
  readonly tokensBefore: Measured | undefined
  readonly tokensAfter: Measured | undefined
  /**
   * The summary itself. Words that the agent's present version puts around it are left out.
   * Undefined if only its provider can read it.
   */
  readonly summary: string | undefined
  /** The request that wrote it, if the session contains its usage. */
  readonly request?: BilledRequest
}

/** A session as if its agent had never compacted it. */
export interface Timeline {
  readonly timed: readonly TimedMessage[]
  /** How often the agent compacted it. Its summaries are left out. */
  readonly compactions: number
}

export interface TimedMessage {
  readonly message: Message
  readonly timeMs: number | undefined
  /**
   * Its native records in the whole document, from 0. The message itself may name records of a part
   * of it.
   */
  readonly records: readonly number[]
}

/** A section of a document. */
export interface Piece {
  /** Valid until the next one is read. */
  readonly bytes: Uint8Array
  /** Numbers of the native records in it, as messages name them. */
  readonly records: readonly number[]
}

export interface PlacementRequest {
  readonly sessionId: string
  readonly time: Date
  /** With links resolved. Undefined for standard input, and for a session of another agent. */
  readonly originalPath: string | undefined
  /** Absolute. Undefined if it is unknown. */
  readonly directory: string | undefined
  readonly environment: Environment
}

interface ResumeRequest {
  readonly sessionId: string
  readonly path: string
  readonly directory: string | undefined
  /** `provider/model`, if the command has to name it. */
  readonly model?: string
}

/** A new session in a list that its agent keeps. */
export type ListedTitle = Pick<NewSession, 'sessionId' | 'title' | 'timestamp'>

export interface ProviderModel {
  readonly provider: string
  readonly model: string
}

export interface NextModel {
  /** `provider/model`. Undefined if the agent chooses, or has no choice. */
  readonly model: string | undefined
  /** Whether the agent only uses it if the command names it. */
  readonly isNamed: boolean
  /** For the user: which model it is and why, or what has to be configured. */
  readonly note: string
}
