/** What a tool call did, read alike for all agents: from its name and from the fields that agents have in common. */
import { parseJson } from '../conversation/json-text.ts'
import type { ToolCallPart } from '../conversation/message.ts'
import { type FileChange, parsePatch } from './patch.ts'
import { relativePath } from './paths.ts'
import { readShellCommand } from './shell.ts'

type ActionKind = 'read' | 'write' | 'command' | 'search' | 'plan' | 'delegate' | 'other'

/** One call, understood. */
export interface Action {
  readonly kind: ActionKind
  readonly name: string
  readonly callId: string
  /** Files it names, relative to the working directory. */
  readonly paths: readonly string[]
  /** Shell command, as the agent gave it. */
  readonly command?: string
  /** What the agent said the call is for, or looks for. */
  readonly purpose?: string
  readonly changes: readonly FileChange[]
  /** Tasks it sets; `replacesPlan` tells whether they are the whole plan. */
  readonly tasks: readonly TaskUpdate[]
  readonly replacesPlan: boolean
}

interface TaskUpdate {
  /** Undefined when the agent does not number its tasks. */
  readonly id?: string
  readonly text?: string
  readonly status?: TaskStatus
}

export type TaskStatus = 'open' | 'active' | 'done' | 'cancelled'

type Fields = ReadonlyMap<string, unknown>

const READS = new Set('read read_file readfile view open_file cat notebookread view_image read_many_files'.split(' '))
const WRITES = new Set(
  'edit write multiedit notebookedit apply_patch create replace write_file writefile edit_file str_replace insert create_file search_replace replace_in_file write_to_file str_replace_based_edit_tool str_replace_editor delete_file insert_edit_into_file replace_string_in_file multi_replace_string_in_file edit_notebook_file'.split(
    ' ',
  ),
)
const SEARCHES = new Set(
  'grep glob search ls list codesearch find list_files list_directory list_dir search_files grep_search file_search codebase_search websearch web_search webfetch web_fetch google_web_search toolsearch search_file_content semantic_search list_code_usages search_workspace_symbols test_search fetch_webpage github_repo'.split(
    ' ',
  ),
)
const PLANS = new Set(
  'todowrite todo_write update_plan taskcreate taskupdate write_todos todoread tracker_create_task tracker_update_task manage_todo_list'.split(
    ' ',
  ),
)
const TASK_CREATORS = new Set(['taskcreate', 'tracker_create_task'])
const DELEGATES = new Set([
  'task',
  'agent',
  'spawn_agent',
  'invoke_agent',
  'send_input',
  'delegate',
  'subagent',
  'runsubagent',
])
const PATH_FIELDS = [
  'file_path',
  'path',
  'filePath',
  'filename',
  'notebook_path',
  'absolute_path',
  'target_file',
  'dir_path',
]
const REMOVED_FIELDS = ['old_string', 'oldText', 'old_str', 'oldString', 'search']
const ADDED_FIELDS = [
  'new_string',
  'newText',
  'new_str',
  'newString',
  'replace',
  'insert_text',
  'content',
  'file_text',
  'new_source',
  'contents',
]
const PURPOSE_FIELDS = ['description', 'justification', 'pattern', 'query', 'prompt', 'message', 'explanation', 'url']

/** Whether a tool of this name shows the file it is given, and nothing but that. */
export function isReadingTool(name: string): boolean {
  const lower = name.toLowerCase()
  return READS.has(lower) || /(?:^|[_-])(?:read|view)(?:[_-]|$)/.test(lower)
}

/** Whether the output of a call is what stands in files, and not what a program says of itself. */
export function showsContent({ kind, command }: Pick<Action, 'kind' | 'command'>): boolean {
  return command === undefined && (kind === 'read' || kind === 'search')
}

const memo = new WeakMap<ToolCallPart, { readonly workingDirectory: string | undefined; readonly action: Action }>()

/** `other` for tools that name no file, command or plan. Memoised by identity. */
export function readToolCall(call: ToolCallPart, workingDirectory: string | undefined): Action {
  const known = memo.get(call)
  if (known && known.workingDirectory === workingDirectory) return known.action
  const action = understand(call, workingDirectory)
  memo.set(call, { workingDirectory, action })
  return action
}

function understand(call: ToolCallPart, workingDirectory: string | undefined): Action {
  const name = call.name.toLowerCase()
  const input = parseInput(call.input)
  const fields: Fields = new Map(typeof input === 'string' ? [] : Object.entries(input))
  const free = typeof input === 'string' ? input : (textOf(fields, ['patch', 'patchText', 'input']) ?? '')
  const base = { name: call.name, callId: call.callId, paths: [], changes: [], tasks: [], replacesPlan: false }
  const relative = (path: string) => relativePath(path, workingDirectory)

  const command = readCommand(fields) ?? (isShell(name) && free !== '' ? free : undefined)
  const patch = free.includes('*** Begin Patch') ? free : command?.includes('*** Begin Patch') ? command : undefined
  if (patch !== undefined) {
    const changes = parsePatch(patch).map((change) => ({ ...change, path: relative(change.path) }))
    return { ...base, kind: 'write', changes, paths: changes.map(({ path }) => path) }
  }
  if (command !== undefined) {
    const { kind, paths } = readShellCommand(command)
    const purpose = textOf(fields, ['description', 'justification'])
    return { ...base, kind, command, paths: paths.map(relative), ...(purpose !== undefined && { purpose }) }
  }
  if (PLANS.has(name)) return { ...base, kind: 'plan', ...readPlan(name, fields) }

  const replacements = listFields(fields.get('replacements'))
  if (replacements.length > 0) {
    const changes = replacements.flatMap((pair) => {
      const place = textOf(pair, PATH_FIELDS)
      return place === undefined ? [] : readChanges(name, relative(place), pair)
    })
    return { ...base, kind: 'write', changes, paths: [...new Set(changes.map((change) => change.path))] }
  }

  const path = textOf(fields, PATH_FIELDS)
  const paths = path === undefined ? [] : [relative(path)]
  const purpose = textOf(fields, PURPOSE_FIELDS)
  const isWorker = DELEGATES.has(name) || SEARCHES.has(name)
  const changes = path === undefined || isWorker || READS.has(name) ? [] : readChanges(name, relative(path), fields)
  const isEditor = WRITES.has(name) && path !== undefined && textOf(fields, ['command']) !== 'view'
  const kind = kindOf(name, path !== undefined, changes.length > 0 || isEditor)
  // Most calls come this way: no object is spread that need not be.
  const action = { name: call.name, callId: call.callId, kind, paths, changes, tasks: [], replacesPlan: false }
  return purpose === undefined ? action : { ...action, purpose }
}

function kindOf(name: string, namesFile: boolean, writes: boolean): ActionKind {
  if (DELEGATES.has(name)) return 'delegate'
  if (SEARCHES.has(name)) return 'search'
  if (writes) return 'write'
  return READS.has(name) || namesFile ? 'read' : 'other'
}

/** The input as an object when it is one or spells one in JSON; else as text. */
function parseInput(input: unknown): object | string {
  if (typeof input !== 'string')
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : ''
  if (!input.trimStart().startsWith('{')) return input
  const value = parseJson(input)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : input
}

function textOf(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function isShell(name: string): boolean {
  return name === 'bash' || name === 'shell' || name === 'sh' || name === 'exec' || name.endsWith('_command')
}

/** `command` or `cmd`, a string or an argument list such as `["bash", "-lc", "npm test"]`. */
function readCommand(fields: Fields): string | undefined {
  const value = fields.get('command') ?? fields.get('cmd')
  if (typeof value === 'string') {
    // Editors of one tool name their sub-command `command`.
    return fields.has('path') && /^(?:view|create|str_replace|insert|undo_edit)$/.test(value) ? undefined : value
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
    const removed = textOf(pair, REMOVED_FIELDS)
    const added = textOf(pair, ADDED_FIELDS)
    if (removed === undefined && added === undefined) continue
    const creates = removed === undefined && !name.includes('insert') && !name.includes('notebook')
    changes.push({ path, type: creates ? 'created' : 'edited', removed: linesOf(removed), added: linesOf(added) })
  }
  return changes
}

/** The objects of a list. */
function listFields(value: unknown): Fields[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.flatMap((one) => (typeof one === 'object' && one !== null ? [new Map(Object.entries(one))] : []))
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split('\n')
}

const STATUSES: ReadonlyMap<string, TaskStatus> = new Map([
  ['pending', 'open'],
  ['open', 'open'],
  ['todo', 'open'],
  ['not_started', 'open'],
  ['not-started', 'open'],
  ['blocked', 'open'],
  ['in_progress', 'active'],
  ['in-progress', 'active'],
  ['active', 'active'],
  ['completed', 'done'],
  ['complete', 'done'],
  ['done', 'done'],
  ['closed', 'done'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
  ['deleted', 'cancelled'],
])

function readPlan(name: string, fields: Fields): Pick<Action, 'tasks' | 'replacesPlan'> {
  const list =
    fields.get('todos') ?? fields.get('plan') ?? fields.get('items') ?? fields.get('newTodos') ?? fields.get('todoList')
  if (Array.isArray(list)) {
    const tasks = list
      .filter((item) => typeof item === 'object' && item !== null)
      .map((item: object) => readTask(new Map(Object.entries(item))))
    return { tasks, replacesPlan: fields.get('merge') !== true }
  }
  const task = readTask(fields)
  // A task that is created is open until something else is said of it.
  const created = TASK_CREATORS.has(name) && task.status === undefined ? { ...task, status: 'open' as const } : task
  return { tasks: [created], replacesPlan: false }
}

function readTask(fields: Fields): TaskUpdate {
  const id = fields.get('taskId') ?? fields.get('id')
  const text = textOf(fields, ['content', 'step', 'subject', 'text', 'title', 'description', 'task'])
  const status = STATUSES.get(textOf(fields, ['status'])?.toLowerCase() ?? '')
  return {
    ...((typeof id === 'string' || typeof id === 'number') && { id: String(id) }),
    ...(text !== undefined && { text }),
    ...(status !== undefined && { status }),
  }
}
