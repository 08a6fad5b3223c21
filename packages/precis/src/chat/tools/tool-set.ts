import type { ToolSet } from 'ai'
import { z } from 'zod'
import type { CheckedTool } from './tools.ts'

/** As the AI SDK takes tools. They are run by the chat, not by the SDK. */
export async function createToolSet(tools: readonly CheckedTool[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await import('ai')
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [
      name,
      // Without a check: what is wrong with an input is told to the model by the tool, in better words.
      tool({ description, inputSchema: jsonSchema(toDraft7(input) as Parameters<typeof jsonSchema>[0]) }),
    ]),
  )
}

/** What a tool costs in every request. */
export function describeTool({ name, description, input }: CheckedTool): object {
  return { name, description, inputSchema: toDraft7(input) }
}

/** The draft that the AI SDK has a type for; providers take no word about which one it is. */
function toDraft7(input: CheckedTool['input']): object {
  const { $schema: _, '~standard': __, ...schema } = z.toJSONSchema(input, { target: 'draft-7' })
  return schema
}
