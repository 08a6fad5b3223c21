/**
 * One coding agent, driven through a scripted session: by its own protocol for editors and programs,
 * or on a terminal.
 *
 *   driver ── prompts ──► agent ── requests ──► scripted model
 *      ◄── sessions ─────── its files
 */
import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'

export interface Driver {
  /** As precis calls it. */
  readonly agent: string
  /** Its package on npm. */
  readonly package: string
  /** Path of its program in that package. */
  readonly program: string
  /** Whether the program is JavaScript; otherwise it runs by itself. */
  readonly runsOnNode: boolean
  /** What of the script it has no way to do. */
  readonly lacks: readonly string[]
  /** The text of every session that it recorded, the first one first. */
  drive(run: Run): Promise<readonly string[]>
}

/** A scratch folder of one run; nothing of the user is in reach. */
export interface Run {
  /** The command that starts the agent. */
  readonly command: readonly string[]
  readonly home: string
  readonly project: string
  /** Without a path. */
  readonly upstream: string
  readonly environment: Readonly<Record<string, string>>
  /** `content` becomes JSON unless it is text or bytes. */
  write(path: string, content: string | Uint8Array | object): void
}

/** A prompt that the scripted model answers with one call of a tool. */
export function askForCall(name: string, input: JsonObject): string {
  return `CALLTOOL:${JSON.stringify({ name, input })}:END`
}

/** Calls with this word are refused. */
export const REFUSED = 'forbidden'
export const FIRST_WORDS = 'Tell me about this folder. Never touch generated files.'
export const AFTER_COMPACTION = 'And now?'
export const IN_FORK = 'In the fork.'
/** One red point. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
