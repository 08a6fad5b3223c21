/**
 * One line of a history file. The file only grows; what a chat looks like now follows from all of
 * its lines.
 *
 *   {"type":"chat","version":1,"id":"5f0c…","workingDirectory":"/home/ada/app",…}
 *   {"type":"message","message":{"role":"user",…}}          number 0
 *   {"type":"message","message":{"role":"assistant",…}}     number 1
 *   {"type":"history","reason":"compression","parts":[{"message":{…}},[1,2]]}    now: message 2 (new), then message 1
 */
import type { ModelMessage } from 'ai'
import { z } from 'zod'
import { SETTING_NAMES } from '../contract/chat-agent.ts'

export const HISTORY_VERSION = 1

const text = z.string()
const windowTokens = z.number().positive().optional().catch(undefined)
// Only precis writes this file, so a message is checked no further than a slip of an editor would
// reach.
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
  /** The session of an agent that it continues. */
  from: z
    .object({ format: text.catch(''), session: text.catch('') })
    .optional()
    .catch(undefined),
})

/** Messages by number, from and up to but without, or a message that is new. */
const part = z.union([z.tuple([z.int(), z.int()]), z.object({ message })])

const entry = z.discriminatedUnion('type', [
  header,
  /**
   * Comes after all others. Numbered from 0 in the order of the file, as those of `history`
   * entries.
   */
  z.object({ type: z.literal('message'), message }),
  /** The history from here on. `undo` takes back the newest change that is not taken back yet. */
  z.object({
    type: z.literal('history'),
    reason: z.enum(['compression', 'undo']),
    parts: z.array(part),
  }),
  z.object({ type: z.literal('model'), model: text, windowTokens }),
  z.object({ type: z.enum(['pin', 'unpin']), text }),
  /** A setting that the user changed, as they typed it; without a text it is no longer changed. */
  z.object({
    type: z.literal('setting'),
    name: z.enum(SETTING_NAMES),
    text: text.optional().catch(undefined),
  }),
  /**
   * A stretch of an answer that is still being written; void as soon as any message or `void`
   * follows.
   */
  z.object({ type: z.literal('partial-text'), text }),
  /** A result of several that are still being waited for; void in the same way. */
  z.object({
    type: z.literal('partial-result'),
    callId: text,
    output: text,
    isError: z.boolean().catch(false),
  }),
  /** The streamed pieces do not count: the request is made again. */
  z.object({ type: z.literal('void') }),
])

export type HistoryEntry = z.infer<typeof entry>
export type HistoryPart = z.infer<typeof part>
export type ChatHeader = z.infer<typeof header>

/** Undefined for what is no entry of ours: a torn line, or one of a later version. */
export function parseHistoryEntry(value: unknown): HistoryEntry | undefined {
  return entry.safeParse(value).data
}
