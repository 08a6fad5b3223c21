/** Files that were changed or read: what was done to them, and the lines of theirs that matter. */

import { isRefused } from '../actions/answers.ts'
import type { FileChange } from '../actions/file-changes.ts'
import type { Steps } from '../conversation/steps.ts'
import { mentionsError } from '../facts/error-lines.ts'
import { clip, flatten } from '../facts/flatten.ts'
import { LINE_NUMBER, withoutLineNumber } from '../facts/printed-lines.ts'
import { isDeclaration, isStatement } from './declaration.ts'
import {
  type CallEvent,
  type Candidate,
  createGroup,
  type Draft,
  errorWorth,
  focusWorth,
  fullness,
  type Group,
  keyOfEvent,
  orderOf,
  type Placed,
  type Purpose,
  priorities,
  recencyOf,
  showsOneFile,
} from './draft.ts'
import { isFragment, isNoise } from './noise.ts'
import { collectScratch } from './scratch.ts'
import { UndoneEdits } from './undone-edits.ts'

const MANY_EDITS = 3
const MOST_PURPOSES = 3
const SHORTEST_SAMPLE = 16
const LONGEST_SAMPLE = 160
interface FilePurpose {
  readonly at: number
  readonly purpose: Purpose
}

interface FileRecord {
  readonly path: string
  /** Names in the path. */
  readonly entities: readonly number[]
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

interface SeenLine {
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

// Blank lines and single brackets may come between lines that belong together.
const NEAREST_ROWS = 2
// As many lines as one looks at, or writes, on purpose.
const FEW_LINES = 10
const LONGEST_LINE = 320
// Lines without a name and without words say nothing alone.
const SHORTEST_LINE = 8
// Single lines of code without their surroundings say little, however well each of them looks.
const MOST_SINGLE_OTHER_LINES = 8
const MOST_SINGLE_READ_LINES = 10
// Any line of the last touched files may be needed next. With fewer than 45 lines, later edits do
// not find theirs.
const HOT_FILES = 3
const MOST_SINGLE_HOT_LINES = 45
// After this many more looks at files, what a file declares is needed, and not its statements.
const OLD_STEPS = 20

export function* collectFiles(draft: Draft): Steps<void> {
  const files = new Map<string, FileRecord>()
  for (const [index, event] of draft.events.entries()) {
    if (event.type !== 'call') continue
    yield
    if (event.action.changes.length > 0) noteChanges(draft, files, event, draft.purposes.get(index))
    else if (showsOneFile(event.action)) noteRead(draft, files, event)
  }
  collectScratch(draft)
  const reported = new Set<string>()
  for (const file of files.values()) {
    yield
    pushFile(draft, file, reported)
  }
}

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

function noteRead(draft: Draft, files: Map<string, FileRecord>, event: Placed<CallEvent>): void {
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

function noteChanges(
  draft: Draft,
  files: Map<string, FileRecord>,
  event: Placed<CallEvent>,
  purpose?: Purpose,
): void {
  if (event.outcome?.failed === true) {
    if (!isRefused(event.outcome.text)) return
    for (const { path } of event.action.changes)
      openFile(draft, files, path, event.at).isRefused = true
    return
  }
  event.action.changes.forEach((change, position) => {
    if (draft.isScratch(change.path)) return
    const file = openFile(draft, files, change.path, event.at)
    file.edits++
    file.undone.note(change, event.at)
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

function applyChange(draft: Draft, file: FileRecord, change: FileChange, at: number): void {
  // A file that is written as a whole keeps nothing.
  if (change.type === 'created') for (const line of file.lines.values()) line.isCurrent = false
  const removed = new Set(change.removed.map((line) => line.trim()))
  for (const text of removed) {
    const line = file.lines.get(text)
    if (line) line.isCurrent = false
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
  const known = file.lines.get(text)
  const entities = known?.entities ?? vocabulary.read(text)
  vocabulary.note(entities, place.at, written ? 'call' : 'output')
  file.lines.set(text, {
    text,
    entities,
    ...place,
    declares: isDeclaration(raw),
    written: written || known?.written === true,
    isCurrent: true,
  })
}

/** Forgets lines that a look at the whole file did not show. */
function dropMissing(file: FileRecord, shown: readonly string[]): void {
  const present = new Set(shown.map((line) => withoutLineNumber(line).trim()))
  for (const text of file.lines.keys()) if (!present.has(text)) file.lines.delete(text)
}

function pushFile(draft: Draft, file: FileRecord, reported: Set<string>): void {
  const changed = file.edits > 0
  const age = draft.events.length - file.lastAt
  const isHot = draft.shownAfter[file.lastAt]! < HOT_FILES
  const group: Group = {
    section: changed ? 'changed' : 'read',
    order: age,
    heading: changed ? undefined : `- ${file.path}`,
    mostSingles: changed ? undefined : isHot ? MOST_SINGLE_HOT_LINES : MOST_SINGLE_READ_LINES,
  }
  if (changed || file.isRefused) {
    draft.candidates.push({
      kind: 'file',
      group: changed ? group : createGroup('changed', age),
      order: -2,
      text: `- ${file.path} (${describeChanges(file)})`,
      entities: file.entities,
      value: 6,
      priority: priorities.changedFile + age / draft.events.length,
    })
  }
  // What the agent wrote comes first. The rest helps to find the way around.
  const heading = `  ${OTHER_LINES}`
  const others: Group = {
    ...group,
    order: age + 0.5,
    heading,
    mostSingles: MOST_SINGLE_OTHER_LINES,
  }
  let isExplained = false
  const purposes = choosePurposes(file)
  purposes.forEach(({ at, purpose: { text, words } }, index) => {
    const line = `${clip(flatten(text), 300).replace(COLON, '.')}${file.undone.has(at) ? UNDONE : ''}`
    // If several files were changed for one purpose, the first one names it.
    if (reported.has(line) || draft.visible.tells(text)) return
    reported.add(line)
    isExplained = true
    const entities = draft.vocabulary.read(text)
    draft.vocabulary.note(entities, at, 'agent')
    const value = draft.weights.purpose * (1 + recencyOf(draft, at)) + focusWorth(draft, line)
    draft.candidates.push({
      kind: 'purpose',
      group,
      order: -1 + index / purposes.length,
      text: `  ${line}`,
      tells: words === undefined ? undefined : [keyOfEvent(words)],
      entities,
      value,
      // The latest one of each file comes first, then the others.
      priority:
        priorities.purpose + age / draft.events.length + (index === purposes.length - 1 ? 0 : 1),
    })
  })
  if (file.deleted) return
  const sample = changed && !isExplained ? findSample(file) : undefined
  let before: { readonly line: SeenLine; readonly candidate: Candidate } | undefined
  const lines = [...file.lines.values()].filter(({ isCurrent }) => isCurrent)
  for (const line of lines.sort((a, b) => a.at - b.at || a.row - b.row)) {
    const plain = createLine(draft, file, changed && !line.written ? others : group, line)
    if (!plain) continue
    const candidate =
      line === sample
        ? { ...plain, priority: priorities.purpose + age / draft.events.length }
        : plain
    draft.candidates.push(candidate)
    if (before && before.line.at === line.at && line.row - before.line.row <= NEAREST_ROWS) {
      before.candidate.beside?.push(candidate)
      candidate.beside?.push(before.candidate)
    }
    before = { line, candidate }
  }
}

// What an edit was for announces nothing here.
const COLON = /[:：]$/

// Marks the purpose of an edit that was later undone.
const UNDONE = ' (undone later)'

/** The newest, and of a file that was edited often two more: those that say most. */
function choosePurposes({ purposes, edits }: FileRecord): readonly FilePurpose[] {
  const newest = purposes.slice(-1)
  if (edits < MANY_EDITS) return newest
  const others = purposes.slice(0, -1).sort((a, b) => b.purpose.text.length - a.purpose.text.length)
  return [...others.slice(0, MOST_PURPOSES - 1), ...newest].sort((a, b) => a.at - b.at)
}

/**
 * Finds the line that says best what a file is about: the first thing declared in it, or a heading.
 */
function findSample(file: FileRecord): SeenLine | undefined {
  let first: SeenLine | undefined
  for (const line of file.lines.values()) {
    if (
      !line.written ||
      !line.isCurrent ||
      line.text.length < SHORTEST_SAMPLE ||
      line.text.length > LONGEST_SAMPLE
    )
      continue
    if (line.declares || line.text.startsWith('# ')) return line
    first ??= line
  }
  return first
}

function createLine(
  draft: Draft,
  file: FileRecord,
  group: Group,
  line: SeenLine,
): Candidate | undefined {
  if (line.text.length > LONGEST_LINE || draft.visible.has(line.text)) return undefined
  const changed = file.edits > 0
  if (!changed && isFragment(line.text) && !draft.newestErrors.has(line.text)) return undefined
  const recency = recencyOf(draft, line.at)
  const { declares } = line
  const { weights } = draft
  const lasting =
    (line.written ? weights.writtenLine : weights.shownLine) * recency ** weights.lineFading
  const hot = weights.hotLine * Math.exp(-draft.shownAfter[line.at]! / weights.hotSteps)
  const crowd = Math.max(1, line.crowd / FEW_LINES) ** -weights.crowding
  const worth = (lasting + hot) * crowd + (declares ? 0.2 : 0)
  const sought = errorWorth(draft, line.text) + focusWorth(draft, line.text)
  const isOld = !line.written && draft.shownAfter[line.at]! >= OLD_STEPS
  if (isOld && sought === 0 && !declares && isStatement(line.text)) return undefined
  const value = worth * fullness(line.text) + sought
  return {
    kind: changed ? 'change' : draft.newestErrors.has(line.text) ? 'error' : 'read',
    group,
    order: orderOf(line),
    text: `\t${line.text}`,
    entities: line.entities,
    value,
    needsName: changed && !declares && !line.written && sought === 0,
    standsAlone: declares,
    beside: [],
  }
}

/** In the brackets after a file. */
export const REFUSED_EDIT = 'edit refused by the user'

function describeChanges(file: FileRecord): string {
  const done = file.edits > 0 ? describeEdits(file) : ''
  if (!file.isRefused) return done
  return done === '' ? REFUSED_EDIT : `${done}; another ${REFUSED_EDIT}`
}

function describeEdits({ created, deleted, edits, undone }: FileRecord): string {
  if (deleted) return 'deleted'
  if (undone.hasAll) return `undone, edited ${edits}×`
  if (!created) return edits > 1 ? `edited ${edits}×` : 'edited'
  return edits > 1 ? 'created, edited' : 'created'
}

/** Over lines of a changed file that the agent did not write. */
export const OTHER_LINES = 'other lines of it:'

/** The number that a tool put before a line of a file. */
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
