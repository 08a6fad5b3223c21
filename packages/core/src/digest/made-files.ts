/** The files that calls made, and those that commands really changed. */
import type { FileChange } from '../actions/file-changes.ts'
import type { CallOutcome } from '../actions/outcome.ts'
import { isTemporary, settleChanges } from '../actions/shell-changes.ts'
import type { Action } from '../actions/tool-calls.ts'
import { cleanAction } from './clean.ts'

const MOST_FOLDERS = 40

export class MadeFiles {
  readonly #paths = new Set<string>()
  /** The same, by each folder above them. */
  readonly #below = new Map<string, Set<string>>()

  note({ changes }: Pick<Action, 'changes'>): void {
    for (const { path, type } of changes) {
      if (type === 'deleted') continue
      this.#paths.add(path)
      for (const folder of foldersOf(path)) {
        const files = this.#below.get(folder)
        if (files) files.add(path)
        else this.#below.set(folder, new Set([path]))
      }
    }
  }

  /**
   * A command with the files that it really changed. Temporary ones are named only if they were
   * made here.
   */
  settle(action: Action, outcome: CallOutcome): Action {
    const all = settleChanges(action, outcome)
    if (all.length === 0 && action.changes.length === 0) return action
    const settled = cleanAction({ ...action, changes: all })
    const changes = settled.changes.flatMap((change, index, { [index + 1]: next }) => {
      if (change.type === 'created') this.note({ changes: [change] })
      if (change.type !== 'deleted') return [change]
      const mayBeMoved = next?.type === 'created' && next.added.length === 0
      return this.#unfoldDeletion(change, mayBeMoved)
    })
    return { ...settled, changes }
  }

  /** With a folder, the files that were made in it are deleted, unless they may be elsewhere now. */
  #unfoldDeletion(change: FileChange, mayBeMoved: boolean): readonly FileChange[] {
    const { path } = change
    const files = mayBeMoved ? undefined : this.#below.get(path)
    if (files) this.#below.delete(path)
    if (files) return [...files].map((file) => ({ ...change, path: file }))
    return this.#paths.has(path) || !isTemporary(path) ? [change] : []
  }
}

/** `/a/b` and `/a` of `/a/b/c.ts`. */
const foldersOf = (path: string): string[] =>
  path
    .split('/', MOST_FOLDERS)
    .flatMap((_, index, steps) => (index > 0 ? steps.slice(0, index).join('/') : []))
