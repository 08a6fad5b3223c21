/**
 * How each agent writes in its own sessions: in the role of the user, and in results of tools.
 * `hosts.data.ts` has one row for each agent.
 */
/** A row leaves out anything that its agent does not do. */
export interface Host {
  /** The name of its session format. Agents that share a format share a row. */
  readonly name: string
  /** Elements around its own words. Text outside them is not its own. */
  readonly wrappers?: readonly string[]
  /**
   * The wrappers that it also puts into results of tools. The next request does not contain them
   * any more.
   */
  readonly resultWrappers?: readonly string[]
  /** How a text, or what follows a wrapper, begins if it is the agent's up to its end. */
  readonly notices?: readonly string[]
  /** How a line begins that the agent writes behind a wrapper. */
  readonly lines?: readonly string[]
  /** The texts around a message that the user typed while it was working. */
  readonly interjection?: Enclosure
  /** How the summary of its own compaction begins. */
  readonly summaries?: readonly string[]
  /** What its summaries have further down, if users may begin a text like that too. */
  readonly summaryLine?: RegExp
  /**
   * How lines around the words of such a summary begin. They are only for the moment of the change.
   */
  readonly summaryFrame?: readonly string[]
  /** What it asks in the user's name if such a summary is the answer. */
  readonly summaryQuestion?: string
  /** The members that identify a record of its sessions as such a summary. */
  readonly summaryRecord?: object
  /** Its own items of the Responses API. No other agent uses them. */
  readonly items?: HostItems
  /** Its tools that ask the user, and how it returns the answer. */
  readonly questions?: Questions
  /** How it writes that the user refused a call. */
  readonly refusals?: Refusals
  /** How a result says that a tool or a skill does not exist. */
  readonly unknownTool?: RegExp
  /** What it prints around the output of a command. */
  readonly frame?: ResultFrame
  /** Where its model keeps tasks with SQL. */
  readonly taskTable?: TaskTable
  /** How it tells that a command or an agent in the background has ended. */
  readonly endNotice?: EndNotice
}

/** An element with anything after its name, or another pair of texts. */
export type Enclosure = readonly [opening: string, closing: string]

export interface HostItems {
  /** Descriptions that it sends again at every resume. */
  readonly surroundings: readonly Enclosure[]
  readonly notices: readonly Enclosure[]
  /** How the output of a failed call begins, if no frame names an exit code. */
  readonly failure: RegExp
}

interface Questions {
  /** Names in lower case. */
  readonly tools: readonly string[]
  /** How a result begins if the user answered nothing. */
  readonly unanswered?: RegExp
  /**
   * The text before each answer in a result. `{question}` and `{header}` are replaced by the
   * question's.
   */
  readonly mark?: string
  /** Where the agent's own words begin again after the answers. */
  readonly closing?: RegExp
  /** Elements that wrap what the user said in a result. */
  readonly wrappers?: readonly string[]
}

interface Refusals {
  /**
   * How the result of a refused call begins. Only the beginning counts, because the output of a
   * file or a program may contain the same words.
   */
  readonly opening: RegExp
  /** The words before those of the user, if the user gave a reason. */
  readonly sayings?: readonly string[]
  /** The words after those of the user. */
  readonly closings?: readonly string[]
  /** Questions among these words that the user left open. */
  readonly unanswered?: RegExp
}

/** The only group of each expression is the value. */
export interface EndNotice {
  readonly opening: string
  /** The id with which its start was told. */
  readonly session: RegExp
  /** The notice ends nothing if this does not match. */
  readonly status: RegExp
  readonly exitCode: RegExp
  /** The beginning of the output. The value is the name of its element. */
  readonly output?: RegExp
}

/** Its other columns are `id` and `status`. */
export interface TaskTable {
  readonly tool: string
  /** The field with the query. */
  readonly field: string
  readonly name: string
  /** The column with the words. */
  readonly text: string
}

interface ResultFrame {
  /** Lines, of which one comes before the line `Output:`. */
  readonly header?: RegExp
  /**
   * The text before the output of a command, and the lines after it that show how it ended. The
   * group of `after` is the exit code. Without it the command ended with 0.
   */
  readonly around?: { readonly before: RegExp; readonly after: RegExp }
  /** How the output of a script begins. Groups: its state, and the id if it still runs. */
  readonly script?: RegExp
  /** The line with the id of a command that still runs, its only group. */
  readonly session?: RegExp
  /** The text before later output of a command: that it still runs, or its exit code. */
  readonly heard?: { readonly running: RegExp; readonly exitCode?: RegExp }
  /** The tool whose every result shows whether the command failed. */
  readonly marking?: string
}
