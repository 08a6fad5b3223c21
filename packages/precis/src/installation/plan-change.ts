/**
 * Plans how an installation or uninstallation changes an agent's files, which writes nothing. Then
 * carries out the plan, file by file.
 */
import { hash } from 'node:crypto'
import type { Agent, SettingsEntry, TomlEntry, TomlValueEntry } from '../agents/shared/agent.ts'
import { judgeMarkedFile } from '../agents/shared/marked-file.ts'
import { addToList } from '../files/lists.ts'
import {
  applyTextEdits,
  invertTextEdits,
  readAgentFile,
  refuseAgentFile,
  type TextEdit,
} from './agent-file.ts'
import { addFoundMembers, type EntryState, findSettingsEntry, isBrought } from './find-entry.ts'
import {
  type ChangedFile,
  type InstalledGateway,
  readInstallationRecords,
} from './installation-records.ts'
import { parseJsonDocument } from './json-document.ts'
import {
  insertJsonEntry,
  isEmptyJson,
  removeEmptyContainer,
  removeJsonEntry,
} from './json-entry.ts'
import { insertTomlTable, insertTomlValue, listOtherLines, removeTomlEntry } from './toml-entry.ts'

/** One file. Undefined texts mean that there is no file. */
export interface FileRewrite {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The change of an entry, done or planned. */
export interface EntryOutcome {
  readonly entry: SettingsEntry
  /**
   * `kept`: a file by precis that was edited, so it belongs to the user now. `brought`: the plugin
   * of precis adds the same.
   */
  readonly outcome:
    | 'added'
    | 'replaced'
    | 'present'
    | 'foreign'
    | 'removed'
    | 'absent'
    | 'kept'
    | 'brought'
}

export interface ChangePlan {
  readonly agent: Agent
  readonly changes: readonly FileRewrite[]
  readonly outcomes: readonly EntryOutcome[]
  /** The records of each file for later. Empty for a removal. */
  readonly files: readonly ChangedFile[]
  readonly gateway?: InstalledGateway | undefined
}

/** Throws `AgentFileError` if a file cannot be read or parsed. In that case nothing is changed. */
export function planInstallation(
  agent: Agent,
  entries: readonly SettingsEntry[],
  gateway?: InstalledGateway,
): ChangePlan {
  const known = listKnownFiles(agent)
  const files = groupByPath(entries).map(([path, group]) => {
    return group.some(isBrought)
      ? planWithoutFile(path, group)
      : planFile(path, group, known.get(path))
  })
  const outcomes = files.flatMap((file) => file.outcomes)
  const made = new Set(
    outcomes.flatMap(({ entry, outcome }) => (outcome === 'foreign' ? [] : [entry.what])),
  )
  return {
    agent,
    gateway: gateway && { ...gateway, entries: gateway.entries.filter((what) => made.has(what)) },
    changes: files.flatMap(({ change }) => change ?? []),
    outcomes,
    files: files.flatMap(({ changedFile }) => changedFile ?? []),
  }
}

/** The same for removing everything. */
export function planRemoval(agent: Agent, entries: readonly SettingsEntry[]): ChangePlan {
  const known = listKnownFiles(agent)
  const changes: FileRewrite[] = []
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

function listKnownFiles({ name }: Agent): Map<string, ChangedFile> {
  const known = readInstallationRecords().agents.find((other) => other.agent === name)
  return new Map((known?.files ?? []).map((file) => [file.path, file]))
}

function groupByPath(entries: readonly SettingsEntry[]): [string, SettingsEntry[]][] {
  const groups = new Map<string, SettingsEntry[]>()
  for (const entry of entries) {
    addToList(groups, entry.path, entry)
  }
  return [...groups]
}

type FoundState = Exclude<EntryState, { readonly type: 'unfit' }>

function findState(path: string, text: string | undefined, entry: SettingsEntry): FoundState {
  const state = findSettingsEntry(text, entry)
  if (state.type === 'unfit') throw refuseAgentFile(path, state.problem)
  return state
}

/** A plugin only adds whole files. */
export function planWithoutFile(path: string, entries: readonly SettingsEntry[]): PlannedFile {
  const before = readAgentFile(path)
  const outcomes = entries.map((entry) => {
    const outcome = judgeRemoval(findState(path, before, entry).type, before, entry)
    return { entry, outcome: outcome === 'absent' ? 'brought' : outcome } as const
  })
  const after = removeAll(before, entries, undefined)
  return {
    change: after === before ? undefined : { path, before, after },
    outcomes,
    changedFile: undefined,
  }
}

interface PlannedFile {
  readonly change: FileRewrite | undefined
  readonly outcomes: readonly EntryOutcome[]
  readonly changedFile: ChangedFile | undefined
}

function planFile(
  path: string,
  entries: readonly SettingsEntry[],
  known: ChangedFile | undefined,
): PlannedFile {
  const before = readAgentFile(path)
  const states = entries.map((entry) => ({ entry, state: findState(path, before, entry) }))
  const outcomes = states.map(({ entry, state }) => ({ entry, outcome: INSTALLED[state.type] }))
  if (outcomes.every(({ outcome }) => outcome === 'present' || outcome === 'foreign')) {
    return { change: undefined, outcomes, changedFile: known }
  }
  // Earlier entries of precis are removed first, so that a repeated installation has the same
  // result.
  const base = removeAll(before, entries, known)
  const wanted = states.flatMap(({ entry, state }) =>
    state.type === 'foreign' ? [] : [keepMembers(before, entry)],
  )
  assertAbsent(path, base, wanted)
  const written = insertAll(base ?? '', wanted)
  assertInstalled(path, written.text, wanted)
  const changedFile: ChangedFile = {
    path,
    isCreated: base === undefined,
    hash: hash('sha256', written.text),
    undo: written.undo,
    containers: written.containers,
  }
  return { change: { path, before, after: written.text }, outcomes, changedFile }
}

/** With what the user added to it, such as variables. Elements of lists are ours alone. */
function keepMembers(before: string | undefined, entry: SettingsEntry): SettingsEntry {
  if (before === undefined) return entry
  if (entry.type === 'json') return { ...entry, value: addFoundMembers(before, entry) }
  return entry.type === 'toml' ? { ...entry, more: listOtherLines(before, entry) } : entry
}

/**
 * Refuses a file that contains the name twice, so that it is still taken after the entry is
 * removed.
 */
function assertAbsent(
  path: string,
  text: string | undefined,
  entries: readonly SettingsEntry[],
): void {
  for (const entry of entries) {
    if (findState(path, text, entry).type === 'absent') continue
    throw refuseAgentFile(path, `the name of ${entry.what} is in it twice`)
  }
}

/** Refuses a file in which the agent would not find what was inserted. */
function assertInstalled(path: string, text: string, entries: readonly SettingsEntry[]): void {
  for (const entry of entries) {
    if (findState(path, text, entry).type === 'installed') continue
    throw refuseAgentFile(path, `${entry.what} would not be found in it`)
  }
}

const INSTALLED = {
  absent: 'added',
  own: 'replaced',
  installed: 'present',
  foreign: 'foreign',
} as const

interface WrittenFile {
  readonly text: string
  readonly undo: TextEdit[][]
  readonly containers: string[][]
}

function insertAll(base: string, entries: readonly SettingsEntry[]): WrittenFile {
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

function insertEntry(
  text: string,
  entry: SettingsEntry,
): { edits: readonly TextEdit[]; made: string[][] } {
  if (entry.type === 'toml') return { edits: insertTomlTable(text, entry), made: [] }
  if (entry.type === 'toml-value') return { edits: insertTomlValue(text, entry), made: [] }
  if (entry.type === 'file')
    return { edits: [{ offset: 0, length: text.length, text: entry.text }], made: [] }
  const document = parseJsonDocument(text)
  if ('problem' in document) throw refuseAgentFile(entry.path, document.problem)
  const { edits, containers } = insertJsonEntry(document, entry)
  return { edits, made: containers.map((names) => [...names]) }
}

/**
 * Restores a file if it was not changed since. From any other file, removes only entries of precis.
 */
function removeAll(
  text: string | undefined,
  entries: readonly SettingsEntry[],
  known: ChangedFile | undefined,
): string | undefined {
  if (text === undefined) return undefined
  const rest = takeOut(text, entries, known)
  if (!known || hash('sha256', text) !== known.hash) return rest
  const before = known.isCreated
    ? undefined
    : known.undo.reduce((current, edits) => applyTextEdits(current, edits), text)
  return isAsBare(before, rest) ? before : rest
}

/**
 * Whether the records restore only white space, commas and the outer braces. A damaged record must
 * not restore any other character.
 */
function isAsBare(before: string | undefined, rest: string | undefined): boolean {
  const [was, is] = [before, rest].map((text) => text?.replace(/[\s,]+/g, '') ?? '')
  return was === is || `${was}{}` === is
}

function takeOut(
  text: string,
  entries: readonly SettingsEntry[],
  known: ChangedFile | undefined,
): string | undefined {
  let rest = text
  for (const entry of entries) {
    if (entry.type === 'file') return judgeMarkedFile(text) === 'own' ? undefined : text
    rest = entry.type === 'json' ? removeJsonEntry(rest, entry) : removeOwnTable(rest, entry)
  }
  if (rest === text) return text
  // Innermost first.
  for (const names of [...(known?.containers ?? [])].sort((a, b) => b.length - a.length)) {
    rest = removeEmptyContainer(rest, names)
  }
  return known?.isCreated && isEmptyJson(rest) ? undefined : rest
}

function removeOwnTable(text: string, entry: TomlEntry | TomlValueEntry): string {
  const { type } = findSettingsEntry(text, entry)
  if (type !== 'own' && type !== 'installed') return text
  return removeTomlEntry(text, entry)
}

function judgeRemoval(
  state: FoundState['type'] | undefined,
  text: string | undefined,
  entry: SettingsEntry,
): EntryOutcome['outcome'] {
  if (state === 'own' || state === 'installed') return 'removed'
  if (state !== 'foreign') return 'absent'
  return entry.type === 'file' && text !== undefined && judgeMarkedFile(text) === 'edited'
    ? 'kept'
    : 'foreign'
}
