import { z } from 'zod'

// Agents cut answers of tools at about 25 000 tokens and less (Claude Code: MAX_MCP_OUTPUT_TOKENS; Codex: 10 kB).
export const DEFAULT_FOUND = 8
export const MOST_FOUND = 50
export const DEFAULT_CHARACTERS = 8_000
const MOST_CHARACTERS = 40_000
const MOST_SPAN = 9_999_999
// A string of this host cannot be longer.
const MOST_OFFSET = 536_870_888

export const recallInput = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Words to look for: names, paths, numbers, words of an error. Whole words; records with all of them first.',
    ),
  span: z
    .int()
    .min(1)
    .max(MOST_SPAN)
    .optional()
    .describe('Instead of a query: the number of one record in an earlier answer, to read all of it.'),
  reference: z
    .string()
    .min(3)
    .max(64)
    .optional()
    .describe('What to look in: the reference that a summary or an earlier answer names.'),
  session: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe(
      'What to look in, by id or path of a session. Without it and without a reference: this project, newest first.',
    ),
  limit: z
    .int()
    .min(1)
    .max(MOST_CHARACTERS)
    .optional()
    .describe(
      `With query: at most so many records (${DEFAULT_FOUND}; up to ${MOST_FOUND}). With span: at most so many characters (${DEFAULT_CHARACTERS}; up to ${MOST_CHARACTERS}).`,
    ),
  offset: z
    .int()
    .min(0)
    .max(MOST_OFFSET)
    .optional()
    .describe('With span: the character to begin at, to go on with a long record.'),
  raw: z
    .boolean()
    .optional()
    .describe('With span: the bytes of the record as they were stored, mostly JSON, instead of the words in it.'),
})

export type RecallInput = z.infer<typeof recallInput>
