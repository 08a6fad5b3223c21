import { z } from 'zod'
import { type Tool, ToolError } from './tool.ts'
import { readTextFile } from './workspace.ts'

const LONGEST_LINE = 2000

const input = z.strictObject({
  path: z.string().describe('relative to the working folder'),
  first_line: z.number().int().min(1).optional().describe('1 by default'),
  lines: z.number().int().min(1).optional().describe('how many lines; as many as fit by default'),
})

/** Lines of a text file with their numbers. */
export const readFile: Tool<z.infer<typeof input>> = {
  name: 'read_file',
  description: 'Reads a text file, or a range of its lines. Each line comes with its number.',
  input,
  run: async (
    { path, first_line: firstLine = 1, lines: count },
    { workspace, maxOutputCharacters },
  ) => {
    const found = workspace.find(path)
    const text = await readTextFile(found, workspace.files)
    if (text === '') return `"${found.shown}" is empty.`
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    if (firstLine > lines.length) {
      throw new ToolError(
        `"${found.shown}" has ${lines.length} lines; line ${firstLine} is behind its end.`,
      )
    }
    const wanted = lines.slice(
      firstLine - 1,
      count === undefined ? undefined : firstLine - 1 + count,
    )
    const shown = takeFitting(wanted, firstLine, maxOutputCharacters)
    const last = firstLine - 1 + shown.length
    const isAll = firstLine === 1 && last === lines.length
    const more = last < lines.length ? ` Go on with first_line ${last + 1}.` : ''
    const note = isAll ? '' : `\n[lines ${firstLine} to ${last} of ${lines.length}.${more}]`
    return shown.join('\n') + note
  },
}

/** At least one line. */
function takeFitting(lines: readonly string[], firstLine: number, maxCharacters: number): string[] {
  const taken: string[] = []
  let length = 0
  for (const [index, line] of lines.entries()) {
    const cut =
      line.length > LONGEST_LINE
        ? `${line.slice(0, LONGEST_LINE)}… [${line.length} characters]`
        : line
    const numbered = `${firstLine + index}\t${cut.endsWith('\r') ? cut.slice(0, -1) : cut}`
    length += numbered.length + 1
    if (taken.length > 0 && length > maxCharacters) break
    taken.push(numbered)
  }
  return taken
}
