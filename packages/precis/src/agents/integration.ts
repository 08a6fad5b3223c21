/**
 * What precis can be in an agent: entries in its own files, each in a place that the agent documents. An agent is one
 * plain object that lists them; `plan-change.ts` reads, adds and removes them for all.
 */
import type { Agent } from '../sessions/agent-home.ts'

export interface AgentIntegration {
  readonly agent: Agent
  /** The name of the tool that looks up what was removed, as this agent shows it to its model. */
  readonly recallTool: string
  /** The folder or file that is there when somebody uses the agent. */
  readonly findTraces: (environment: NodeJS.ProcessEnv) => readonly string[]
  readonly listEntries: (places: Places) => readonly Entry[]
  /** What the person has to know beside the entries. */
  readonly note?: string
}

export interface Places {
  readonly environment: NodeJS.ProcessEnv
  readonly command: StartCommand
}

/** How this installation of precis is started from anywhere: a program and its first words. */
export interface StartCommand {
  readonly program: string
  readonly words: readonly string[]
}

export type Entry = JsonEntry | TomlEntry | FileEntry

interface EntryOfFile {
  /** Absolute; the file need not exist. */
  readonly path: string
  /** In words: `MCP server "precis"`. */
  readonly what: string
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

export type JsonValue = string | number | boolean | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** A table of strings and lists of strings. */
export interface TomlEntry extends EntryOfFile {
  readonly type: 'toml'
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, string | readonly string[]>>
  /** The same, of every string that stands in what is found. */
  readonly isOwn: (strings: readonly string[]) => boolean
}

/** A whole file; its first line says whose it is. */
export interface FileEntry extends EntryOfFile {
  readonly type: 'file'
  readonly text: string
}
