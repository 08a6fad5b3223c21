import { z } from 'zod'
import { readTextFile } from './text-file.ts'
import type { Tool } from './tool.ts'
import { ToolError } from './tool-error.ts'
import { replaceText } from './write-file.ts'

const input = z.strictObject({
  path: z.string().min(1).describe('relative to the working folder'),
  old_text: z.string().min(1).describe('exactly as in the file, without line numbers; it has to be there once'),
  new_text: z.string(),
})

/** One place in a file, after the person has seen the difference. */
export const editFile: Tool<z.infer<typeof input>> = {
  name: 'edit_file',
  description: 'Replaces one place in a text file. The person is asked first.',
  input,
  run: async ({ path, old_text: oldText, new_text: newText }, surroundings) => {
    const found = surroundings.workspace.find(path)
    const before = await readTextFile(found)
    const at = before.indexOf(oldText)
    if (at < 0) throw new ToolError(`"${found.shown}" has no such text. Read it again and copy old_text from it.`)
    if (before.indexOf(oldText, at + 1) >= 0) {
      throw new ToolError(`"${found.shown}" has this text more than once. Give old_text with more lines around it.`)
    }
    const after = before.slice(0, at) + newText + before.slice(at + oldText.length)
    return replaceText({ tool: 'edit_file', path, before, after }, surroundings)
  },
}
