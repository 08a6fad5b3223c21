/** Files that were changed or read: what was done to them, and the lines of theirs that matter. */

import type { Steps } from '../conversation/steps.ts'
import { clip, flatten } from '../facts/flatten.ts'
import { isStatement, namesLimitOrTest } from './declaration.ts'
import {
  type Candidate,
  createGroup,
  type Draft,
  errorWorth,
  focusWorth,
  fullness,
  type Group,
  keyOfEvent,
  orderOf,
  priorities,
  recencyOf,
  showsOneFile,
} from './draft.ts'
import {
  type FilePurpose,
  type FileRecord,
  noteChanges,
  noteRead,
  type SeenLine,
} from './file-records.ts'
import { isFragment } from './noise.ts'
import { collectScratch } from './scratch.ts'

const MANY_EDITS = 3
const MOST_PURPOSES = 3
const SHORTEST_SAMPLE = 16
const LONGEST_SAMPLE = 160

// Blank lines and single brackets may come between lines that belong together.
const NEAREST_ROWS = 2
// As many lines as one looks at, or writes, on purpose.
const FEW_LINES = 10
const LONGEST_LINE = 320
// Single lines of code without their surroundings say little, however well each of them looks.
const MOST_SINGLE_OTHER_LINES = 8
const MOST_SINGLE_READ_LINES = 10
// Any line of the last touched files may be needed next. With fewer than 45 lines, later edits do
// not find theirs.
const HOT_FILES = 3
const MOST_SINGLE_HOT_LINES = 45
const MOST_NAMED = 8
const NAMED_WORTH = 6
// After this many more looks at files, what a file declares is needed, and not its statements.
const OLD_STEPS = 20

// What git can bring back, as it may after `git diff > a.patch && git checkout -- a.ts`.
const KEEPS =
  /\bgit\b[^|&;\n]{0,80} (?:(?:add|am|apply|commit|stash|format-patch)\b|(?:diff|show)\b[^|&;\n]{0,200}(?:>|\| {0,2}tee\b))/

export function* collectFiles(draft: Draft): Steps<void> {
  const files = new Map<string, FileRecord>()
  let safeAt = -1
  for (const event of draft.events) {
    if (event.type !== 'call') continue
    yield
    const { changes, command = '' } = event.action
    if (KEEPS.test(command)) safeAt = event.at
    if (changes.length > 0) noteChanges(draft, files, event, safeAt)
    else if (showsOneFile(event.action)) noteRead(draft, files, event)
  }
  collectScratch(draft)
  const reported = new Set<string>()
  const named = findNamed(files)
  // One command may change several files: each has an order of its own.
  const newestFirst = [...files.values()].sort((a, b) => b.lastAt - a.lastAt)
  const orders = new Map(newestFirst.map((file, order) => [file, order]))
  for (const file of files.values()) {
    yield
    pushFile(draft, file, { order: orders.get(file)!, reported, named })
  }
}

/** The newest lines that the agent wrote of limits and tests: one asks for these by their names. */
function findNamed(files: ReadonlyMap<string, FileRecord>): ReadonlySet<SeenLine> {
  const lines = [...files.values()].flatMap((file) =>
    file.deleted ? [] : [...file.lines.values()],
  )
  const named = lines.filter(
    ({ text, written, isCurrent }) => written && isCurrent && namesLimitOrTest(text),
  )
  return new Set(named.sort((a, b) => b.at - a.at).slice(0, MOST_NAMED))
}

interface FilePlace {
  /** Of its group in the section. */
  readonly order: number
  /** Purposes that a file has told. */
  readonly reported: Set<string>
  readonly named: ReadonlySet<SeenLine>
}

function pushFile(draft: Draft, file: FileRecord, { order, reported, named }: FilePlace): void {
  const changed = file.edits > 0
  const age = draft.events.length - file.lastAt
  const isHot = draft.shownAfter[file.lastAt]! < HOT_FILES
  const group: Group = {
    section: changed ? 'changed' : 'read',
    order,
    heading: changed ? undefined : `- ${file.path}`,
    mostSingles: changed ? undefined : isHot ? MOST_SINGLE_HOT_LINES : MOST_SINGLE_READ_LINES,
  }
  if (changed || file.isRefused) {
    draft.candidates.push({
      kind: 'file',
      group: changed ? group : createGroup('changed', order),
      order: -2,
      text: `- ${file.path} (${describeChanges(file)})`,
      entities: file.entities,
      value: 6,
      priority: priorities.changedFile + age / draft.events.length,
    })
  }
  // What the agent wrote comes first. The rest helps to find the way around.
  const others: Group = {
    ...group,
    order: order + 0.5,
    heading: `  ${OTHER_LINES}`,
    mostSingles: MOST_SINGLE_OTHER_LINES,
  }
  const isExplained = pushPurposes(draft, file, group, reported)
  if (file.deleted) return
  const sample = changed && !isExplained ? findSample(file) : undefined
  let before: { readonly line: SeenLine; readonly candidate: Candidate } | undefined
  const lines = [...file.lines.values()].filter(({ isCurrent }) => isCurrent)
  for (const line of lines.sort((a, b) => a.at - b.at || a.row - b.row)) {
    const made = createLine(draft, file, changed && !line.written ? others : group, line)
    if (!made) continue
    const plain = named.has(line) ? { ...made, value: made.value + NAMED_WORTH } : made
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

/** What its edits were for. Returns whether any purpose was pushed. */
function pushPurposes(
  draft: Draft,
  file: FileRecord,
  group: Group,
  reported: Set<string>,
): boolean {
  const age = draft.events.length - file.lastAt
  let isExplained = false
  const purposes = choosePurposes(file)
  purposes.forEach(({ at, purpose: { text, words } }, index) => {
    const said = clip(flatten(text), 300).replace(COLON, '.')
    const isToldUndone = !file.undone.has(at) || said.endsWith(UNDONE_LATER)
    const line = isToldUndone ? said : `${said}${UNDONE_LATER}`
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
  return isExplained
}

// What an edit was for announces nothing here.
const COLON = /[:：]$/

// Marks the purpose of an edit that was later undone.
const UNDONE_LATER = ' (undone later)'

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
export const UNDONE = 'undone, edited'

function describeChanges(file: FileRecord): string {
  const done = file.edits > 0 ? describeEdits(file) : ''
  if (!file.isRefused) return done
  return done === '' ? REFUSED_EDIT : `${done}; another ${REFUSED_EDIT}`
}

function describeEdits({ created, deleted, edits, undone }: FileRecord): string {
  if (deleted) return 'deleted'
  if (undone.hasAll) return `${UNDONE} ${edits}×`
  if (!created) return edits > 1 ? `edited ${edits}×` : 'edited'
  return edits > 1 ? 'created, edited' : 'created'
}

/** Over lines of a changed file that the agent did not write. */
export const OTHER_LINES = 'other lines of it:'
