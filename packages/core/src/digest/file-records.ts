/** What calls did to each file, and the lines of it that they showed or wrote. */

import { isRefused } from '../actions/answers.ts'
import type { FileChange } from '../actions/file-changes.ts'
import { mentionsError } from '../facts/error-lines.ts'
import { LINE_NUMBER, withoutLineNumber } from '../facts/printed-lines.ts'
import { isDeclaration } from './declaration.ts'
import type { CallEvent, Draft, Placed, Purpose } from './draft.ts'
import { isNoise } from './noise.ts'
import { keyOfLine } from './output-lines.ts'
import { UndoneEdits } from './undone-edits.ts'

export interface FilePurpose {
  readonly at: number
  readonly purpose: Purpose
}

export interface FileRecord {
  readonly path: string
  /** Names in the path. */
  readonly entities: readonly number[]
  /** By text. In a log, lines that differ only in numbers are one: the newest. */
  readonly lines: Map<string, SeenLine>
  readonly purposes: FilePurpose[]
  readonly undone: UndoneEdits
  created: boolean
  deleted: boolean
  edits: number
  /** Whether the user refused an edit of it. */
  isRefused: boolean
  lastAt: number
}

export interface SeenLine {
  readonly text: string
  readonly entities: readonly number[]
  /** Event and line number, for the order of lines. */
  readonly at: number
  readonly row: number
  /** Lines that were shown or written together with it. */
  readonly crowd: number
  readonly written: boolean
  /** Whether it declares a name. */
  readonly declares: boolean
  isCurrent: boolean
}

// Lines without a name and without words say nothing alone.
const SHORTEST_LINE = 8

function openFile(
  { vocabulary }: Draft,
  files: Map<string, FileRecord>,
  path: string,
  at: number,
): FileRecord {
  let file = files.get(path)
  if (!file) {
    const entities = vocabulary.read(path)
    const empty = {
      lines: new Map<string, SeenLine>(),
      purposes: [],
      undone: new UndoneEdits(),
    }
    file = {
      path,
      entities,
      ...empty,
      created: false,
      deleted: false,
      edits: 0,
      isRefused: false,
      lastAt: at,
    }
    files.set(path, file)
  }
  vocabulary.note(file.entities, at, 'call')
  file.lastAt = at
  return file
}

export function noteRead(
  draft: Draft,
  files: Map<string, FileRecord>,
  event: Placed<CallEvent>,
): void {
  const file = openFile(draft, files, event.action.paths[0]!, event.at)
  if (!event.outcome || event.outcome.failed) return
  const shown = event.outcome.text.split('\n')
  if (event.asksForWhole && isWhole(shown)) dropMissing(file, shown)
  const crowd = shown.length
  const isDocument = DOCUMENT.test(file.path)
  let isExample = false
  shown.forEach((raw, row) => {
    const number = LINE_NUMBER.exec(raw)
    const line = number ? raw.slice(number[0].length) : raw
    const fence = isDocument ? FENCE.exec(line) : null
    if (fence) isExample = fence[1] !== '' || !isExample
    if (isExample && !mentionsError(line)) return
    seeLine(
      draft,
      file,
      line,
      { at: event.at, row: number ? Number(number[1]) : row, crowd },
      false,
    )
  })
}

// A document's examples are no code of the project. A fence with a language opens.
const DOCUMENT = /\.(?:md|mdx|markdown)$/i
const FENCE = /^\s{0,12}(?:```|~~~)\s{0,4}(\S{0,40})/

/** `safeAt`: the newest event after which git still has the edits before it. -1 if there is none. */
export function noteChanges(
  draft: Draft,
  files: Map<string, FileRecord>,
  event: Placed<CallEvent>,
  safeAt: number,
): void {
  const purpose = draft.purposes.get(event.at)
  if (event.outcome?.failed === true) {
    if (!isRefused(event.outcome.text)) return
    for (const { path } of event.action.changes)
      openFile(draft, files, path, event.at).isRefused = true
    return
  }
  event.action.changes.forEach((change, position) => {
    if (draft.isScratch(change.path)) return
    if (change.type === 'restored') {
      restore(files.get(change.path), safeAt)
      return
    }
    const file = openFile(draft, files, change.path, event.at)
    file.edits += position === 0 ? (event.times ?? 1) : 1
    if (event.isUndone) file.undone.add(event.at)
    else file.undone.note(change, event.at)
    file.created ||= change.type === 'created'
    file.deleted = change.type === 'deleted'
    if (
      purpose !== undefined &&
      position === 0 &&
      file.purposes.at(-1)?.purpose.text !== purpose.text
    )
      file.purposes.push({ at: event.at, purpose })
    applyChange(draft, file, change, event.at)
  })
}

function restore(file: FileRecord | undefined, safeAt: number): void {
  if (!file) return
  file.undone.takeBackSince(safeAt)
  file.deleted = false
  for (const line of file.lines.values())
    if (line.written && line.at > safeAt) line.isCurrent = false
}

function applyChange(draft: Draft, file: FileRecord, change: FileChange, at: number): void {
  // A file that is written as a whole keeps nothing.
  if (change.type === 'created') for (const line of file.lines.values()) line.isCurrent = false
  const removed = new Set(change.removed.map((line) => line.trim()))
  for (const text of removed) {
    const line = file.lines.get(keyIn(draft, file, text) ?? text)
    if (line?.text === text) line.isCurrent = false
  }
  change.added.forEach((added, row) => {
    seeLine(draft, file, added, { at, row, crowd: change.added.length }, !removed.has(added.trim()))
  })
}

type LinePlace = Pick<SeenLine, 'at' | 'row' | 'crowd'>

function seeLine(
  { vocabulary, readings }: Draft,
  file: FileRecord,
  raw: string,
  place: LinePlace,
  written: boolean,
): void {
  const text = raw.trim()
  if (text.length < SHORTEST_LINE || readings.of(isNoise, text)) return
  const key = keyIn({ readings }, file, text)
  if (key === undefined) return
  const known = file.lines.get(key)
  const entities = known?.entities ?? vocabulary.read(text)
  vocabulary.note(entities, place.at, written ? 'call' : 'output')
  file.lines.set(key, {
    text,
    entities,
    ...place,
    declares: isDeclaration(raw),
    written: written || known?.written === true,
    isCurrent: true,
  })
}

const keyIn = ({ readings }: Pick<Draft, 'readings'>, { path }: FileRecord, text: string) =>
  LOG.test(path) ? readings.of(keyOfLine, text) : text

// What a program writes again and again, with other times and numbers.
const LOG = /\.(?:log|out|err|output)$/

/** Forgets lines that a look at the whole file did not show. */
function dropMissing(file: FileRecord, shown: readonly string[]): void {
  const present = new Set(shown.map((line) => withoutLineNumber(line).trim()))
  for (const [key, { text }] of file.lines) if (!present.has(text)) file.lines.delete(key)
}

// Hosts show no more than this unless asked to.
const MOST_LINES = 2_000
const CUT = /truncated|omitted|tokens? left out|\[\.\.\.|…\s*$/m
const NUMBERED = /^\s{0,8}L?(\d{1,6})(?:→|:|\t)/

/**
 * Whether output has every line from the first one on. If lines have no numbers, whether no cut is
 * marked.
 */
function isWhole(lines: readonly string[]): boolean {
  if (lines.length >= MOST_LINES) return false
  const numbers = lines
    .filter((line) => line.trim() !== '')
    .map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN))
  // Images show no lines, and what was printed long ago is not looked at.
  if (numbers.length === 0) return false
  if (numbers.some(Number.isNaN)) return numbers.every(Number.isNaN) && !CUT.test(lines.join('\n'))
  return numbers.every((number, row) => number === row + 1)
}
