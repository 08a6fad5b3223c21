import { z } from 'zod'
import { quoteLine } from '../quote-text.ts'
import type { McpTool } from '../tool.ts'

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

/** Of what "precis inspect --json" prints; other members are left out, and lists end after the fattest. */
const printed = z.object({
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
  byTool: z.array(z.object({ tool: words, calls: count, errors: count, tokens: count })),
  byFile: z.array(
    z.object({ path, reads: count, writes: count, staleReads: count, duplicateReads: count, tokens: count }),
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

type Inspected = z.output<typeof printed>

/** Where the tokens of a session are. */
export const inspect: McpTool<z.infer<typeof input>> = {
  name: 'inspect',
  title: 'Where the tokens of a session are',
  description:
    'Says where the tokens of a recorded session are: by role, tool, file and turn, its fattest items, reads that are stale or repeated, and how full its context window is. Changes nothing.',
  input,
  output: printed,
  isReadOnly: true,

  async run({ session }, host) {
    const all = printed.parse((await host.runCommand({ name: 'inspect', session })).printed)
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

/** Lists of numbers first: a quotation can only end a line. */
function render(inspected: Inspected): string {
  const { tokens, contextWindowTokens, model, messages, turns, staleReads, duplicateReads } = inspected
  const share = (part: number) => `${Math.round((part / Math.max(tokens.total, 1)) * 100)} %`
  const roles = [
    ['system', tokens.system],
    ['user', tokens.user],
    ['assistant', tokens.assistant],
    ['reasoning', tokens.reasoning],
    ['tool calls', tokens.toolCalls],
    ['tool results', tokens.toolResults],
  ] as const
  const section = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? [`${title}\n${lines.join('\n')}`] : []
  return [
    `${inspected.format} ${inspected.sessionId ?? 'without an id'}: ${tokens.total} tokens in ${messages} messages and ${turns} turns; the window of ${model ?? 'an unnamed model'} has ${contextWindowTokens}.`,
    ...section(
      'By role',
      roles.map(([name, part]) => `${part} ${share(part)} ${name}`),
    ),
    ...section(
      'By tool: tokens, calls, errors',
      inspected.byTool.map(
        ({ tool, calls, errors, tokens: part }) => `${part} ${share(part)}, ${calls}, ${errors}: ${tool}`,
      ),
    ),
    ...section(
      'By file: tokens, reads, of them stale, repeated, writes',
      inspected.byFile.map(
        (file) =>
          `${file.tokens}, ${file.reads}, ${file.staleReads}, ${file.duplicateReads}, ${file.writes}: ${file.path}`,
      ),
    ),
    ...section(
      'Fattest turns: number, tokens, messages, request quoted',
      inspected.byTurn.map(({ turn, tokens: part, messages: of, request }) => `${turn}, ${part}, ${of} > ${request}`),
    ),
    ...section(
      'Fattest items: tokens, message, beginning quoted',
      inspected.largest.map(
        ({ tokens: part, message, type, tool = '', preview }) => `${part}, ${message}, ${type} ${tool} > ${preview}`,
      ),
    ),
    `Reads that say nothing any more: ${staleReads.count} stale (${staleReads.tokens} tokens), ${duplicateReads.count} repeated (${duplicateReads.tokens} tokens).`,
  ].join('\n\n')
}
