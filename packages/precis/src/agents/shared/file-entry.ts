/** What precis writes into the files of agents, each in a place that the agent documents. */

export type Environment = NodeJS.ProcessEnv

/** How this installation of precis is started from anywhere: a program and its first words. */
export interface StartCommand {
  readonly program: string
  readonly words: readonly string[]
}

export type SettingsEntry = JsonEntry | TomlEntry | TomlValueEntry | FileEntry

interface EntryOfFile {
  /** Absolute; the file need not exist. */
  readonly path: string
  /** In words: `MCP server "precis"`. */
  readonly what: string
  /**
   * What the user is told where another has its place, for entries that are no more than welcome.
   */
  readonly whenTaken?: string
}

/** A member of an object, or an element of a list. */
export interface JsonEntry extends EntryOfFile {
  readonly type: 'json'
  /** Names from the root: of the member itself, or of the list that the element is in. */
  readonly names: readonly string[]
  readonly isElement: boolean
  readonly value: JsonValue
  /** Whether what is found there was made by precis, by this installation or another. */
  readonly isOwn: (value: unknown) => boolean
}

export type JsonValue =
  | string
  | number
  | boolean
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** A table of strings and lists of strings. */
export interface TomlEntry extends EntryOfFile {
  readonly type: 'toml'
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, string | readonly string[]>>
  /** The same, of every string in what is found. */
  readonly isOwn: (strings: readonly string[]) => boolean
}

/** A string that stands before all tables. */
export interface TomlValueEntry extends EntryOfFile {
  readonly type: 'toml-value'
  readonly name: string
  readonly value: string
}

/** A whole file; a line of it says whose it is. */
export interface FileEntry extends EntryOfFile {
  readonly type: 'file'
  readonly text: string
  /**
   * Whether the plugin of precis brings the same: then it is taken away, for an agent that would
   * show both.
   */
  readonly isBrought?: () => boolean
}
