import { z } from 'zod'
import { quoteLine } from '../quote-text.ts'
import type { McpTool } from '../tool.ts'
import { McpToolError } from '../tool-error.ts'

// What a person says of a summary, not a document.
const MOST_INSTRUCTIONS = 4_000
const PATH_CHARACTERS = 4_096

const input = z.strictObject({
  session: z
    .string()
    .min(1)
    .max(PATH_CHARACTERS)
    .describe('A session of an agent, by id or any unique beginning of it: see the tool "sessions".'),
  budget: z
    .string()
    .max(20)
    .optional()
    .describe(
      'Upper limit of the result: tokens as "8000" or "40k", or a share of the session as "30%". "50%" by default.',
    ),
  strategy: z
    .string()
    .max(40)
    .optional()
    .describe(
      'Which parts go. By default "auto": the gentlest way that suffices. A name that is none is answered with the list.',
    ),
  instructions: z.string().max(MOST_INSTRUCTIONS).optional().describe('What the summary has to keep above all.'),
  dryRun: z.boolean().optional().describe('Only say what would become of it; nothing is written.'),
})

const count = z.number()
const line = z.string().overwrite((text) => quoteLine(text, PATH_CHARACTERS))
const size = z.object({ tokens: count, messages: count, bytes: count })
const facts = z.object({ total: count, verbatim: count, retrievable: count, missing: count, stale: count })

/** Of what "precis compress --json" prints. */
const printed = z.object({
  input: line,
  output: line.nullable(),
  format: z.string(),
  strategy: z.string(),
  summarizer: z.string().nullable(),
  budgetTokens: count,
  before: size,
  after: size,
  receipt: z.object({ kinds: z.record(z.string(), facts) }),
  resumeCommand: line.optional(),
})

const output = printed.omit({ receipt: true }).extend({
  isWritten: z.boolean().describe('Whether there is a new session.'),
  facts: facts.describe('What became of the facts of the removed part.'),
  notes: z.array(z.string()),
})

/** A new session, smaller than an old one. */
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
    const result = await host.runCommand({ name: 'compress', session, dryRun, budget, strategy, instructions })
    const { receipt, ...all } = printed.parse(result.printed)
    const data = {
      ...all,
      isWritten: all.output !== null,
      facts: addUp(Object.values(receipt.kinds)),
      notes: result.notes.map((note) => quoteLine(note, PATH_CHARACTERS)),
    }
    return { texts: [render(data, dryRun)], data }
  },
}

/** The list comes with all that strategies are made of: the server does without. */
async function checkStrategy(strategy: string | undefined): Promise<void> {
  if (strategy === undefined) return
  const { strategyChoices } = await import('../../configuration/strategy-choices.ts')
  if (Object.hasOwn(strategyChoices, strategy)) return
  const names = Object.keys(strategyChoices).join(', ')
  throw new McpToolError(
    `Compressing with the strategy "${strategy}": there is none of that name. Give one of ${names}.`,
  )
}

type Facts = z.infer<typeof facts>

function addUp(kinds: readonly Facts[]): Facts {
  const sum = { total: 0, verbatim: 0, retrievable: 0, missing: 0, stale: 0 }
  for (const kind of kinds) {
    sum.total += kind.total
    sum.verbatim += kind.verbatim
    sum.retrievable += kind.retrievable
    sum.missing += kind.missing
    sum.stale += kind.stale
  }
  return sum
}

function render(result: z.infer<typeof output>, isDryRun: boolean): string {
  const { before, after, facts: found, strategy, summarizer, budgetTokens, resumeCommand } = result
  const isUnchanged = before.tokens === after.tokens && before.messages === after.messages
  if (isUnchanged && !result.isWritten) {
    return [`Nothing to do: it has ${before.tokens} tokens, the budget is ${budgetTokens}.`, ...result.notes].join('\n')
  }
  return [
    `${before.tokens} tokens in ${before.messages} messages became ${after.tokens} in ${after.messages} (budget ${budgetTokens}; ${strategy}${summarizer === null ? '' : `, summary by ${summarizer}`}).`,
    `Of ${found.total - found.stale} facts in what was removed or changed, ${found.verbatim} are still there verbatim, ${found.retrievable} can be recalled, ${found.missing} are not there.`,
    result.isWritten ? `Wrote ${result.output}` : isDryRun ? 'A dry run: nothing was written.' : 'Nothing was written.',
    ...(resumeCommand === undefined ? [] : [`To go on in it: ${resumeCommand}`]),
    ...result.notes,
  ].join('\n')
}
