import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { explainSystemError } from '../../system-error.ts'
import { ToolError } from './tool-error.ts'
import type { Workspace, WorkspacePath } from './workspace.ts'

/** Something in the working folder. */
export interface WalkedEntry {
  /** Relative to where the walk began, with `/`. */
  readonly path: string
  readonly absolute: string
  readonly depth: number
  readonly type: 'file' | 'folder' | 'skipped-folder' | 'link' | 'other'
}

// What package managers and build tools put there is not what somebody asks for.
const GENERATED_FOLDERS = new Set([
  'node_modules',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.cache',
  '.gradle',
  '.next',
])

/** Everything below a folder, sorted, a folder before what is in it. Links are not followed, forbidden things not told. */
export async function* walk(
  from: WorkspacePath,
  workspace: Workspace,
  { signal, maxDepth = Number.POSITIVE_INFINITY }: { readonly signal: AbortSignal; readonly maxDepth?: number },
): AsyncGenerator<WalkedEntry> {
  const stack: WalkedEntry[] = [{ path: '', absolute: from.absolute, depth: 0, type: 'folder' }]
  for (let at = stack.pop(); at; at = stack.pop()) {
    signal.throwIfAborted()
    if (at.path !== '') yield at
    if (at.type !== 'folder' || at.depth >= maxDepth) continue
    const { path, absolute, depth } = at
    const children = (await list(at)).flatMap((entry): WalkedEntry[] => {
      const child = join(absolute, entry.name)
      if (!workspace.isAvailable(child)) return []
      return [
        {
          path: path === '' ? entry.name : `${path}/${entry.name}`,
          absolute: child,
          depth: depth + 1,
          type: tell(entry),
        },
      ]
    })
    for (const child of children.reverse()) stack.push(child)
  }
}

async function list({ path, absolute }: WalkedEntry): Promise<Dirent[]> {
  try {
    const entries = await readdir(absolute, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  } catch (error) {
    // Further down a folder that may not be read is as good as empty.
    if (path !== '') return []
    throw new ToolError(`The folder cannot be listed: ${explainSystemError(error)}.`)
  }
}

function tell(entry: Dirent): WalkedEntry['type'] {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return GENERATED_FOLDERS.has(entry.name) ? 'skipped-folder' : 'folder'
  return entry.isFile() ? 'file' : 'other'
}
