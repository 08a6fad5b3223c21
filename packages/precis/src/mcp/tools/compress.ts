import { z } from 'zod'
import { quoteFacts, quoteLine } from './quote-text.ts'
import { type McpTool, McpToolError } from './tool.ts'

// Instructions are a short request of the user, not a document.
const MOST_INSTRUCTIONS = 4_000
const PATH_CHARACTERS = 4_096
const FACT_CHARACTERS = 250

const input = z.strictObject({
  session: z
    .string()
    .min(1)
    .max(PATH_CHARACTERS)
    .describe(
      'A session of an agent, by id or any unique beginning of it: see the tool "sessions".',
    ),
  budget: z
    .string()
    .max(20)
    .optional()
    .describe(
      'Upper limit of the result: tokens as "8000" or "40k", a share of the tokens of the conversation as "30%", or "model": the size of a model\'s summary. "50%" by default.',
    ),
  strategy: z
    .string()
    .max(40)
    .optional()
    .describe(
      'Which parts go. By default "auto": the gentlest way that suffices. A name that is none is answered with the list.',
    ),
  instructions: z
    .string()
    .max(MOST_INSTRUCTIONS)
    .optional()
    .describe('What the summary has to keep above all.'),
  dryRun: z.boolean().optional().describe('Only report what would happen, and write nothing.'),
})

const count = z.number()
const line = z.string().overwrite((text) => quoteLine(text, PATH_CHARACTERS))
const size = z.object({ tokens: count, contextTokens: count, messages: count, bytes: count })
const facts = z.object({
  total: count,
  verbatim: count,
  retrievable: count,
  missing: count,
  stale: count,
})

const userWords = z.object({
  total: count,
  verbatim: count,
  clipped: count,
  retrievable: count,
  missing: count,
})

const words = z.string().overwrite((text) => quoteLine(text, FACT_CHARACTERS))
const gone = z.object({
  kind: z.string(),
  text: words,
  turn: count,
  state: z.string().describe('"retrievable" or "missing"'),
  recall: z
    .object({ reference: z.string(), query: words.optional(), span: count.optional() })
    .nullable()
    .describe('The input of "recall" that gives it; null where it is not kept, and in a dry run.'),
})

/** The members of the result that clients get. Others are left out. */
const known = z.object({
  input: line,
  output: line.nullable(),
  format: z.string(),
  strategy: z.string(),
  summarizer: z.string().nullable(),
  budgetTokens: count,
  budget: line,
  before: size,
  after: size,
  notInFileTokens: count.nullable(),
  receipt: z.object({ kinds: z.record(z.string(), facts), gone: z.array(gone), words: userWords }),
  resumeCommand: line.optional(),
})

const output = known.omit({ receipt: true }).extend({
  isWritten: z.boolean().describe('Whether there is a new session.'),
  facts: facts.describe('What became of the facts of the removed part.'),
  userWords: userWords.describe(
    'What became of all messages of the user, those before an earlier compression too.',
  ),
  gone: z
    .array(gone)
    .describe('The weightiest facts that the result does not say, at most ten; texts are quoted.'),
  notes: z.array(z.string()),
})

export const compress: McpTool<z.infer<typeof input>> = {
  name: 'compress',
  title: 'Compress a session',
  description:
    'Makes a smaller session of a recorded one, as a new session that its agent can resume; the original is never touched and what is removed is kept for "recall". Tell the person the resume command: the conversation you are in does not get smaller by it. Use dryRun to see what it would do.',
  input,
  output,
  isReadOnly: false,

  async run({ session, budget, strategy, instructions, dryRun = false }, host) {
    await checkStrategy(strategy)
    const result = await host.compress({ session, dryRun, budget, strategy, instructions })
    const { receipt, ...all } = known.parse(result.json)
    const data = {
      ...all,
      isWritten: all.output !== null,
      facts: addUp(Object.values(receipt.kinds)),
      userWords: receipt.words,
      gone: receipt.gone,
      notes: result.notes.map((note) => quoteLine(note, PATH_CHARACTERS)),
    }
    return { texts: [render(data, dryRun)], data }
  },
}

/** Loaded on demand, because the list includes all strategies, which the server does not need. */
async function checkStrategy(strategy: string | undefined): Promise<void> {
  if (strategy === undefined) return
  const { strategyChoices } = await import('../../configuration/choices.ts')
  if (Object.hasOwn(strategyChoices, strategy)) return
  const names = Object.keys(strategyChoices).join(', ')
  throw new McpToolError(
    `Compressing with the strategy "${strategy}": there is none of that name. Give one of ${names}.`,
  )
}

type CountedFacts = z.infer<typeof facts>

function addUp(kinds: readonly CountedFacts[]): CountedFacts {
  const sum = (state: keyof CountedFacts) => kinds.reduce((total, kind) => total + kind[state], 0)
  return {
    total: sum('total'),
    verbatim: sum('verbatim'),
    retrievable: sum('retrievable'),
    missing: sum('missing'),
    stale: sum('stale'),
  }
}

function render(result: z.infer<typeof output>, isDryRun: boolean): string {
  const {
    before,
    after,
    facts: found,
    userWords: said,
    strategy,
    summarizer,
    budget,
    resumeCommand,
  } = result
  const isUnchanged = before.tokens === after.tokens && before.messages === after.messages
  if (isUnchanged && !result.isWritten) {
    return [
      `Nothing to do: it has ${before.tokens} tokens, the budget is ${budget}.`,
      ...result.notes,
    ].join('\n')
  }
  return [
    `${before.tokens} tokens in ${before.messages} messages became ${after.tokens} in ${after.messages} (budget ${budget}; ${strategy}${summarizer === null ? '' : `, summary by ${summarizer}`}).`,
    ...(result.notInFileTokens === null
      ? []
      : [
          `With ${result.notInFileTokens} tokens that are not in the file (system prompt, tools): ${before.contextTokens} before, ${after.contextTokens} after.`,
        ]),
    `Of ${said.total} messages of the user, ${said.verbatim} stand word for word, ${said.clipped} are shortened, ${said.retrievable} can be recalled, ${said.missing} are not there.`,
    `Of ${found.total - found.stale} facts in what was removed or changed, ${found.verbatim} are still there verbatim, ${found.retrievable} can be recalled, ${found.missing} are not there.`,
    result.isWritten
      ? `Wrote ${result.output}`
      : isDryRun
        ? 'A dry run: nothing was written.'
        : 'Nothing was written.',
    ...(resumeCommand === undefined ? [] : [`To go on in it: ${resumeCommand}`]),
    ...(result.gone.length > 0 ? [quoteFacts(result.gone)] : []),
    ...result.notes,
  ].join('\n')
}
