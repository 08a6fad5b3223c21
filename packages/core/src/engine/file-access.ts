/** Which file a tool call reads or writes. */
import type { ToolCallPart } from '../conversation/message.ts'

export interface FileAccess {
  readonly type: 'read' | 'write'
  /** Absolute where the working directory is known; `.` and `..` resolved. */
  readonly path: string
}

const READ_TOOLS = new Set(['read', 'read_file', 'readfile', 'view', 'view_file', 'notebookread', 'open_file'])
const WRITE_TOOLS = new Set([
  'write',
  'write_file',
  'edit',
  'multiedit',
  'edit_file',
  'replace',
  'notebookedit',
  'create_file',
  'write_to_file',
  'replace_in_file',
])
/** One tool for all: its `command` tells whether it looks or writes. */
const EDITOR_TOOLS = new Set(['str_replace_editor', 'str_replace_based_edit_tool'])
const SHELL_TOOLS = new Set(['bash', 'shell', 'exec_command', 'local_shell', 'shell_command', 'run_shell_command'])
const PATH_FIELDS = ['file_path', 'path', 'filePath', 'absolute_path', 'notebook_path', 'target_file', 'filename']

const READ_COMMANDS = new Set(['cat', 'sed', 'head', 'tail', 'nl', 'less', 'more'])
// Longer commands are scripts, not reads of one file.
const MAX_COMMAND_LENGTH = 400
const PATCH_LINE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm

/** Empty for a call that touches no file, or none that can be told from the call alone. */
export function findFileAccesses(call: ToolCallPart, workingDirectory = ''): FileAccess[] {
  const tool = call.name.toLowerCase()
  const access = (type: FileAccess['type'], path: string | undefined): FileAccess[] =>
    path ? [{ type, path: resolvePath(path, workingDirectory) }] : []
  if (tool === 'apply_patch') {
    const patch = typeof call.input === 'string' ? call.input : String(readField(call.input, ['input', 'patch']) ?? '')
    return [...patch.matchAll(PATCH_LINE)].flatMap((match) => access('write', match[1]?.trim()))
  }
  const input = readObject(call.input)
  if (READ_TOOLS.has(tool)) return access('read', readField(input, PATH_FIELDS))
  if (WRITE_TOOLS.has(tool)) return access('write', readField(input, PATH_FIELDS))
  if (EDITOR_TOOLS.has(tool)) {
    return access(readField(input, ['command']) === 'view' ? 'read' : 'write', readField(input, PATH_FIELDS))
  }
  if (!SHELL_TOOLS.has(tool)) return []
  const directory = readField(input, ['workdir', 'cwd']) ?? workingDirectory
  const path = findReadPath(readCommand(input))
  return path ? [{ type: 'read', path: resolvePath(path, directory) }] : []
}

/** The file that a plain `cat`, `sed -n` or the like prints, also into a pipe. */
function findReadPath(command: string): string | undefined {
  if (command.length > MAX_COMMAND_LENGTH || /[;&<>$`*?\n]/.test(command)) return undefined
  const words = (command.split('|')[0] ?? '').trim().split(/\s+/)
  const path = words.at(-1) ?? ''
  if (words.length < 2 || !READ_COMMANDS.has(words[0] ?? '')) return undefined
  if (words[0] === 'sed' && words[1] !== '-n') return undefined
  return /^[-'"\d]/.test(path) ? undefined : path
}

function readCommand(input: unknown): string {
  const { cmd, command } = (input ?? {}) as { cmd?: unknown; command?: unknown }
  const given = cmd ?? command
  // ["bash", "-lc", "cat file"]
  const text = Array.isArray(given) ? given.at(-1) : given
  return typeof text === 'string' ? text : ''
}

function readObject(input: unknown): unknown {
  if (typeof input !== 'string' || !input.startsWith('{')) return input
  try {
    return JSON.parse(input)
  } catch {
    return undefined
  }
}

function readField(input: unknown, names: readonly string[]): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  for (const name of names) {
    const value: unknown = Object.hasOwn(input, name) ? Reflect.get(input, name) : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function resolvePath(path: string, directory: string): string {
  const absolute = /^(?:\/|~|[A-Za-z]:[\\/])/.test(path)
  const segments: string[] = []
  for (const segment of (absolute || !directory ? path : `${directory}/${path}`).split('/')) {
    if (segment === '.' || (segment === '' && segments.length > 0)) continue
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') {
      if (segments.length > 1 || segments[0] !== '') segments.pop()
    } else segments.push(segment)
  }
  return segments.join('/') || '/'
}
