import { editFile } from './edit-file.ts'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { recall } from './recall.ts'
import { runCommand } from './run-command.ts'
import { search } from './search.ts'
import type { Tool, ToolSurroundings } from './tool.ts'
import { ToolError } from './tool-error.ts'
import { writeFile } from './write-file.ts'

/** A tool whose input is not checked yet. */
export interface CheckedTool extends Omit<Tool, 'run'> {
  /** Rejects with `ToolError` also for an input of the wrong shape. */
  readonly run: (input: unknown, surroundings: ToolSurroundings) => Promise<string>
}

/** What a chat offers its model; writing and the shell only where they were allowed. */
export function createTools({
  allowWrite,
  allowShell,
}: {
  readonly allowWrite: boolean
  readonly allowShell: boolean
}): readonly CheckedTool[] {
  return [
    check(readFile),
    check(listFiles),
    check(search),
    check(recall),
    ...(allowWrite ? [check(writeFile), check(editFile)] : []),
    ...(allowShell ? [check(runCommand)] : []),
  ]
}

function check<Input>(tool: Tool<Input>): CheckedTool {
  return {
    ...tool,
    run: async (input, surroundings) => {
      const { success, data, error } = tool.input.safeParse(input)
      if (success) return tool.run(data, surroundings)
      const issue = error.issues[0]
      const where = issue && issue.path.length > 0 ? `"${issue.path.join('.')}": ` : ''
      throw new ToolError(`The input of ${tool.name} is wrong: ${where}${issue?.message ?? 'it is no object'}.`)
    },
  }
}
