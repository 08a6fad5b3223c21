/** What precis writes into the files of agents, each in a place that the agent documents. */

export type Environment = NodeJS.ProcessEnv

/** How to start this installation of precis from any folder: a program and its first words. */
export interface StartCommand {
  readonly program: string
  readonly words: readonly string[]
}

export type SettingsEntry = JsonEntry | TomlEntry | TomlValueEntry | FileEntry

interface EntryOfFile {
  /** Absolute. The file need not exist. */
  readonly path: string
  /** For the user: `MCP server "precis"`. */
  readonly what: string
  /** What the user is told if the place is taken, for entries that are optional. */
  readonly whenTaken?: string
}

/** A member of an object, or an element of a list. */
export interface JsonEntry extends EntryOfFile {
  readonly type: 'json'
  /** Names from the root to the member itself, or to the list with the element. */
  readonly names: readonly string[]
  readonly isElement: boolean
  readonly value: JsonValue
  /** Whether a found value was written by precis, from this installation or another. */
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
  /** Lines after the values, as they are. */
  readonly more?: readonly string[]
  /** The same, given every string in what is found. */
  readonly isOwn: (strings: readonly string[]) => boolean
}

/** A string before all tables. */
export interface TomlValueEntry extends EntryOfFile {
  readonly type: 'toml-value'
  readonly name: string
  readonly value: string
}

/** A whole file. One of its lines names its owner. */
export interface FileEntry extends EntryOfFile {
  readonly type: 'file'
  readonly text: string
  /**
   * Whether the plugin of precis adds the same. If so, the entry is removed, for an agent that
   * would show both.
   */
  readonly isBrought?: () => boolean
}
