/** The files that calls made, and those that commands really changed. */
import type { FileChange } from '../actions/file-changes.ts'
import type { CallOutcome } from '../actions/outcome.ts'
import { isTemporary, settleChanges } from '../actions/shell-changes.ts'
import type { Action } from '../actions/tool-calls.ts'
import { cleanAction } from './clean.ts'

const MOST_FOLDERS = 40

export class MadeFiles {
  /** By path, whether the file was created here. */
  readonly #paths = new Map<string, boolean>()
  /** The same, by each folder above them. */
  readonly #below = new Map<string, Set<string>>()
  /** Files that were in a folder when it was removed. */
  readonly #gone = new Map<string, ReadonlySet<string>>()
  /** Names of what commands put elsewhere, or back. */
  readonly #elsewhere = new Set<string>()

  note({ changes }: Pick<Action, 'changes'>): void {
    for (const { path, type } of changes) {
      if (type === 'deleted') continue
      this.#paths.set(path, type === 'created' || this.#paths.get(path) === true)
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
    if (!outcome.failed) this.#noteElsewhere(action.command ?? '')
    const all = settleChanges(action, outcome)
    if (all.length === 0 && action.changes.length === 0) return action
    const settled = cleanAction({ ...action, changes: all })
    const changes = settled.changes.flatMap((change) => {
      if (change.type === 'created') this.note({ changes: [change] })
      if (change.type === 'restored') return this.#unfoldRestoring(change)
      return change.type === 'deleted' ? this.#unfoldDeletion(change) : [change]
    })
    return { ...settled, changes }
  }

  #noteElsewhere(command: string): void {
    if (!PUTS_ELSEWHERE.test(command)) return
    for (const word of command.slice(0, LONGEST_COMMAND).split(/[\s"'`;&|()]+/))
      this.#elsewhere.add(nameOf(word))
  }

  /**
   * With a folder, the files that were made in it are deleted, unless they may be elsewhere now. The
   * folder is named if more was in it.
   */
  #unfoldDeletion(change: FileChange): readonly FileChange[] {
    const path = change.path.replace(/(?<=.)\/$/, '')
    const files = this.#elsewhere.has(nameOf(path)) ? undefined : this.#below.get(path)
    if (!files) return this.#paths.has(path) || !isTemporary(path) ? [{ ...change, path }] : []
    this.#below.delete(path)
    this.#gone.set(path, files)
    const isWhole = isTemporary(path) || [...files].every((file) => this.#paths.get(file))
    return [...(isWhole ? [] : [path]), ...files].map((one) => ({ ...change, path: one }))
  }

  #unfoldRestoring(change: FileChange): readonly FileChange[] {
    const files = this.#gone.get(change.path) ?? []
    return [change, ...[...files].map((path) => ({ ...change, path }))]
  }
}

// Words behind these may be the folder: `mv ts web`, `cp -r ts web`, `git worktree add ../ts`.
const PUTS_ELSEWHERE =
  /\b(?:mv|cp|rsync|ditto|tar|zip|robocopy|git\b.{0,200}\b(?:clone|worktree|checkout|restore))\b/
const LONGEST_COMMAND = 2_000

/** `c` of `a/b/c`, `a/b/c/` and `a/b/c/.` */
const nameOf = (path: string): string =>
  path.split('/').findLast((step) => !/^\.?$/.test(step)) ?? ''

/** `/a/b` and `/a` of `/a/b/c.ts`. */
const foldersOf = (path: string): string[] =>
  path
    .split('/', MOST_FOLDERS)
    .flatMap((_, index, steps) => (index > 0 ? steps.slice(0, index).join('/') : []))
