import type { ZodType } from 'zod'
import type { FilePort } from '../contract/ports.ts'

/**
 * A function that the model may call: a plain object in a file of its own; `tools.ts` lists them.
 */
export interface Tool<Input = unknown> {
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: ZodType<Input>
  /**
   * Gives the text that the model gets. Rejects with `ToolError` for what it can do better next
   * time.
   */
  run(input: Input, surroundings: ToolSurroundings): Promise<string>
}

export interface ToolSurroundings {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  /** A longer output only fills the window. */
  readonly maxOutputCharacters: number
  readonly recall: (query: string) => string
}

/**
 * The one folder that tools may touch. Symbolic links are followed, and count by where they lead.
 */
export interface Workspace {
  readonly files: FilePort
  /** Without symbolic links. */
  readonly root: string
  /** Throws `ToolError` for what is not there, lies outside or is forbidden. */
  find(path: string): WorkspacePath
  /** False for a path that is forbidden; `absolute` has no symbolic links in it. */
  isAvailable(absolute: string): boolean
}

export interface WorkspacePath {
  /** Without symbolic links. */
  readonly absolute: string
  /** As it is shown; `.` for the folder itself. */
  readonly shown: string
}

/** A call that could not be done. The message is for the model: what was found, and what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
