import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { renderPlural } from '@precis/core/text'
import { z } from 'zod'
import type { FilePort } from '../contract/ports.ts'
import { type Tool, ToolError, type ToolSurroundings, type WorkspacePath } from './tool.ts'
import { readTextFile, walk } from './workspace.ts'

const MOST_MATCHES = 200
const MOST_FILES = 20_000
const MOST_BYTES = 256 << 20
const SHOWN_BEFORE = 80
const SHOWN_LINE = 300

const input = z.strictObject({
  text: z.string().min(1).max(1000).describe('found as it stands; no pattern'),
  path: z
    .string()
    .optional()
    .describe('a file or folder to search in; the working folder by default'),
  ignore_case: z.boolean().optional(),
})

/** Plain text in files, in linear time. A pattern by the model could run forever. */
export const search: Tool<z.infer<typeof input>> = {
  name: 'search',
  description: 'Finds lines that contain a text. Gives file, line number and line of each.',
  input,
  run: async ({ text, path = '.', ignore_case: ignoreCase = false }, surroundings) => {
    const from = surroundings.workspace.find(path)
    const wanted = ignoreCase ? text.toLowerCase() : text
    const match: Matcher = (line) => (ignoreCase ? line.toLowerCase() : line).indexOf(wanted)
    const { lines, files, stop } = await searchFiles(from, match, surroundings)
    const searched = `${renderPlural(files, 'file')} searched`
    const rest = stop === undefined ? '' : `; ${stop}`
    if (lines.length === 0) return `No line contains "${text}" (${searched}${rest}).`
    return [...lines, `[${renderPlural(lines.length, 'line')}, ${searched}${rest}]`].join('\n')
  },
}

type Matcher = (line: string) => number

/** `stop` contains why not everything was searched. */
async function searchFiles(from: WorkspacePath, match: Matcher, surroundings: ToolSurroundings) {
  const { workspace, maxOutputCharacters } = surroundings
  const lines: string[] = []
  let files = 0
  let bytes = 0
  let length = 0
  for await (const file of listSearched(from, surroundings)) {
    if (files >= MOST_FILES || bytes > MOST_BYTES)
      return { lines, files, stop: 'too much to search it all; give a path' }
    const content = await readSearched(file, workspace.files)
    if (content === undefined) continue
    files++
    bytes += content.length
    const shown = relative(workspace.root, file.absolute)
    for (const [number, line, at] of findLines(content, match)) {
      const rendered = `${shown}:${number}: ${cutAround(line, at)}`
      length += rendered.length + 1
      if (lines.length >= MOST_MATCHES || length > maxOutputCharacters) {
        return { lines, files, stop: 'there are more; search for something rarer, or give a path' }
      }
      lines.push(rendered)
    }
  }
  return { lines, files }
}

async function* listSearched(
  from: WorkspacePath,
  { workspace, signal }: ToolSurroundings,
): AsyncGenerator<WorkspacePath> {
  if (!statSync(from.absolute).isDirectory()) {
    yield from
    return
  }
  for await (const { absolute, path, type } of walk(from, workspace, { signal })) {
    if (type === 'file') yield { absolute, shown: path }
  }
}

/** Undefined for anything that is not text, or cannot be read. */
async function readSearched(file: WorkspacePath, files: FilePort): Promise<string | undefined> {
  try {
    return await readTextFile(file, files)
  } catch (error) {
    if (error instanceof ToolError) return undefined
    throw error
  }
}

function* findLines(
  content: string,
  match: Matcher,
): Generator<[number: number, line: string, at: number]> {
  let number = 1
  for (let start = 0; start < content.length; number++) {
    const end = content.indexOf('\n', start)
    const line = content.slice(start, end < 0 ? undefined : end)
    const at = match(line)
    if (at >= 0) yield [number, line, at]
    if (end < 0) return
    start = end + 1
  }
}

function cutAround(line: string, at: number): string {
  const start = line.length <= SHOWN_LINE ? 0 : Math.max(0, at - SHOWN_BEFORE)
  const end = start + SHOWN_LINE
  return `${start > 0 ? '…' : ''}${line.slice(start, end).trim()}${end < line.length ? '…' : ''}`
}
