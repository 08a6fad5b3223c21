/**
 * One line of a history file. The file only grows. All of its lines together determine the present
 * chat.
 *
 *   {"type":"chat","version":1,"id":"5f0c…","workingDirectory":"/home/ada/app",…}
 *   {"type":"message","message":{"role":"user",…},"number":0}
 *   {"type":"message","message":{"role":"assistant",…},"number":1}
 *   {"type":"history","reason":"compression","parts":[{"message":{…}},[1,2]],"number":2}    now: 2, 1
 */
import type { ModelMessage } from 'ai'
import { z } from 'zod'
import { SETTING_NAMES } from '../contract/chat-agent.ts'

export const HISTORY_VERSION = 1

const text = z.string()
const count = z.number().nonnegative().catch(0)
const windowTokens = z.number().positive().optional().catch(undefined)
// Only precis writes this file, so messages are only checked for what a manual edit could break.
const contents = z.array(z.object({ type: text }))
const shape = z.union([
  z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.union([text, contents]) }),
  z.object({ role: z.literal('tool'), content: contents }),
])
const message = z.custom<ModelMessage>((value) => shape.safeParse(value).success)

const header = z.object({
  type: z.literal('chat'),
  version: z.number().catch(0),
  id: text,
  /** ISO 8601. */
  createdAt: text.catch(''),
  workingDirectory: text,
  model: text,
  windowTokens,
  isDemo: z.boolean().catch(false),
  /** The agent's session that it continues. */
  from: z
    .object({ format: text.catch(''), session: text.catch('') })
    .optional()
    .catch(undefined),
})

// Any chat is shorter.
const MOST_MESSAGES = 10_000_000
/** Of the first new message. Missing in a file of an earlier version. */
const number = z.int().min(0).max(MOST_MESSAGES).optional().catch(undefined)

/** Messages by number, as a half-open range, or a new message. */
const part = z.union([z.tuple([z.int(), z.int()]), z.object({ message })])

const entry = z.discriminatedUnion('type', [
  header,
  /**
   * Added after all others. Numbered from 0 in the order of the file, together with messages of
   * `history` entries.
   */
  z.object({ type: z.literal('message'), message, number }),
  /** The history from here on. `undo` takes back the latest change that was not taken back yet. */
  z.object({
    type: z.literal('history'),
    reason: z.enum(['compression', 'undo']),
    /** Neither this change nor an earlier one can be taken back. */
    isFinal: z.boolean().optional().catch(undefined),
    parts: z.array(part),
    number,
  }),
  z.object({ type: z.literal('model'), model: text, windowTokens }),
  z.object({ type: z.enum(['pin', 'unpin']), text }),
  /** A setting that the user changed, as typed. If the text is missing, the change was reverted. */
  z.object({
    type: z.literal('setting'),
    name: z.enum(SETTING_NAMES),
    text: text.optional().catch(undefined),
  }),
  /** What requests took, one entry for an answer or a summary. */
  z.object({
    type: z.literal('spent'),
    purpose: z.enum(['answer', 'summary']),
    model: text,
    requests: count,
    unreported: count,
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    outputTokens: count,
    /** Missing if the price is unknown. */
    dollars: z.number().optional().catch(undefined),
  }),
  /**
   * A section of an unfinished answer. It is discarded as soon as any message or `void` follows.
   */
  z.object({ type: z.literal('partial-text'), text }),
  /** One of several results, while others are still missing. It is discarded the same way. */
  z.object({
    type: z.literal('partial-result'),
    callId: text,
    output: text,
    isError: z.boolean().catch(false),
  }),
  /** Discards the streamed pieces, because the request is repeated. */
  z.object({ type: z.literal('void') }),
])

export type HistoryEntry = z.infer<typeof entry>
export type HistoryPart = z.infer<typeof part>
export type ChatHeader = z.infer<typeof header>

/** Undefined for anything but an entry of this version, such as a torn line. */
export function parseHistoryEntry(value: unknown): HistoryEntry | undefined {
  return entry.safeParse(value).data
}
