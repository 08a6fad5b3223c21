/** Which edits of one file were taken back by later ones. */
import type { FileChange } from '../actions/file-changes.ts'

// An edit is hardly ever taken back after more of the same file than this.
const MOST_EDITS = 20
// Brackets and blank lines are put back by any edit.
const TELLING = /[\p{L}\p{N}]{2}/u

interface FileEdit {
  readonly at: number
  /** Lines that it added and that are still there. */
  readonly added: Set<string>
  /** Lines that it removed and that were not put back. */
  readonly removed: Set<string>
}

//   edit 1   + if (isHidden(path)) continue
//   edit 2   - if (isHidden(path)) continue      adds nothing that was not there before edit 1: it takes that back
export class UndoneEdits {
  #edits: FileEdit[] = []
  readonly #undone = new Set<number>()
  /** Edits that did more than to take others back. */
  readonly #lasting = new Set<number>()

  /** Whether all that was done in an event was taken back. */
  has(at: number): boolean {
    return this.#undone.has(at) && !this.#lasting.has(at)
  }

  /** Whether nothing is left of any edit. */
  get hasAll(): boolean {
    return this.#undone.size > 0 && this.#lasting.size === 0
  }

  /** All that was done in an event was taken back. */
  add(at: number): void {
    this.#undone.add(at)
  }

  /** All edits after an event were taken back. */
  takeBackSince(at: number): void {
    for (const one of this.#lasting) {
      if (one <= at) continue
      this.#undone.add(one)
      this.#lasting.delete(one)
    }
    this.#edits = this.#edits.filter((edit) => edit.at <= at)
  }

  note({ removed, added, type }: FileChange, at: number): void {
    const before = readLines(removed)
    const after = readLines(added)
    const fresh = [...after].filter((line) => !before.has(line))
    const gone = [...before].filter((line) => !after.has(line))
    if (type === 'edited' && this.#takesBack(fresh, gone)) {
      this.#takeBack(fresh, gone)
      return
    }
    for (const line of gone) this.#findOwner(line)?.added.delete(line)
    this.#edits = [...this.#edits, { at, added: new Set(fresh), removed: new Set(gone) }].slice(
      -MOST_EDITS,
    )
    this.#lasting.add(at)
  }

  /** Whether it puts back what was removed, or takes out what was added, and does nothing else. */
  #takesBack(fresh: readonly string[], gone: readonly string[]): boolean {
    if (gone.length === 0 && fresh.length === 0) return false
    const isPutBack = (line: string) => this.#edits.some(({ removed }) => removed.has(line))
    return fresh.every(isPutBack) && gone.every((line) => this.#findOwner(line) !== undefined)
  }

  #takeBack(fresh: readonly string[], gone: readonly string[]): void {
    const touched = new Set<FileEdit>()
    for (const line of gone) {
      const owner = this.#findOwner(line)
      owner?.added.delete(line)
      if (owner) touched.add(owner)
    }
    for (const line of fresh) {
      const owner = this.#edits.findLast(({ removed }) => removed.has(line))
      owner?.removed.delete(line)
      if (owner) touched.add(owner)
    }
    for (const { at, added, removed } of touched) {
      if (added.size > 0 || removed.size > 0) continue
      this.#undone.add(at)
      this.#lasting.delete(at)
    }
    this.#edits = this.#edits.filter(({ at }) => !this.#undone.has(at))
  }

  #findOwner(line: string): FileEdit | undefined {
    return this.#edits.findLast(({ added }) => added.has(line))
  }
}

const readLines = (lines: readonly string[]): Set<string> =>
  new Set(lines.map((line) => line.trim()).filter((line) => TELLING.test(line)))
