import type { ZodType } from 'zod'
import type { FilePort } from '../contract/ports.ts'

/** A function that the model may call: a plain object in its own file. `tools.ts` lists them. */
export interface Tool<Input = unknown> {
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: ZodType<Input>
  /**
   * Returns the text for the model. Rejects with `ToolError` for a mistake that the model can
   * correct.
   */
  run(input: Input, surroundings: ToolSurroundings): Promise<string>
}

export interface ToolSurroundings {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  /** A longer output would only fill the window. */
  readonly maxOutputCharacters: number
  readonly recall: (query: string) => string
}

/**
 * The only folder that tools may access. Symbolic links are followed and judged by their target.
 */
export interface Workspace {
  readonly files: FilePort
  /** Contains no symbolic links. */
  readonly root: string
  /** Throws `ToolError` for a path that is missing, outside or forbidden. */
  find(path: string): WorkspacePath
  /** False for a forbidden path. `absolute` must not contain symbolic links. */
  isAvailable(absolute: string): boolean
}

export interface WorkspacePath {
  /** Contains no symbolic links. */
  readonly absolute: string
  /** The path for people and the model. `.` for the folder itself. */
  readonly shown: string
}

/** A call that failed. The message tells the model what was found, and what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
