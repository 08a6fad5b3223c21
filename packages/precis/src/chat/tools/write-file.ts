import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { writeFileAtomically } from '../../sessions/write-file.ts'
import { explainSystemError } from '../../system-error.ts'
import { renderDiff } from './render-diff.ts'
import { readTextFile } from './text-file.ts'
import { requireConsent, type Tool, type ToolSurroundings } from './tool.ts'
import { ToolError } from './tool-error.ts'

const MOST_CHARACTERS = 1 << 20
// What any editor gives a new file; the private default of sessions would surprise here.
const NEW_FILE_MODE = 0o644

const input = z.strictObject({
  path: z.string().min(1).describe('relative to the working folder; missing folders are made'),
  content: z.string().max(MOST_CHARACTERS).describe('all of the new content'),
})

/** A whole file, after the person has seen the difference. */
export const writeFile: Tool<z.infer<typeof input>> = {
  name: 'write_file',
  description: 'Writes a whole text file, a new one or over an old one. The person is asked first.',
  input,
  run: async ({ path, content }, surroundings) => {
    const target = surroundings.workspace.findTarget(path)
    const before = target.exists ? await readTextFile(target) : undefined
    if (before === content) return `"${target.shown}" has this content already.`
    return replaceText({ path, before, after: content, tool: 'write_file' }, surroundings)
  },
}

/** What a write changes; `before` is undefined for a new file. */
export interface TextReplacement {
  readonly tool: string
  readonly path: string
  readonly before: string | undefined
  readonly after: string
}

/** Asks, looks again whether the file is still the one that was shown, and writes it. */
export async function replaceText(
  { tool, path, before, after }: TextReplacement,
  surroundings: ToolSurroundings,
): Promise<string> {
  const { workspace } = surroundings
  const { shown } = workspace.findTarget(path)
  const what = before === undefined ? `${shown} (new file)` : shown
  await requireConsent(surroundings, { tool, what, detail: renderDiff(before ?? '', after) })
  const target = workspace.findTarget(path)
  if ((target.exists ? await readTextFile(target) : undefined) !== before) {
    throw new ToolError(`"${shown}" was changed by somebody else meanwhile; nothing was written. Read it again.`)
  }
  try {
    mkdirSync(dirname(target.absolute), { recursive: true })
  } catch (error) {
    throw new ToolError(`The folder of "${shown}" cannot be made: ${explainSystemError(error)}.`)
  }
  const bytes = await writeFileAtomically(target.absolute, [Buffer.from(after)], { mode: NEW_FILE_MODE }).catch(
    (error: unknown) => {
      throw new ToolError(explainSystemError(error))
    },
  )
  return `Wrote "${shown}" (${bytes} bytes).`
}
