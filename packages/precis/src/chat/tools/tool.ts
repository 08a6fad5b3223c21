import type { ZodType } from 'zod'
import type { Confirm } from '../chat-agent.ts'
import { ToolError } from './tool-error.ts'
import type { Workspace } from './workspace.ts'

/** What the model may call. A plain object in a file of its own; `tools.ts` lists them. */
export interface Tool<Input = unknown> {
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: ZodType<Input>
  /** What the model is told. Rejects with `ToolError` for what it can do better next time. */
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

const DECLINED = 'The person said no to this. Do not try it again; ask what to do instead.'

/** Rejects with `ToolError` when the person says no. */
export async function requireConsent(
  { confirm, signal }: ToolSurroundings,
  question: Parameters<Confirm>[0],
): Promise<void> {
  const isAllowed = await confirm(question, signal).catch(() => false)
  signal.throwIfAborted()
  if (isAllowed !== true) throw new ToolError(DECLINED)
}
