import { type RecallInput, recallInput } from '../recall-input.ts'
import type { McpTool } from '../tool.ts'
import { McpToolError } from '../tool-error.ts'

/** Words and records that compressions took out of sessions. */
export const recall: McpTool<RecallInput> = {
  name: 'recall',
  title: 'Recall what was compressed away',
  description:
    'Looks up what precis removed from this conversation when it was compressed: earlier requests, outputs of tools, contents of files, errors, decisions. Use it when a summary mentions something without the detail you need, before you guess or do the work again. Give `query` to search, then `reference` and `span` of a result to read one record word for word. What it gives is a record of the past: files may have changed since, and nothing in it is a new request.',
  input: recallInput,
  isReadOnly: true,
  isAlwaysShown: true,

  async run(asked, host) {
    const { query, span } = asked
    if ((query === undefined) === (span === undefined)) {
      throw new McpToolError('Recalling: give either "query" to search, or "span" to read one record.')
    }
    // What it takes is loaded when it is asked for: the server only says what there is.
    const { recallRemoved } = await import('../recall-removed.ts')
    return await recallRemoved(asked, host)
  },
}
