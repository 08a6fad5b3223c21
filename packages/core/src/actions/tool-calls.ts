/** Reads tool calls of all agents the same way: by their names and by common fields. */

import { parseJson } from '../conversation/json-text.ts'
import type { ToolCallPart } from '../conversation/message.ts'
import { type Deed, readName, readShellDeeds, readToolDeeds } from './artifact-deeds.ts'
import { type FileChange, parsePatch } from './file-changes.ts'
import { joinPath, relativePath } from './paths.ts'
import { readScriptCalls } from './script-calls.ts'
import { readShellChanges } from './shell-changes.ts'
import { readShellCommand } from './shell-steps.ts'
import { fieldNames, tools } from './tool-names.data.ts'

type ActionKind = 'read' | 'write' | 'command' | 'search' | 'plan' | 'delegate' | 'other'

/** One call, understood. */
export interface Action {
  readonly kind: ActionKind
  readonly name: string
  readonly callId: string
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
  /** Tasks that it sets. `replacesPlan` if they are the whole plan. */
  readonly tasks: readonly TaskUpdate[]
  readonly replacesPlan: boolean
}

/** `id` is undefined if the agent does not number its tasks. */
interface TaskUpdate {
  readonly id?: string
  readonly text?: string
  readonly status?: TaskStatus
}

export type TaskStatus = 'open' | 'active' | 'done' | 'cancelled'

type Fields = ReadonlyMap<string, unknown>

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
  if (!call.name.toLowerCase().endsWith('exec')) return [call]
  const calls = unfolded.get(call) ?? readScriptCalls(call) ?? [call]
  unfolded.set(call, calls)
  return calls
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
function combine({ name, callId }: ToolCallPart, actions: readonly Action[]): Action {
  const kind = RANKS.find((rank) => actions.some((action) => action.kind === rank)) ?? 'other'
  const commands = actions.flatMap(({ command }) => command ?? [])
  const named = actions.filter((action) => action.kind === kind || action.changes.length > 0)
  return {
    kind,
    name,
    callId,
    paths: [...new Set(named.flatMap(({ paths }) => paths))],
    ...(commands.length > 0 && { command: commands.join('\n') }),
    changes: actions.flatMap(({ changes }) => changes),
    deeds: actions.flatMap(({ deeds = [] }) => deeds),
    isJoint: true,
    tasks: actions.flatMap(({ tasks }) => tasks),
    replacesPlan: actions.some(({ replacesPlan }) => replacesPlan),
  }
}

function understand(call: ToolCallPart, workingDirectory: string | undefined): Action {
  const name = call.name.toLowerCase()
  const input = parseInput(call.input)
  const fields: Fields = new Map(typeof input === 'string' ? [] : Object.entries(input))
  const free =
    typeof input === 'string' ? input : (textOf(fields, ['patch', 'patchText', 'input']) ?? '')
  const base = {
    name: call.name,
    callId: call.callId,
    paths: [],
    changes: [],
    tasks: [],
    replacesPlan: false,
  }
  const relative = (path: string) => relativePath(path, workingDirectory)

  const command = readCommand(fields) ?? (isShell(name) && free !== '' ? free : undefined)
  const patch = free.includes('*** Begin Patch')
    ? free
    : command?.includes('*** Begin Patch')
      ? command
      : undefined
  if (patch !== undefined) {
    const changes = parsePatch(patch).map((change) => ({ ...change, path: relative(change.path) }))
    return { ...base, kind: 'write', changes, paths: changes.map(({ path }) => path) }
  }
  if (command !== undefined) {
    const directory = textOf(fields, ['workdir', 'cwd'])
    const purpose = textOf(fields, ['description', 'justification'])
    const changes = readShellChanges(command, directory).map((change) => ({
      ...change,
      path: relative(change.path),
    }))
    const deeds = readShellDeeds(command)
    const said = { ...base, command, purpose, ...(deeds.length > 0 && { deeds }) }
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
  if (tools.plan.has(name)) return { ...base, kind: 'plan', ...readPlan(name, fields) }

  const replacements = listFields(fields.get('replacements'))
  if (replacements.length > 0) {
    const changes = replacements.flatMap((pair) => {
      const place = textOf(pair, fieldNames.path)
      return place === undefined ? [] : readChanges(name, relative(place), pair)
    })
    return {
      ...base,
      kind: 'write',
      changes,
      paths: [...new Set(changes.map((change) => change.path))],
    }
  }

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
    callId: call.callId,
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

/** The input as an object, parsed if it is JSON. Any other input as text. */
function parseInput(input: unknown): object | string {
  if (typeof input !== 'string')
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : ''
  if (!input.trimStart().startsWith('{')) return input
  const value = parseJson(input)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : input
}

function textOf(fields: Fields, names: Iterable<string>): string | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function isShell(name: string): boolean {
  return (
    name === 'bash' ||
    name === 'shell' ||
    name === 'sh' ||
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

/** The objects of a list. */
function listFields(value: unknown): Fields[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.flatMap((one) =>
    typeof one === 'object' && one !== null ? [new Map(Object.entries(one))] : [],
  )
}

const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split('\n'))

const STATUSES = new Map<string, TaskStatus>()
for (const word of ['pending', 'open', 'todo', 'not_started', 'not-started', 'blocked'])
  STATUSES.set(word, 'open')
for (const word of ['in_progress', 'in-progress', 'active']) STATUSES.set(word, 'active')
for (const word of ['completed', 'complete', 'done', 'closed']) STATUSES.set(word, 'done')
for (const word of ['cancelled', 'canceled', 'deleted']) STATUSES.set(word, 'cancelled')

function readPlan(name: string, fields: Fields): Pick<Action, 'tasks' | 'replacesPlan'> {
  const list =
    fields.get('todos') ??
    fields.get('plan') ??
    fields.get('items') ??
    fields.get('newTodos') ??
    fields.get('todoList')
  if (Array.isArray(list))
    return { tasks: listFields(list).map(readTask), replacesPlan: fields.get('merge') !== true }
  const task = readTask(fields)
  // A new task is open until it gets another status.
  const created =
    tools.createTask.has(name) && task.status === undefined
      ? { ...task, status: 'open' as const }
      : task
  return { tasks: [created], replacesPlan: false }
}

function readTask(fields: Fields): TaskUpdate {
  const id = fields.get('taskId') ?? fields.get('id')
  const text = textOf(fields, [
    'content',
    'step',
    'subject',
    'text',
    'title',
    'description',
    'task',
  ])
  const status = STATUSES.get(textOf(fields, ['status'])?.toLowerCase() ?? '')
  return {
    id: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined,
    text,
    status,
  }
}
