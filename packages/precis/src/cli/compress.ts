import { setImmediate } from 'node:timers/promises'
import {
  type Conversation,
  compressConversation,
  createTokenCounter,
  findModel,
  middleOut,
  type Outcome,
  strategies,
} from '@precis/core'
import { type Command, Option } from 'commander'
import { type LoadedSession, loadSession } from '../sessions/load-session.ts'
import { type Budget, countBudgetTokens, parseBudget } from './budget.ts'
import { type CompressionResult, renderCompression, toCompressionJson } from './compress-report.ts'
import { chooseDestination, createNewSession, type Destination } from './destination.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure, wrongUsage } from './failure.ts'
import { addJsonOption, addSessionArgument, noteCutOffLine } from './session-argument.ts'
import type { Terminal } from './terminal.ts'
import { writeResult } from './write-result.ts'

interface CompressFlags {
  readonly budget: Budget
  readonly strategy: string
  readonly summarizer: string
  readonly instructions?: string
  readonly model?: string
  readonly out?: string
  readonly dryRun?: boolean
  readonly verbose?: boolean
  readonly json?: boolean
}

const DEFAULT_BUDGET: Budget = { type: 'share', fraction: 0.5 }

export function defineCompress(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Compresses a session into a new one of the same format. The original is never touched.\n\n' +
        "Without --out the new session of an agent is placed where its agent finds it, and the command that resumes it is printed. What has no such place, standard input or a provider's messages, is written to standard output.",
    )
    .addOption(
      new Option(
        '-b, --budget <tokens|N%>',
        'upper limit of the result: 8000, 8k, or a share of the text of the session',
      )
        .argParser(parseBudget)
        .default(DEFAULT_BUDGET, '50%'),
    )
    .addOption(
      new Option('-s, --strategy <name>', 'which parts go').choices(Object.keys(strategies)).default(middleOut.name),
    )
    .addOption(new Option('--summarizer <name>', 'what writes the summary; "digest" needs no model').default('digest'))
    .option('--instructions <text>', 'what the summary has to keep above all')
    .option(
      '--model <id>',
      'the model that will read the result; tokens are counted for it (default: the one recorded)',
    )
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'report what would be done and write nothing')
    .option('-v, --verbose', 'report every step, and what became of every kind of fact')
  addJsonOption(command)
    .addHelpText('after', COMPRESS_HELP)
    .action((name: string, flags: CompressFlags) => compress(name, flags, terminal))
}

async function compress(name: string, flags: CompressFlags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  if (flags.summarizer !== 'digest') {
    throw wrongUsage(
      `Unknown summarizer "${flags.summarizer}". There is one so far: "digest", which needs no model and no key.`,
    )
  }
  terminal.progress.show('reading', 0.05)
  const session = await loadSession(name)
  try {
    noteCutOffLine(session, terminal)
    // Reading a large session holds the process; an interruption gets through here.
    await setImmediate()
    const destination = chooseDestination(session, flags)
    const { outcome, conversation, report } = await runEngine(session, flags, terminal)
    if (outcome.type === 'cannot-fit') throw refuse(name, outcome.refusal)
    terminal.progress.show('writing', 0.9)
    const written = await write(session, conversation, outcome, destination, terminal)
    terminal.progress.clear()
    const durationMs = performance.now() - startedAt
    printResult({ session, outcome, report, durationMs, ...written }, destination, flags, terminal)
  } finally {
    session.document.close()
  }
}

// How far along a compression is when a step begins.
const STEPS = { measure: 0.2, plan: 0.45, summarize: 0.5, apply: 0.75, check: 0.8 }

function runEngine({ conversation }: LoadedSession, flags: CompressFlags, terminal: Terminal) {
  const { budget, instructions } = flags
  const counter = createTokenCounter(findModel(flags.model ?? conversation.model ?? ''))
  const strategy = strategies[flags.strategy] ?? middleOut
  return compressConversation(conversation, {
    counter,
    strategy,
    budgetTokens: countBudgetTokens(budget, conversation, counter),
    ...(instructions !== undefined && { instructions }),
    onProgress: (step) => terminal.progress.show(step, STEPS[step]),
  })
}

/** An unchanged conversation is only written to a place that was asked for, as the bytes that came in. */
async function write(
  session: LoadedSession,
  conversation: Conversation,
  outcome: Outcome,
  destination: Destination,
  terminal: Terminal,
): Promise<Pick<CompressionResult, 'destination' | 'bytes'>> {
  const isChanged = outcome.type === 'compressed'
  const target: Destination = !isChanged && destination.type === 'agent' ? { type: 'nowhere' } : destination
  const newSession = isChanged ? createNewSession(session, 'sessionId' in target ? target.sessionId : '') : undefined
  const bytes =
    isChanged || target.type !== 'nowhere'
      ? await writeResult(session, conversation, newSession, target, terminal)
      : session.document.source.byteLength
  return { destination: target, bytes }
}

function printResult(result: CompressionResult, asked: Destination, flags: CompressFlags, terminal: Terminal): void {
  if (flags.json) {
    terminal.printJson(toCompressionJson(result))
    return
  }
  const text = renderCompression(result, { verbose: flags.verbose === true, colors: terminal.colors })
  if (asked.type === 'standard-output') terminal.note(text)
  else terminal.print(text)
}

function refuse(name: string, refusal: Extract<Outcome, { type: 'cannot-fit' }>['refusal']): Failure {
  const { item, itemTokens, budgetTokens, smallestTokens } = refusal
  return new Failure(
    'cannot-fit',
    exitCodes.cannotFit,
    `Compressing "${name}": it cannot fit ${budgetTokens} tokens. The smallest result has ${smallestTokens}; the largest item that has to stay is ${item} with ${itemTokens}. Nothing was written. Give a --budget above ${smallestTokens}; a summary takes some tokens more.`,
    { refusal },
  )
}

const COMPRESS_HELP = `
Examples:
  precis compress 3f2a                              half the size, resumable by its agent
  precis compress 3f2a --budget 40k --dry-run       what would become of it
  precis compress session.jsonl --out small.jsonl
  precis compress - < request.json > small.json     a provider's messages
  precis compress 3f2a --json | jq .after.tokens

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 3 cannot fit the budget, 4 input unreadable or invalid,
130 interrupted. With --json a failure is one object too: { "error": { "code", "message" } }.
`
