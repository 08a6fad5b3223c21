import { z } from 'zod'
import { quoteLine } from './quote-text.ts'
import type { McpTool } from './tool.ts'

const MOST_ROWS = 12
const PREVIEW_CHARACTERS = 100
const PATH_CHARACTERS = 500

const input = z.strictObject({
  session: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'A session of an agent, by id or any unique beginning of it (see the tool "sessions"), or the path of a file.',
    ),
})

const count = z.number()
const words = z.string().overwrite((text) => quoteLine(text, PREVIEW_CHARACTERS))
const path = z.string().overwrite((text) => quoteLine(text, PATH_CHARACTERS))
const reads = z.object({ count, tokens: count })

/**
 * The members of the result that clients get. Others are left out, and lists end after the largest.
 */
const known = z.object({
  format: z.string(),
  agent: z.string().nullable(),
  sessionId: path.nullable(),
  model: path.nullable(),
  contextWindowTokens: count,
  messages: count,
  turns: count,
  tokens: z.object({
    total: count,
    user: count,
    assistant: count,
    reasoning: count,
    toolCalls: count,
    toolResults: count,
    system: count,
  }),
  notInFileTokens: count
    .nullable()
    .describe('System prompt and tools of the agent, where the recorded usage tells.'),
  contextTokens: count.describe('The conversation with what is not in the file.'),
  billedTokens: count.nullable().describe('Of the newest request, as its provider counted them.'),
  byTool: z.array(z.object({ tool: words, calls: count, errors: count, tokens: count })),
  byFile: z.array(
    z.object({
      path,
      reads: count,
      writes: count,
      staleReads: count,
      duplicateReads: count,
      tokens: count,
    }),
  ),
  byTurn: z.array(z.object({ turn: count, messages: count, tokens: count, request: words })),
  largest: z.array(
    z.object({
      message: count,
      role: z.string(),
      type: z.string(),
      tool: words.optional(),
      file: path.optional(),
      tokens: count,
      preview: words,
    }),
  ),
  staleReads: reads,
  duplicateReads: reads,
})

type Inspected = z.output<typeof known>

export const inspect: McpTool<z.infer<typeof input>> = {
  name: 'inspect',
  title: 'Where the tokens of a session are',
  description:
    'Says where the tokens of a recorded session are: by role, tool, file and turn, its fattest items, reads that are stale or repeated, and how full its context window is. Changes nothing.',
  input,
  output: known,
  isReadOnly: true,

  async run({ session }, host) {
    const all = known.parse((await host.inspect(session)).json)
    const data: Inspected = {
      ...all,
      byTool: all.byTool.slice(0, MOST_ROWS),
      byFile: all.byFile.slice(0, MOST_ROWS),
      byTurn: [...all.byTurn].sort((a, b) => b.tokens - a.tokens).slice(0, MOST_ROWS),
      largest: all.largest.slice(0, MOST_ROWS),
    }
    return { texts: [render(data)], data }
  },
}

/** Lists of numbers come first, because a quotation can only be at the end of a line. */
function render(inspected: Inspected): string {
  const { tokens, contextWindowTokens, model, messages, turns, staleReads, duplicateReads } =
    inspected
  const share = (part: number) => `${Math.round((part / Math.max(tokens.total, 1)) * 100)} %`
  const added =
    inspected.notInFileTokens === null
      ? ''
      : `, and ${inspected.notInFileTokens} not in the file (system prompt, tools): ${inspected.contextTokens} in all`
  const sections = {
    'By role': (
      ['system', 'user', 'assistant', 'reasoning', 'toolCalls', 'toolResults'] as const
    ).map(
      (role) =>
        `${tokens[role]} ${share(tokens[role])} ${role.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`)}`,
    ),
    'By tool: tokens, calls, errors': inspected.byTool.map(
      (of) => `${of.tokens} ${share(of.tokens)}, ${of.calls}, ${of.errors}: ${of.tool}`,
    ),
    'By file: tokens, reads, of them stale, repeated, writes': inspected.byFile.map(
      (of) =>
        `${of.tokens}, ${of.reads}, ${of.staleReads}, ${of.duplicateReads}, ${of.writes}: ${of.path}`,
    ),
    'Fattest turns: number, tokens, messages, request quoted': inspected.byTurn.map(
      (of) => `${of.turn}, ${of.tokens}, ${of.messages} > ${of.request}`,
    ),
    'Largest items: tokens, message, beginning quoted': inspected.largest.map(
      (of) => `${of.tokens}, ${of.message}, ${of.type} ${of.tool ?? ''} > ${of.preview}`,
    ),
  }
  return [
    `${inspected.format} ${inspected.sessionId ?? 'without an id'}: ${tokens.total} tokens in ${messages} messages and ${turns} turns${added}; the window of ${model ?? 'an unnamed model'} has ${contextWindowTokens}.`,
    ...Object.entries(sections).flatMap(([title, lines]) =>
      lines.length > 0 ? [[title, ...lines].join('\n')] : [],
    ),
    `Reads that say nothing any more: ${staleReads.count} stale (${staleReads.tokens} tokens), ${duplicateReads.count} repeated (${duplicateReads.tokens} tokens).`,
  ].join('\n\n')
}
