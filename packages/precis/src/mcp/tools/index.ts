import { compress } from './compress.ts'
import { inspect } from './inspect.ts'
import { recall } from './recall.ts'
import { sessions } from './sessions.ts'
import { type McpTool, McpToolError, type ToolAnswer, type ToolHost } from './tool.ts'

/** A tool whose input is not checked yet. */
export interface CheckedMcpTool extends Omit<McpTool, 'run'> {
  /** Rejects with `McpToolError` even for an input of the wrong shape. */
  run(input: unknown, host: ToolHost): Promise<ToolAnswer>
}

/** In the order in which a client lists them. */
export const mcpTools: readonly CheckedMcpTool[] = [
  check(recall),
  check(inspect),
  check(compress),
  check(sessions),
]

function check<Input>(tool: McpTool<Input>): CheckedMcpTool {
  return {
    ...tool,
    run: async (input, host) => {
      const { success, data, error } = tool.input.safeParse(input)
      if (success) return await tool.run(data, host)
      const issue = error.issues[0]
      const where = issue && issue.path.length > 0 ? `"${issue.path.join('.')}": ` : ''
      throw new McpToolError(
        `The input of ${tool.name} is wrong: ${where}${issue?.message ?? 'it is no object'}.`,
      )
    },
  }
}
