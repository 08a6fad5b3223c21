import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { structuredPatch } from 'diff'
import { z } from 'zod'
import { requireConsent, type Tool, ToolError, type ToolSurroundings } from './tool.ts'
import { readTextFile } from './workspace.ts'

const MOST_CHARACTERS = 1 << 20
// As any editor makes a new file; the private default of sessions would surprise here.
const NEW_FILE_MODE = 0o644

const input = z.strictObject({
  path: z.string().min(1).describe('relative to the working folder; missing folders are made'),
  content: z.string().max(MOST_CHARACTERS).describe('all of the new content'),
})

/** A whole file, after the user has seen the difference. */
export const writeFile: Tool<z.infer<typeof input>> = {
  name: 'write_file',
  description: 'Writes a whole text file, a new one or over an old one. The person is asked first.',
  input,
  run: async ({ path, content }, surroundings) => {
    const { workspace } = surroundings
    const target = workspace.findTarget(path)
    const before = target.exists ? await readTextFile(target, workspace.files) : undefined
    if (before === content) return `"${target.shown}" has this content already.`
    return replaceText({ path, before, after: content, tool: 'write_file' }, surroundings)
  },
}

const replacement = z.strictObject({
  path: z.string().min(1).describe('relative to the working folder'),
  old_text: z
    .string()
    .min(1)
    .describe('exactly as in the file, without line numbers; it has to be there once'),
  new_text: z.string(),
})

/** One place in a file, after the user has seen the difference. */
export const editFile: Tool<z.infer<typeof replacement>> = {
  name: 'edit_file',
  description: 'Replaces one place in a text file. The person is asked first.',
  input: replacement,
  run: async ({ path, old_text: oldText, new_text: newText }, surroundings) => {
    const found = surroundings.workspace.find(path)
    const before = await readTextFile(found, surroundings.workspace.files)
    const at = before.indexOf(oldText)
    if (at < 0)
      throw new ToolError(
        `"${found.shown}" has no such text. Read it again and copy old_text from it.`,
      )
    if (before.indexOf(oldText, at + 1) >= 0) {
      throw new ToolError(
        `"${found.shown}" has this text more than once. Give old_text with more lines around it.`,
      )
    }
    const after = before.slice(0, at) + newText + before.slice(at + oldText.length)
    return replaceText({ tool: 'edit_file', path, before, after }, surroundings)
  },
}

/** A change of a file; `before` is undefined for a new one. */
interface TextReplacement {
  readonly tool: string
  readonly path: string
  readonly before: string | undefined
  readonly after: string
}

/** Asks, looks again whether the file is still the one that was shown, and writes it. */
async function replaceText(
  { tool, path, before, after }: TextReplacement,
  surroundings: ToolSurroundings,
): Promise<string> {
  const { workspace } = surroundings
  const { shown } = workspace.findTarget(path)
  const what = before === undefined ? `${shown} (new file)` : shown
  await requireConsent(surroundings, { tool, what, detail: renderDiff(before ?? '', after) })
  const target = workspace.findTarget(path)
  if ((target.exists ? await readTextFile(target, workspace.files) : undefined) !== before) {
    throw new ToolError(
      `"${shown}" was changed by somebody else meanwhile; nothing was written. Read it again.`,
    )
  }
  try {
    mkdirSync(dirname(target.absolute), { recursive: true })
  } catch (error) {
    throw new ToolError(
      `The folder of "${shown}" cannot be made: ${workspace.files.explainError(error)}.`,
    )
  }
  const bytes = await workspace.files
    .write(target.absolute, [Buffer.from(after)], { mode: NEW_FILE_MODE })
    .catch((error: unknown) => {
      throw new ToolError(workspace.files.explainError(error))
    })
  return `Wrote "${shown}" (${bytes} bytes).`
}

const CONTEXT_LINES = 3
const MOST_LINES = 400
// The search takes the square of what changed, in time and in memory.
const MOST_CHANGES = 1000

/**
 * The change that a write would make, for the user to say yes or no to: lines with `+` and `-`, and
 * three unchanged ones around them; cut off after 400 lines. All that is removed and all that is
 * added where more than a thousand lines differ.
 */
export function renderDiff(before: string, after: string): string {
  const options = { context: CONTEXT_LINES, maxEditLength: MOST_CHANGES }
  const hunks = structuredPatch('', '', before, after, undefined, undefined, options)?.hunks
  const lines = hunks?.flatMap((hunk, index) => {
    const last = hunks[index - 1]
    const hidden = last ? hunk.oldStart - last.oldStart - last.oldLines : 0
    return last ? [` … ${hidden} unchanged lines`, ...hunk.lines] : hunk.lines
  }) ?? [...markLines(before, '-'), ...markLines(after, '+')]
  if (lines.length <= MOST_LINES) return lines.join('\n')
  return [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`].join('\n')
}

function markLines(text: string, mark: '-' | '+'): string[] {
  return text.split('\n').map((line) => mark + line)
}
