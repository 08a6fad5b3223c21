import type { ZodType } from 'zod'
import type { Confirm } from '../contract/chat-agent.ts'
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
  readonly confirm: Confirm
  readonly signal: AbortSignal
  /** A longer output only fills the window. */
  readonly maxOutputCharacters: number
  /** For child processes: without keys. */
  readonly environment: Readonly<Record<string, string | undefined>>
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
  /** The same for a file that may not be there yet. */
  findTarget(path: string): WorkspacePath & { readonly exists: boolean }
  /** False for a path that is forbidden; `absolute` has no symbolic links in it. */
  isAvailable(absolute: string): boolean
}

export interface WorkspacePath {
  /** Without symbolic links. */
  readonly absolute: string
  /** As it is shown; `.` for the folder itself. */
  readonly shown: string
}

const DECLINED = 'The person said no to this. Do not try it again; ask what to do instead.'

/** Rejects with `ToolError` when the user says no. */
export async function requireConsent(
  { confirm, signal }: ToolSurroundings,
  question: Parameters<Confirm>[0],
): Promise<void> {
  const isAllowed = await confirm(question, signal).catch(() => false)
  signal.throwIfAborted()
  if (isAllowed !== true) throw new ToolError(DECLINED)
}

/** A call that could not be done. The message is for the model: what was found, and what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
