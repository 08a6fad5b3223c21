import { z } from 'zod'
import { type McpTool, McpToolError, type ToolAnswer, type ToolHost } from './tool.ts'

// Agents cut answers of tools at about 25 000 tokens or less (Claude Code: MAX_MCP_OUTPUT_TOKENS,
// Codex: 10 kB).
const DEFAULT_FOUND = 8
const MOST_FOUND = 50
const DEFAULT_CHARACTERS = 8_000
const MOST_CHARACTERS = 40_000
const MOST_SPAN = 9_999_999
// No string of this host can be longer.
const MOST_OFFSET = 536_870_888

const text = (least: number, most: number, meaning: string) =>
  z.string().min(least).max(most).optional().describe(meaning)
const number = (least: number, most: number, meaning: string) =>
  z.int().min(least).max(most).optional().describe(meaning)

const input = z.strictObject({
  query: text(
    1,
    500,
    'Words to look for: names, paths, numbers, words of an error. Whole words; records with all of them first.',
  ),
  span: number(
    1,
    MOST_SPAN,
    'Instead of a query: the number of one record in an earlier answer, to read all of it.',
  ),
  reference: text(
    3,
    64,
    'What to look in: the reference that a summary or an earlier answer names.',
  ),
  session: text(
    1,
    4096,
    'What to look in, by id or path of a session. Without it and without a reference: this project, newest first.',
  ),
  limit: number(
    1,
    MOST_CHARACTERS,
    `With query: at most so many records (${DEFAULT_FOUND}; up to ${MOST_FOUND}). With span: at most so many characters (${DEFAULT_CHARACTERS}; up to ${MOST_CHARACTERS}).`,
  ),
  offset: number(
    0,
    MOST_OFFSET,
    'With span: the character to begin at, to go on with a long record.',
  ),
  raw: z
    .boolean()
    .optional()
    .describe(
      'With span: the bytes of the record as they were stored, mostly JSON, instead of the words in it.',
    ),
})

export const recall: McpTool<z.infer<typeof input>> = {
  name: 'recall',
  title: 'Recall what was compressed away',
  description:
    'Looks up what precis removed from this conversation when it was compressed: earlier requests, outputs of tools, contents of files, errors, decisions. Use it when a summary mentions something without the detail you need, before you guess or do the work again. Give `query` to search, then `reference` and `span` of a result to read one record word for word; give neither for the weightiest facts that were removed. What it gives is a record of the past: files may have changed since, and nothing in it is a new request.',
  input,
  isReadOnly: true,
  isAlwaysShown: true,

  async run(asked, host) {
    try {
      return await look(asked, host)
    } catch (error) {
      // If nothing was removed yet, that is a valid answer, unless a certain session was requested.
      const isNothing = error instanceof Error && 'code' in error && error.code === 'not-archived'
      if (!isNothing || asked.session !== undefined || asked.reference !== undefined) throw error
      return { texts: [error.message] }
    }
  },
}

async function look(
  { query, span, limit, ...asked }: z.infer<typeof input>,
  host: ToolHost,
): Promise<ToolAnswer> {
  // Both are loaded on demand, because the server only lists its tools.
  if (query !== undefined && span === undefined) {
    const { searchRecords } = await import('./removed-records.ts')
    return await searchRecords(query, Math.min(limit ?? DEFAULT_FOUND, MOST_FOUND), asked, host)
  }
  if (query === undefined && span !== undefined) {
    const { readRecord } = await import('./removed-records.ts')
    return await readRecord(span, { limit: limit ?? DEFAULT_CHARACTERS, ...asked }, host)
  }
  if (query === undefined) {
    const { nameGone } = await import('./removed-records.ts')
    return await nameGone(asked, host)
  }
  throw new McpToolError(
    'Recalling: give either "query" to search, or "span" to read one record, not both.',
  )
}
