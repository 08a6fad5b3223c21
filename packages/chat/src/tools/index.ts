import type { ToolSet } from 'ai'
import { z } from 'zod'
import { listFiles } from './list-files.ts'
import { readFile } from './read-file.ts'
import { search } from './search.ts'
import { type Tool, ToolError, type ToolSurroundings } from './tool.ts'

const query = z.strictObject({ query: z.string().min(1).max(500).describe('a few words') })

/** For the model what `/recall` is for the user. */
export const recall: Tool<z.infer<typeof query>> = {
  name: 'recall',
  description:
    'Searches the earlier part of this chat that is no longer in front of you because it was summarized.',
  input: query,
  run: async (asked, surroundings) => surroundings.recall(asked.query),
}

/** A tool whose input is not checked yet. */
export interface CheckedTool extends Omit<Tool, 'run'> {
  /** Rejects with `ToolError` even for an input of the wrong shape. */
  readonly run: (input: unknown, surroundings: ToolSurroundings) => Promise<string>
}

/** The tools that the model of a chat may call. None of them changes anything. */
export const tools: readonly CheckedTool[] = [
  check(readFile),
  check(listFiles),
  check(search),
  check(recall),
]

function check<Input>(tool: Tool<Input>): CheckedTool {
  return {
    ...tool,
    run: async (input, surroundings) => {
      const { success, data, error } = tool.input.safeParse(input)
      if (success) return tool.run(data, surroundings)
      const issue = error.issues[0]
      const where = issue && issue.path.length > 0 ? `"${issue.path.join('.')}": ` : ''
      throw new ToolError(
        `The input of ${tool.name} is wrong: ${where}${issue?.message ?? 'it is no object'}.`,
      )
    },
  }
}

/** In the form of the AI SDK. The chat runs them, not the SDK. */
export async function createToolSet(): Promise<ToolSet> {
  const { jsonSchema, tool } = await import('ai')
  const described = tools.map(({ name, description, input }) => {
    // Has no check, because the tool itself explains a wrong input to the model more clearly.
    const inputSchema = jsonSchema(toDraft7(input) as Parameters<typeof jsonSchema>[0])
    return [name, tool({ description, inputSchema })] as const
  })
  return Object.fromEntries(described)
}

/** The description of a tool in every request, for counting. */
export function describeTool({ name, description, input }: CheckedTool): object {
  return { name, description, inputSchema: toDraft7(input) }
}

/** The draft that the AI SDK has a type for. Leaves out `$schema`, which providers refuse. */
function toDraft7(input: CheckedTool['input']): object {
  const { $schema: _, '~standard': __, ...schema } = z.toJSONSchema(input, { target: 'draft-7' })
  return schema
}
