/**
 * How agents speak in a session that is theirs: in the role of the user, and in results of tools.
 * `hosts.data.ts` lists one row for each.
 */
/** Whatever an agent does not do is left out of its row. */
export interface Host {
  /** The name of its session format. Agents that share a format share a row. */
  readonly name: string
  /** Elements that wrap its own words. Whatever is outside of them counts. */
  readonly wrappers?: readonly string[]
  /** The wrappers that it also puts into results of tools. They are gone in the next request. */
  readonly resultWrappers?: readonly string[]
  /** How a text begins that is the agent's to its end. */
  readonly notices?: readonly string[]
  /** How the summary of its own compaction begins. */
  readonly summaries?: readonly string[]
  /** How lines around the words of such a summary begin: they are for the moment of the change. */
  readonly summaryFrame?: readonly string[]
  /** The members by which a record of its sessions that holds such a summary is known. */
  readonly summaryRecord?: object
  /** Its use of items of the Responses API, which no other agent shares. */
  readonly items?: HostItems
  /** Its tools that ask the user, and how it hands back the answer. */
  readonly questions?: Questions
  /** How it says that the user refused a call. */
  readonly refusals?: Refusals
  /** What it prints around the output of a command. */
  readonly frame?: ResultFrame
}

/** An element with anything after its name, or another pair of texts. */
export type Enclosure = readonly [opening: string, closing: string]

export interface HostItems {
  /** Descriptions that it sends again whenever it is resumed. */
  readonly surroundings: readonly Enclosure[]
  readonly notices: readonly Enclosure[]
  /** How the output of a failed call begins, if no frame names an exit code. */
  readonly failure: RegExp
}

export interface Questions {
  /** Names in lower case. */
  readonly tools: readonly string[]
  /** How a result begins if the user answered nothing. */
  readonly unanswered?: RegExp
  /** What a result has before each answer. `{question}` and `{header}` stand for the question's. */
  readonly mark?: string
  /** Where the agent's own words begin again after the answers. */
  readonly closing?: RegExp
  /** Elements that wrap what the user said in a result. */
  readonly wrappers?: readonly string[]
}

export interface Refusals {
  /**
   * How the result of a refused call begins. A refusal is the agent's word from its first one: what
   * a file or a program printed may hold the same words further on.
   */
  readonly opening: RegExp
  /** The words before those of the user, if the user gave a reason. */
  readonly sayings?: readonly string[]
  /** The words after those of the user. */
  readonly closings?: readonly string[]
}

export interface ResultFrame {
  /** Lines of which one comes before the line `Output:`. */
  readonly header?: RegExp
  /** How the output of a script begins. Groups: its state, and the id of one that still runs. */
  readonly script?: RegExp
  /** The line with the id of a command that still runs, its only group. */
  readonly session?: RegExp
  /** Before what a later call prints of a command: that it still runs, and its exit code. */
  readonly heard?: { readonly running: RegExp; readonly exitCode: RegExp }
  /** The tool of which every result says whether the command failed. */
  readonly marking?: string
}
