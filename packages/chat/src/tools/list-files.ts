import { statSync } from 'node:fs'
import { z } from 'zod'
import { type Tool, ToolError } from './tool.ts'
import { walk } from './workspace.ts'

const MOST_ENTRIES = 1000
const DEFAULT_DEPTH = 3

const input = z.strictObject({
  path: z
    .string()
    .optional()
    .describe('a folder, relative to the working folder; the working folder by default'),
  depth: z
    .number()
    .int()
    .min(1)
    .max(20)
    .optional()
    .describe(`levels of folders, ${DEFAULT_DEPTH} by default`),
})

/** Names in a folder and its subfolders. */
export const listFiles: Tool<z.infer<typeof input>> = {
  name: 'list_files',
  description:
    'Lists files and folders. Folders end in "/". Dependencies, caches and files with secrets are left out.',
  input,
  run: async (
    { path = '.', depth = DEFAULT_DEPTH },
    { workspace, signal, maxOutputCharacters },
  ) => {
    const from = workspace.find(path)
    if (!statSync(from.absolute).isDirectory())
      throw new ToolError(`"${from.shown}" is a file. Use read_file.`)
    const lines: string[] = []
    let length = 0
    for await (const entry of walk(from, workspace, { signal, maxDepth: depth })) {
      const line = renderEntry(entry.path, entry.type)
      length += line.length + 1
      if (lines.length >= MOST_ENTRIES || length > maxOutputCharacters) {
        lines.push(`[more than ${lines.length} entries; list a folder below, or with less depth]`)
        break
      }
      lines.push(line)
    }
    return lines.length === 0 ? `"${from.shown}" is empty.` : lines.join('\n')
  },
}

function renderEntry(path: string, type: string): string {
  if (type === 'folder') return `${path}/`
  if (type === 'skipped-folder') return `${path}/ (not listed)`
  return type === 'link' ? `${path} (link)` : path
}
