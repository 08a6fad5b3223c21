import { type ZodType, z } from 'zod'
import type { ArchivedCompression } from '../../archive/compressions.ts'
import type { Database } from '../../database/database.ts'

/** A tool that a client may call: a plain object in a file of its own; `index.ts` lists them. */
export interface McpTool<Input = unknown> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: ZodType<Input>
  /**
   * Shape of the answer's data; undefined where words are the answer: Claude Code shows its model
   * data instead.
   */
  readonly output?: ZodType<object>
  readonly isReadOnly: boolean
  /**
   * Clients that let a model search for tools have this one in front of it from the start: a
   * summary names it.
   */
  readonly isAlwaysShown?: boolean
  /** Rejects with what any command rejects with. */
  run(input: Input, host: ToolHost): Promise<ToolAnswer>
}

export interface ToolAnswer {
  /** Blocks for the model. What is quoted word for word has a block of its own. */
  readonly texts: readonly string[]
  readonly data?: object
}

/** The work that tools leave to the command. */
export interface ToolHost {
  /** The folder that the client works in. */
  readonly directory: string
  compress(request: {
    readonly session: string
    readonly dryRun: boolean
    readonly budget?: string
    readonly strategy?: string
    readonly instructions?: string
  }): Promise<HostResult>
  inspect(session: string): Promise<HostResult>
  /** Opens the archive and closes it in any case; without one `ArchiveError`. */
  withArchive<T>(work: (database: Database) => Promise<T>): Promise<T>
  /**
   * Of a session or a reference, with those that it came from, newest first. Throws `ArchiveError`.
   */
  listSearchedEntries(database: Database, name: string): Promise<ArchivedCompression[]>
}

/** A result as commands give it to scripts, without secrets. */
interface HostResult {
  readonly json: unknown
  readonly notes: readonly string[]
}

/** A call that makes no sense; the message tells the model what would. */
export class McpToolError extends Error {
  override readonly name = 'McpToolError'
  readonly code = 'wrong-usage'
}

/** The answer to a call, or why there is none. */
export const toolReply = z.union([
  z.object({
    answer: z.object({
      texts: z.array(z.string()),
      data: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
])

export const toolCall = z.object({ tool: z.string(), input: z.unknown() })

export type ToolReply = z.infer<typeof toolReply>

/** How far a call is, before its reply. */
export const toolProgress = z.object({ step: z.string(), fraction: z.number() })

export type ToolProgress = z.infer<typeof toolProgress>
