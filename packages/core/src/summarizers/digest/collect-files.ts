/** Files that were changed or read: what was done to them, and the lines of theirs that matter. */
import type { FileChange } from '../../facts/patch.ts'
import { type Group, priorities } from './candidate.ts'
import { clip, flatten } from './clip.ts'
import { type Draft, orderOf } from './draft.ts'
import { type CallEvent, isPurpose, type Placed, showsOneFile } from './event.ts'
import { forEachOutputLine } from './output-lines.ts'
import { errorWorth, focusWorth, fullness, recencyOf } from './worth.ts'

interface FileRecord {
  readonly path: string
  readonly lines: Map<string, SeenLine>
  readonly purposes: { at: number; text: string }[]
  created: boolean
  deleted: boolean
  edits: number
  lastAt: number
}

interface SeenLine {
  readonly text: string
  readonly entities: readonly number[]
  /** Event and line number, for the order of lines. */
  at: number
  row: number
  written: boolean
  isCurrent: boolean
}

// What was touched last is touched next: worth of a line of the newest file shown, and in how many steps it fades.
const HOT_WORTH = 2
const HOT_STEPS = 4
const LONGEST_LINE = 320
// Lines without a name and without words tell nothing on their own.
const SHORTEST_LINE = 8
const LINE_NUMBER = /^\s{0,8}L?(\d{1,6})(?:→|:|-|\||\t) ?/

export function collectFiles(draft: Draft): void {
  const files = new Map<string, FileRecord>()
  draft.events.forEach((event, index) => {
    if (event.type !== 'call') return
    const before = index > 0 && isPurpose(draft.events, index - 1) ? draft.events[index - 1] : undefined
    if (event.action.kind === 'write')
      noteChanges(draft, files, event, before?.type === 'words' ? before.text : undefined)
    else if (showsOneFile(event.action)) noteRead(draft, files, event)
  })
  for (const file of files.values()) pushFile(draft, file)
}

function openFile(files: Map<string, FileRecord>, path: string, at: number): FileRecord {
  let file = files.get(path)
  if (!file) {
    file = { path, lines: new Map(), purposes: [], created: false, deleted: false, edits: 0, lastAt: at }
    files.set(path, file)
  }
  file.lastAt = at
  return file
}

function noteRead(draft: Draft, files: Map<string, FileRecord>, event: Placed<CallEvent>): void {
  const path = event.action.paths[0]!
  draft.vocabulary.note(draft.vocabulary.read(path), event.at, 'call')
  const file = openFile(files, path, event.at)
  if (!event.outcome || event.outcome.failed) return
  forEachOutputLine(draft, event, (raw, row) => {
    const number = LINE_NUMBER.exec(raw)
    const line = number ? raw.slice(number[0].length) : raw
    seeLine(draft, file, line, event.at, number ? Number(number[1]) : row, false)
  })
}

function noteChanges(
  draft: Draft,
  files: Map<string, FileRecord>,
  event: Placed<CallEvent>,
  purpose: string | undefined,
): void {
  if (event.outcome?.failed === true) return
  event.action.changes.forEach((change, position) => {
    const file = openFile(files, change.path, event.at)
    draft.vocabulary.note(draft.vocabulary.read(change.path), event.at, 'call')
    file.edits++
    file.created ||= change.type === 'created'
    file.deleted = change.type === 'deleted'
    if (purpose !== undefined && position === 0) file.purposes.push({ at: event.at, text: purpose })
    applyChange(draft, file, change, event.at)
  })
}

function applyChange(draft: Draft, file: FileRecord, change: FileChange, at: number): void {
  // What is written anew holds nothing of what it was.
  if (change.type === 'created') for (const line of file.lines.values()) line.isCurrent = false
  for (const removed of change.removed) {
    const line = file.lines.get(removed.trim())
    if (line) line.isCurrent = false
  }
  const known = new Set(change.removed.map((line) => line.trim()))
  change.added.forEach((added, row) => {
    seeLine(draft, file, added, at, row, !known.has(added.trim()))
  })
}

function seeLine(draft: Draft, file: FileRecord, raw: string, at: number, row: number, written: boolean): void {
  const text = raw.trim()
  if (text.length < SHORTEST_LINE) return
  const known = file.lines.get(text)
  if (known) {
    known.at = at
    known.row = row
    known.written ||= written
    known.isCurrent = true
    draft.vocabulary.note(known.entities, at, written ? 'call' : 'output')
    return
  }
  const entities = draft.vocabulary.read(text)
  draft.vocabulary.note(entities, at, written ? 'call' : 'output')
  file.lines.set(text, { text, entities, at, row, written, isCurrent: true })
}

function pushFile(draft: Draft, file: FileRecord): void {
  const changed = file.edits > 0
  const age = draft.events.length - file.lastAt
  const group: Group = {
    section: changed ? 'changed' : 'read',
    order: age,
    heading: changed ? undefined : `- ${file.path}`,
  }
  if (changed) {
    draft.candidates.push({
      kind: 'file',
      group,
      order: -2,
      text: `- ${file.path} (${describeChanges(draft, file)})`,
      entities: draft.vocabulary.read(file.path),
      value: 6,
      priority: priorities.changedFile + age / draft.events.length,
    })
  }
  // What the agent wrote stands first; the rest is there to find the way around.
  const others: Group = { ...group, order: age + 0.5, heading: `  ${draft.wording.otherLines}` }
  file.purposes.forEach(({ at, text }, index) => {
    const line = clip(flatten(text), 300)
    const entities = draft.vocabulary.read(text)
    draft.vocabulary.note(entities, at, 'agent')
    const value = 2 + 2 * recencyOf(draft, at) + focusWorth(draft, line)
    draft.candidates.push({
      kind: 'change',
      group,
      order: -1 + index / file.purposes.length,
      text: `  ${line}`,
      entities,
      value,
    })
  })
  if (file.deleted) return
  for (const line of file.lines.values()) {
    if (line.isCurrent) pushLine(draft, file, changed && !line.written ? others : group, line)
  }
}

function pushLine(draft: Draft, file: FileRecord, group: Group, line: SeenLine): void {
  if (line.text.length > LONGEST_LINE || draft.visible.has(line.text)) return
  const changed = file.edits > 0
  const recency = recencyOf(draft, line.at)
  const declares =
    /^(?:export |pub |public |private |async |static )*(?:func|function|def|class|interface|type|struct|enum|fn|trait|impl|const|var|let)\b/.test(
      line.text,
    )
  const hot = HOT_WORTH * Math.exp(-draft.shownAfter[line.at]! / HOT_STEPS)
  const standing = (line.written ? 2 : 0.4) * recency ** 3 + hot + (declares ? 0.3 : 0)
  const value = standing * fullness(line.text) + errorWorth(line.text, recency) + focusWorth(draft, line.text)
  draft.candidates.push({
    kind: changed ? 'change' : 'read',
    group,
    order: orderOf(line),
    text: `\t${line.text}`,
    entities: line.entities,
    value,
  })
}

function describeChanges({ wording }: Draft, file: FileRecord): string {
  if (file.deleted) return wording.deleted
  const edited = file.edits > 1 ? `${wording.edited} ${file.edits}×` : wording.edited
  return file.created ? (file.edits > 1 ? `${wording.created}, ${wording.edited}` : wording.created) : edited
}
