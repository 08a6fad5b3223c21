/** What happened later: commands that succeeded after they failed, files that were deleted. */
import type { DraftFact } from './fact-table.ts'
import type { Outcome } from './outcome.ts'
import type { Action } from './tool-calls.ts'

const REMOVES = /^(?:git rm|rm|unlink|trash)\s/
const LONGEST_COMMAND = 400

export class StaleEvents {
  /** By what was done: position of the last time it went well. */
  readonly #successes = new Map<string, number>()
  /** What reported an error last. */
  readonly #blamed = new Map<DraftFact, string>()
  readonly #deletions = new Map<string, number>()

  call({ changes }: Action, position: number): void {
    for (const { path, type } of changes) {
      if (type === 'deleted') this.#deletions.set(path, position)
      else this.#deletions.delete(path)
    }
  }

  answer(action: Action, outcome: Outcome, position: number): void {
    if (outcome.failed) return
    const key = keyOf(action)
    if (key !== undefined && !outcome.failed) this.#successes.set(key, position)
    for (const path of readRemoved(action.command)) this.#deletions.set(path, position)
  }

  blame(fact: DraftFact, action: Action): void {
    const key = keyOf(action)
    if (key === undefined) this.#blamed.delete(fact)
    else this.#blamed.set(fact, key)
  }

  isStale(fact: DraftFact): boolean {
    if (fact.kind === 'path') return (this.#deletions.get(fact.text) ?? -1) >= fact.lastPosition
    if (fact.kind !== 'error') return false
    const key = this.#blamed.get(fact)
    return key !== undefined && (this.#successes.get(key) ?? -1) > fact.lastPosition
  }
}

/** The same thing done again: a command word for word, or an edit of the same files. */
function keyOf({ kind, command, paths }: Action): string | undefined {
  if (command !== undefined) return command.trim()
  return kind === 'write' && paths.length > 0 ? `write ${paths.join(' ')}` : undefined
}

/** `rm -f src/a.ts`, alone or after other steps. */
function readRemoved(command: string | undefined): string[] {
  if (command === undefined || command.length > LONGEST_COMMAND || !/\b(?:rm|unlink|trash)\s/.test(command)) return []
  return command
    .split(/&&|;|\n/)
    .map((step) => step.trim())
    .filter((step) => REMOVES.test(step))
    .flatMap((step) =>
      step.split(/\s+/).filter((word) => /[./]/.test(word) && !/[*?$]/.test(word) && !word.startsWith('-')),
    )
}
