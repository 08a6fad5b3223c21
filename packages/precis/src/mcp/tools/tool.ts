import { type ZodType, z } from 'zod'
import type { ArchivedCompression } from '../../archive/compressions.ts'
import type { Database } from '../../database/database.ts'

/** A tool that a client may call: a plain object in its own file. `index.ts` lists them. */
export interface McpTool<Input = unknown> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: ZodType<Input>
  /**
   * Shape of the answer's data. Undefined if the answer is text, because Claude Code would show its
   * model the data instead.
   */
  readonly output?: ZodType<object>
  readonly isReadOnly: boolean
  /**
   * Whether clients that let a model search for tools show this one from the start, because a
   * summary names it.
   */
  readonly isAlwaysShown?: boolean
  /** Rejects with the errors of the commands. */
  run(input: Input, host: ToolHost): Promise<ToolAnswer>
}

export interface ToolAnswer {
  /** Blocks for the model. Verbatim quotations have a separate block. */
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
  /** Opens the archive, and closes it in any case. Rejects with `ArchiveError` if there is none. */
  withArchive<T>(work: (database: Database) => Promise<T>): Promise<T>
  /**
   * The entries of a session or a reference, and those that it came from, latest first. Throws
   * `ArchiveError`.
   */
  listSearchedEntries(database: Database, name: string): Promise<ArchivedCompression[]>
}

/** A result as commands return it to scripts, with secrets removed. */
interface HostResult {
  readonly json: unknown
  readonly notes: readonly string[]
}

/** An invalid call. The message tells the model what would be valid. */
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
