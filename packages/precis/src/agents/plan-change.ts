/** What installing or uninstalling would make of an agent's files. Nothing here writes. */
import { createHash } from 'node:crypto'
import type { Agent } from '../sessions/agent-home.ts'
import { readAgentFile, refuseAgentFile } from './agent-file.ts'
import { type EntryState, findEntry } from './find-entry.ts'
import { insertJsonEntry } from './insert-json.ts'
import { type ChangedFile, readRecords } from './installation-records.ts'
import type { Entry } from './integration.ts'
import { parseJsonDocument } from './json-document.ts'
import { judgeModule } from './module-entry.ts'
import { isEmptyJson, removeEmptyContainer, removeJsonEntry } from './remove-json.ts'
import { applyTextEdits, invertTextEdits, type TextEdit } from './text-edit.ts'
import { insertTomlTable, removeTomlTable } from './toml-table.ts'

/** One file; undefined texts stand for no file. */
export interface FileChange {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What became of an entry, or would. */
export interface EntryOutcome {
  readonly entry: Entry
  /** `kept`: a file of ours that somebody edited, so it is theirs now. */
  readonly outcome: 'added' | 'replaced' | 'present' | 'foreign' | 'removed' | 'absent' | 'kept'
}

export interface ChangePlan {
  readonly agent: Agent
  readonly changes: readonly FileChange[]
  readonly outcomes: readonly EntryOutcome[]
  /** What is to be remembered of each file when it is done; nothing for a removal. */
  readonly files: readonly ChangedFile[]
}

/** Throws `AgentFileError` for a file that cannot be read or understood: then nothing at all is changed. */
export function planInstallation(agent: Agent, entries: readonly Entry[]): ChangePlan {
  const known = listKnownFiles(agent)
  const files = groupByPath(entries).map(([path, group]) => {
    return planFile(path, group, known.get(path))
  })
  return {
    agent,
    changes: files.flatMap(({ change }) => change ?? []),
    outcomes: files.flatMap(({ outcomes }) => outcomes),
    files: files.flatMap(({ changedFile }) => changedFile ?? []),
  }
}

/** The same for taking everything away. */
export function planRemoval(agent: Agent, entries: readonly Entry[]): ChangePlan {
  const known = listKnownFiles(agent)
  const changes: FileChange[] = []
  const outcomes: EntryOutcome[] = []
  for (const [path, group] of groupByPath(entries)) {
    const before = readAgentFile(path)
    const states = group.map((entry) => findState(path, before, entry))
    const after = removeAll(before, group, known.get(path))
    if (after !== before) changes.push({ path, before, after })
    group.forEach((entry, index) => {
      outcomes.push({ entry, outcome: judgeRemoval(states[index]?.type, before, entry) })
    })
  }
  return { agent, changes, outcomes, files: [] }
}

function listKnownFiles(agent: Agent): Map<string, ChangedFile> {
  const known = readRecords().agents.find((other) => other.agent === agent)
  return new Map((known?.files ?? []).map((file) => [file.path, file]))
}

function groupByPath(entries: readonly Entry[]): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.path)
    if (group) group.push(entry)
    else groups.set(entry.path, [entry])
  }
  return [...groups]
}

type FoundState = Exclude<EntryState, { readonly type: 'unfit' }>

function findState(path: string, text: string | undefined, entry: Entry): FoundState {
  const state = findEntry(text, entry)
  if (state.type === 'unfit') throw refuseAgentFile(path, state.problem)
  return state
}

interface PlannedFile {
  readonly change: FileChange | undefined
  readonly outcomes: readonly EntryOutcome[]
  readonly changedFile: ChangedFile | undefined
}

function planFile(path: string, entries: readonly Entry[], known: ChangedFile | undefined): PlannedFile {
  const before = readAgentFile(path)
  const states = entries.map((entry) => ({ entry, state: findState(path, before, entry) }))
  const outcomes = states.map(({ entry, state }) => ({ entry, outcome: INSTALLED[state.type] }))
  if (outcomes.every(({ outcome }) => outcome === 'present' || outcome === 'foreign')) {
    return { change: undefined, outcomes, changedFile: known }
  }
  // What was there of ours goes first, so that a second installation ends as a first one would.
  const base = removeAll(before, entries, known)
  const wanted = states.flatMap(({ entry, state }) => (state.type === 'foreign' ? [] : [entry]))
  assertAbsent(path, base, wanted)
  const written = insertAll(base ?? '', wanted)
  const changedFile: ChangedFile = {
    path,
    isCreated: base === undefined,
    hash: hash(written.text),
    undo: written.undo,
    containers: written.containers,
  }
  return { change: { path, before, after: written.text }, outcomes, changedFile }
}

/** What is still there without ours has the name a second time: nothing could be put in its place. */
function assertAbsent(path: string, text: string | undefined, entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (findState(path, text, entry).type === 'absent') continue
    throw refuseAgentFile(path, `the name of ${entry.what} is in it twice`)
  }
}

const INSTALLED = { absent: 'added', own: 'replaced', installed: 'present', foreign: 'foreign' } as const

interface Written {
  readonly text: string
  readonly undo: TextEdit[][]
  readonly containers: string[][]
}

function insertAll(base: string, entries: readonly Entry[]): Written {
  let text = base
  const undo: TextEdit[][] = []
  const containers: string[][] = []
  for (const entry of entries) {
    const { edits, made } = insertEntry(text, entry)
    undo.unshift(invertTextEdits(text, edits))
    containers.push(...made)
    text = applyTextEdits(text, edits)
  }
  return { text, undo, containers }
}

function insertEntry(text: string, entry: Entry): { edits: readonly TextEdit[]; made: string[][] } {
  if (entry.type === 'toml') return { edits: insertTomlTable(text, entry), made: [] }
  if (entry.type === 'file') return { edits: [{ offset: 0, length: text.length, text: entry.text }], made: [] }
  const document = parseJsonDocument(text)
  if ('problem' in document) throw refuseAgentFile(entry.path, document.problem)
  const { edits, containers } = insertJsonEntry(document, entry)
  return { edits, made: containers.map((names) => [...names]) }
}

/** A file that nobody touched since goes back to what it was; of any other, ours goes and the rest stays. */
function removeAll(
  text: string | undefined,
  entries: readonly Entry[],
  known: ChangedFile | undefined,
): string | undefined {
  if (text === undefined) return undefined
  const rest = takeOut(text, entries, known)
  if (!known || hash(text) !== known.hash) return rest
  const before = known.isCreated
    ? undefined
    : known.undo.reduce((current, edits) => applyTextEdits(current, edits), text)
  return isAsBare(before, rest) ? before : rest
}

/** What is remembered brings back white space, commas and the braces around all, whatever it says: no other character. */
function isAsBare(before: string | undefined, rest: string | undefined): boolean {
  const [was, is] = [before, rest].map((text) => text?.replace(/[\s,]+/g, '') ?? '')
  return was === is || `${was}{}` === is
}

function takeOut(text: string, entries: readonly Entry[], known: ChangedFile | undefined): string | undefined {
  let rest = text
  for (const entry of entries) {
    if (entry.type === 'file') return judgeModule(text) === 'own' ? undefined : text
    rest = entry.type === 'json' ? removeJsonEntry(rest, entry) : removeOwnTable(rest, entry)
  }
  if (rest === text) return text
  // The innermost first.
  for (const names of [...(known?.containers ?? [])].sort((a, b) => b.length - a.length)) {
    rest = removeEmptyContainer(rest, names)
  }
  return known?.isCreated && isEmptyJson(rest) ? undefined : rest
}

function removeOwnTable(text: string, entry: Extract<Entry, { type: 'toml' }>): string {
  const { type } = findEntry(text, entry)
  return type === 'own' || type === 'installed' ? removeTomlTable(text, entry) : text
}

function judgeRemoval(
  state: FoundState['type'] | undefined,
  text: string | undefined,
  entry: Entry,
): EntryOutcome['outcome'] {
  if (state === 'own' || state === 'installed') return 'removed'
  if (state !== 'foreign') return 'absent'
  return entry.type === 'file' && text !== undefined && judgeModule(text) === 'edited' ? 'kept' : 'foreign'
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
