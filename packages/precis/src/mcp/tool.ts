import type { ZodType } from 'zod'
import type { ArchivedCompression } from '../archive/compressions.ts'
import type { Database } from '../database/database.ts'

/** What a client may call: a plain object in a file of its own; `tools/index.ts` lists them. */
export interface McpTool<Input = unknown> {
  readonly name: string
  readonly title: string
  /** For the model. */
  readonly description: string
  readonly input: ZodType<Input>
  /** Shape of the answer's data; undefined where words are the answer: Claude Code shows its model data in their place. */
  readonly output?: ZodType<object>
  readonly isReadOnly: boolean
  /** Clients that let a model search for tools have this one in front of it from the start: a summary names it. */
  readonly isAlwaysShown?: boolean
  /** Rejects with what any command rejects with. */
  run(input: Input, host: ToolHost): Promise<ToolAnswer>
}

export interface ToolAnswer {
  /** Blocks for the model. What is quoted word for word has a block of its own. */
  readonly texts: readonly string[]
  readonly data?: object
}

/** What tools do not do themselves. */
export interface ToolHost {
  /** Where the client works. */
  readonly directory: string
  /** The object that the command prints with `--json`, and what it said beside it. */
  runCommand(command: HostCommand): Promise<{ readonly printed: unknown; readonly notes: readonly string[] }>
  /** Opens the archive and closes it in any case; without one `ArchiveError`. */
  withArchive<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Of a session or a reference, with those that it came from, newest first. Throws `ArchiveError`. */
  listSearchedEntries(database: Database, name: string): Promise<ArchivedCompression[]>
}

export type HostCommand =
  | { readonly name: 'inspect'; readonly session: string }
  | {
      readonly name: 'compress'
      readonly session: string
      readonly dryRun: boolean
      readonly budget?: string | undefined
      readonly strategy?: string | undefined
      readonly instructions?: string | undefined
    }
