/** Reads tool calls of all agents the same way: by their names and by common fields. */

import { hosts } from '../conversation/hosts.data.ts'
import type { ToolCallPart } from '../conversation/message.ts'
import { type Deed, readName, readShellDeeds, readToolDeeds } from './artifact-deeds.ts'
import { type Fields, listFields, parseInput, textOf } from './call-fields.ts'
import { type FileChange, parsePatch } from './file-changes.ts'
import { joinPath, relativePath } from './paths.ts'
import { type PlanChange, readPlan } from './plan-tasks.ts'
import { readScriptCalls } from './script-calls.ts'
import { readShellChanges } from './shell-changes.ts'
import { readShellCommand } from './shell-steps.ts'
import { readTaskTable } from './task-table.ts'
import { fieldNames, tools } from './tool-names.data.ts'

type ActionKind = 'read' | 'write' | 'command' | 'search' | 'plan' | 'delegate' | 'other'

/** One call, understood. */
export interface Action extends PlanChange {
  readonly kind: ActionKind
  readonly name: string
  /**
   * Files that it names, relative to the working directory. For a command, the files that it
   * changes.
   */
  readonly paths: readonly string[]
  /** Shell command, as the agent gave it. */
  readonly command?: string
  /** The agent's words about the purpose or the search of a call. */
  readonly purpose?: string
  readonly changes: readonly FileChange[]
  /** What it does outside files. */
  readonly deeds?: readonly Deed[]
  /** The running command that it asks about. */
  readonly session?: string
  /** Whether other actions of the same call share its result. */
  readonly isJoint?: boolean
}

/** Whether a tool of this name only shows the file it gets. */
export function isReadingTool(name: string): boolean {
  const lower = name.toLowerCase()
  return tools.read.has(lower) || /(?:^|[_-])(?:read|view)(?:[_-]|$)/.test(lower)
}

/** Whether the output of a call is the content of files, and not the text of a program. */
export function showsContent({ kind, command }: Pick<Action, 'kind' | 'command'>): boolean {
  return command === undefined && (kind === 'read' || kind === 'search')
}

const unfolded = new WeakMap<ToolCallPart, readonly ToolCallPart[]>()

/** The calls of a call's script, or the call itself if it is not a script. Memoized by identity. */
export function unfoldCall(call: ToolCallPart): readonly ToolCallPart[] {
  const isScript = call.name.toLowerCase().endsWith('exec')
  const calls = unfolded.get(call) ?? (isScript ? readScriptCalls(call) : readBatch(call)) ?? [call]
  unfolded.set(call, calls)
  return calls
}

/** The calls of a list: `{"commands": ["npm test", …]}`, `{"files": [{"path": "a.ts"}, …]}`. */
function readBatch(call: ToolCallPart): readonly ToolCallPart[] | undefined {
  const input = parseInput(call.input)
  if (typeof input === 'string') return undefined
  const [[name, list] = ['', undefined], ...others] = Object.entries(input)
  if (others.length > 0 || !Array.isArray(list) || list.length === 0) return undefined
  const inputs = list.map((item: unknown) => {
    if (name === 'commands') return typeof item === 'string' ? { command: item } : item
    return name === 'files' ? item : undefined
  })
  const isRead = inputs.every((item) => typeof item === 'object' && item !== null)
  return isRead ? inputs.map((item) => ({ ...call, input: item })) : undefined
}

interface CallReading {
  readonly actions: readonly Action[]
  readonly combined: Action
}

/** By working directory: words of the user are read without one. */
const memo = new WeakMap<ToolCallPart, Map<string | undefined, CallReading>>()

/**
 * Everything that a call does, in order. A script may do several things, or none. Memoized by
 * identity.
 */
export function readToolCalls(
  call: ToolCallPart,
  workingDirectory: string | undefined,
): readonly Action[] {
  return readCall(call, workingDirectory).actions
}

/**
 * Everything that a call does as one action. `other` for tools that name no file, command or plan.
 * Memoized by identity.
 */
export function readToolCall(call: ToolCallPart, workingDirectory: string | undefined): Action {
  return readCall(call, workingDirectory).combined
}

function readCall(call: ToolCallPart, workingDirectory: string | undefined): CallReading {
  const readings = memo.get(call) ?? new Map<string | undefined, CallReading>()
  const known = readings.get(workingDirectory)
  if (known) return known
  const alone = unfoldCall(call).map((part) => understand(part, workingDirectory))
  const actions = alone.length > 1 ? alone.map((action) => ({ ...action, isJoint: true })) : alone
  const reading = {
    actions,
    combined: actions.length === 1 ? actions[0]! : combine(call, actions),
  }
  memo.set(call, readings.set(workingDirectory, reading))
  return reading
}

const RANKS: readonly ActionKind[] = [
  'write',
  'command',
  'delegate',
  'plan',
  'search',
  'read',
  'other',
]

/**
 * One action with everything that the given ones change, run and name. Its kind is the kind that
 * changes most.
 */
function combine({ name }: ToolCallPart, actions: readonly Action[]): Action {
  const kind = RANKS.find((rank) => actions.some((action) => action.kind === rank)) ?? 'other'
  const commands = actions.flatMap(({ command }) => command ?? [])
  const named = actions.filter((action) => action.kind === kind || action.changes.length > 0)
  return {
    kind,
    name,
    paths: [...new Set(named.flatMap(({ paths }) => paths))],
    ...(commands.length > 0 && { command: commands.join('\n') }),
    changes: actions.flatMap(({ changes }) => changes),
    deeds: actions.flatMap(({ deeds = [] }) => deeds),
    isJoint: true,
    tasks: actions.flatMap(({ tasks }) => tasks),
    replacesPlan: actions.some(({ replacesPlan }) => replacesPlan),
  }
}

const taskTables = hosts.flatMap(({ taskTable }) => taskTable ?? [])

function understand(call: ToolCallPart, workingDirectory: string | undefined): Action {
  const name = call.name.toLowerCase()
  const input = parseInput(call.input)
  const fields: Fields = new Map(typeof input === 'string' ? [] : Object.entries(input))
  const free =
    typeof input === 'string' ? input : (textOf(fields, ['patch', 'patchText', 'input']) ?? '')
  const { directory = '' } = call
  const relative = (path: string) => relativePath(joinPath(directory, path), workingDirectory)
  const given: GivenCall = { call, name, fields, relative }
  const command = readCommand(fields) ?? (isShell(name) && free !== '' ? free : undefined)
  const patch = [free, command].find((text) => text?.includes('*** Begin Patch'))
  if (patch !== undefined) {
    const changes = parsePatch(patch).map((change) => ({ ...change, path: relative(change.path) }))
    return { ...emptyAction(call), kind: 'write', changes, paths: changes.map(({ path }) => path) }
  }
  if (command !== undefined) return understandCommand(command, given)
  const tasks = taskTables.flatMap((table) =>
    table.tool === name ? readTaskTable(textOf(fields, [table.field]) ?? '', table) : [],
  )
  if (tasks.length > 0) return { ...emptyAction(call), kind: 'plan', tasks }
  if (tools.plan.has(name)) return { ...emptyAction(call), kind: 'plan', ...readPlan(name, fields) }
  const replacements = listFields(fields.get('replacements'))
  if (replacements.length > 0) {
    const changes = replacements.flatMap((pair) => {
      const place = textOf(pair, fieldNames.path)
      return place === undefined ? [] : readChanges(name, relative(place), pair)
    })
    return {
      ...emptyAction(call),
      kind: 'write',
      changes,
      paths: [...new Set(changes.map((change) => change.path))],
    }
  }
  return understandFields(given)
}

interface GivenCall {
  readonly call: ToolCallPart
  /** In lower case. */
  readonly name: string
  readonly fields: Fields
  /** A path as seen from the working directory. */
  readonly relative: (path: string) => string
}

const emptyAction = ({ name }: ToolCallPart) => ({
  name,
  paths: [],
  changes: [],
  tasks: [],
  replacesPlan: false,
})

function understandCommand(command: string, { call, fields, relative }: GivenCall): Action {
  const directory = textOf(fields, ['workdir', 'cwd']) ?? call.directory
  const purpose = textOf(fields, ['description', 'justification'])
  const changes = readShellChanges(command, directory).map((change) => ({
    ...change,
    path: relative(change.path),
  }))
  const deeds = readShellDeeds(command)
  const said = { ...emptyAction(call), command, purpose, ...(deeds.length > 0 && { deeds }) }
  if (changes.length > 0) {
    return {
      ...said,
      kind: 'command',
      paths: [...new Set(changes.map(({ path }) => path))],
      changes,
    }
  }
  const { kind, paths } = readShellCommand(command)
  const inside = paths.map((path) =>
    relative(directory === undefined ? path : joinPath(directory, path)),
  )
  return { ...said, kind, paths: inside }
}

/** A call whose tool and fields say what it does. */
function understandFields({ call, name, fields, relative }: GivenCall): Action {
  const path = textOf(fields, fieldNames.path)
  const paths = path === undefined ? [] : [relative(path)]
  const [query = fields] = listFields(fields.get('search_query'))
  const purpose = textOf(fields, fieldNames.purpose) ?? textOf(query, ['q'])
  const isWorker = tools.delegate.has(name) || tools.search.has(name)
  const changes =
    path === undefined || isWorker || tools.read.has(name)
      ? []
      : readChanges(name, relative(path), fields)
  const isEditor =
    tools.write.has(name) && path !== undefined && textOf(fields, ['command']) !== 'view'
  const kind = kindOf(name, path !== undefined, changes.length > 0 || isEditor)
  // Most calls take this path, so it spreads no object that it need not.
  const action = {
    name: call.name,
    kind,
    paths,
    changes,
    tasks: [],
    replacesPlan: false,
  }
  const deeds = kind === 'read' || kind === 'search' ? [] : readToolDeeds(call.name, fields)
  const session = tools.poll.has(name) ? readName(fields, fieldNames.session) : undefined
  if (purpose === undefined && session === undefined && deeds.length === 0) return action
  return { ...action, purpose, session, ...(deeds.length > 0 && { deeds }) }
}

function kindOf(name: string, namesFile: boolean, writes: boolean): ActionKind {
  if (tools.delegate.has(name)) return 'delegate'
  if (tools.search.has(name)) return 'search'
  if (writes) return 'write'
  return tools.read.has(name) || namesFile ? 'read' : 'other'
}

function isShell(name: string): boolean {
  return (
    name === 'bash' ||
    name === 'shell' ||
    name === 'sh' ||
    name === 'powershell' ||
    name === 'exec' ||
    name.endsWith('_command')
  )
}

/** `command` or `cmd`, a string or an argument list such as `["bash", "-lc", "npm test"]`. */
function readCommand(fields: Fields): string | undefined {
  const value = fields.get('command') ?? fields.get('cmd')
  if (typeof value === 'string') {
    // Editor tools name their sub-command `command`.
    return fields.has('path') && /^(?:view|create|str_replace|insert|undo_edit)$/.test(value)
      ? undefined
      : value
  }
  if (!Array.isArray(value)) return undefined
  const words = value.filter((word) => typeof word === 'string')
  const script = words.at(-1)
  return words.length === 3 && /^-l?c$/.test(words[1] ?? '') ? script : words.join(' ')
}

function readChanges(name: string, path: string, fields: Fields): FileChange[] {
  const edits = fields.get('edits')
  const pairs = Array.isArray(edits) ? listFields(edits) : [fields]
  const changes: FileChange[] = []
  for (const pair of pairs) {
    const removed = textOf(pair, fieldNames.removed)
    const added = textOf(pair, fieldNames.added)
    if (removed === undefined && added === undefined) continue
    const creates = removed === undefined && !name.includes('insert') && !name.includes('notebook')
    changes.push({
      path,
      type: creates ? 'created' : 'edited',
      removed: linesOf(removed),
      added: linesOf(added),
    })
  }
  return changes
}

const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split('\n'))

// Fields with which agents ask for a part of a file.
const PART_FIELDS: ReadonlySet<string> = new Set(
  'offset limit view_range start_line end_line startLine endLine line_start line_end range lines head tail pages'.split(
    ' ',
  ),
)
const WHOLE_COMMAND = /^(?:cat|nl -ba|bat)(?: -[nbA]{1,3})? [^\s|;&<>]+$/

/** Whether a call asks for all of one file. */
export function asksForWhole(call: ToolCallPart, { kind, command, paths }: Action): boolean {
  if (kind !== 'read' || paths.length !== 1) return false
  if (command !== undefined) return WHOLE_COMMAND.test(command.trim())
  const input = parseInput(call.input)
  if (typeof input === 'string') return false
  const fields: readonly [string, unknown][] = Object.entries(input)
  return !fields.some(
    ([name, value]) => PART_FIELDS.has(name) && (value ?? undefined) !== undefined,
  )
}
