import { setImmediate } from 'node:timers/promises'
import {
  auto,
  type Compression,
  type CompressOptions,
  compressConversation,
  createTokenCounter,
  digest,
  findModel,
  type Ladder,
  type Outcome,
  type Strategy,
  type Summarizer,
} from '@precis/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ArchiveSettings } from '../configuration/configuration.ts'
import { readConfiguration } from '../configuration/read-configuration.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { type LoadedSession, loadSession } from '../sessions/load-session.ts'
import { type Budget, checkBudget, countBudgetTokens, parseBudget } from './budget.ts'
import { type CompressionResult, renderCompression, toCompressionJson } from './compress-report.ts'
import { chooseDestination, createNewSession, type Destination } from './destination.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { addArchiveOption, type Kept, keepOriginal, writeKept } from './keep-original.ts'
import { addJsonOption, addSessionArgument, noteCutOffLine } from './session-argument.ts'
import { addSummarizerOptions, openSummarizer, type SummarizerFlags } from './summarizer-option.ts'
import type { Terminal } from './terminal.ts'
import { writeResult } from './write-result.ts'

interface CompressFlags extends SummarizerFlags {
  readonly budget?: string
  readonly strategy?: string
  readonly instructions?: string
  readonly pin?: readonly string[]
  readonly model?: string
  readonly out?: string
  readonly archive: boolean
  readonly dryRun?: boolean
  readonly verbose?: boolean
  readonly json?: boolean
}

const DEFAULT_BUDGET = '50%'

export function defineCompress(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Compresses a session into a new one of the same format. The original is never touched.\n\n' +
        "Without --out the new session of an agent is placed where its agent finds it, and the command that resumes it is printed. What has no such place, standard input or a provider's messages, is written to standard output.",
    )
    .addOption(
      new Option(
        '-b, --budget <tokens|N%>',
        'upper limit of the result: 8000, 8k, or a share of the text of the session (default: 50%)',
      ).argParser(checkBudget),
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'which parts go; "auto", the default, takes the gentlest way that suffices',
      ).choices(Object.keys(strategyChoices)),
    )
  addSummarizerOptions(command)
    .option('--instructions <text>', 'what the summary has to keep above all')
    .option(
      '--pin <text>',
      'text that stays verbatim in this and every later compression; may be given several times',
      addPin,
    )
    .option(
      '--model <id>',
      'the model that will read the result; tokens are counted for it (default: the one recorded)',
    )
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'report what would be done, without a model and without writing anything')
    .option('-v, --verbose', 'report every step, and what became of every kind of fact')
  addArchiveOption(command)
  addJsonOption(command)
    .addHelpText('after', COMPRESS_HELP)
    .action((name: string, flags: CompressFlags) => compress(name, flags, terminal))
}

function addPin(text: string, before: readonly string[] | undefined): readonly string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Give the text that has to stay.')
  return [...(before ?? []), text]
}

async function compress(name: string, flags: CompressFlags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  const settings = await readSettings(flags)
  if (flags.dryRun && (flags.summarizer ?? digest().name) !== digest().name) {
    terminal.note(`precis: a dry run asks no model; ${digest().name} stands in for ${flags.summarizer}.`)
  }
  terminal.progress.show('reading', 0.05)
  const session = await loadSession(name)
  try {
    noteCutOffLine(session, terminal)
    // Reading a large session holds the process; an interruption gets through here.
    await setImmediate()
    const destination = chooseDestination(session, flags)
    const { outcome, conversation, report } = await runEngine(session, flags, settings, terminal)
    if (outcome.type === 'cannot-fit') throw refuse(name, outcome.refusal)
    // So does the engine: what was interrupted meanwhile writes nothing.
    await setImmediate()
    if (outcome.type === 'unchanged' && flags.pin) {
      terminal.note('precis: the pinned text is not recorded, because nothing had to be compressed.')
    }
    terminal.progress.show('writing', 0.9)
    const written = await write(session, { conversation, outcome, report }, destination, settings, terminal)
    terminal.progress.clear()
    const durationMs = performance.now() - startedAt
    printResult({ session, outcome, report, durationMs, ...written }, destination, flags, terminal)
  } finally {
    session.document.close()
  }
}

// How far along a compression is when a step begins.
const STEPS = { measure: 0.2, plan: 0.45, summarize: 0.5, check: 0.8 }

async function runEngine(
  { conversation }: LoadedSession,
  flags: CompressFlags,
  settings: Settings,
  terminal: Terminal,
) {
  const { instructions, pin } = flags
  const counter = createTokenCounter(findModel(flags.model ?? conversation.model ?? ''))
  return await compressConversation(conversation, {
    counter,
    strategy: settings.strategy,
    summarizer: settings.summarizer,
    budgetTokens: countBudgetTokens(settings.budget, conversation, counter),
    ...(settings.keep && { keep: settings.keep }),
    ...(instructions !== undefined && { instructions }),
    ...(pin && { pins: pin }),
    onProgress: (step, done = 0, total = 0) =>
      terminal.progress.show(total > 1 ? `${step} ${done} of ${total}` : step, STEPS[step]),
  })
}

interface Settings {
  readonly strategy: Strategy | Ladder
  readonly summarizer: Summarizer
  readonly budget: Budget
  readonly keep?: CompressOptions['keep']
  /** Undefined to keep nothing. */
  readonly archive: ArchiveSettings | undefined
}

/** Flags over the configuration over the defaults; what is wrong in any of them is told before any work. */
async function readSettings({
  strategy,
  budget,
  summarizer,
  baseUrl,
  dryRun,
  archive,
}: CompressFlags): Promise<Settings> {
  const given = await readConfiguration(process.cwd(), {
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...(summarizer !== undefined && { summarizer }),
    ...(baseUrl !== undefined && { baseUrl }),
  })
  return {
    strategy: strategyChoices[given.strategy ?? auto.name] ?? auto,
    // A dry run pays for nothing.
    summarizer: dryRun ? digest() : await openSummarizer(given.summarizer),
    budget: parseBudget(given.budget ?? DEFAULT_BUDGET),
    ...(given.keep && { keep: given.keep }),
    archive: archive && given.archive?.enabled !== false ? (given.archive ?? {}) : undefined,
  }
}

/** An unchanged conversation is only written to a place that was asked for, as the bytes that came in. */
async function write(
  session: LoadedSession,
  { conversation, outcome, report }: Compression,
  destination: Destination,
  { archive }: Settings,
  terminal: Terminal,
): Promise<Pick<CompressionResult, 'destination' | 'bytes' | 'kept'>> {
  const isChanged = outcome.type === 'compressed'
  const target: Destination = !isChanged && destination.type === 'agent' ? { type: 'nowhere' } : destination
  const newSession = isChanged ? createNewSession(session, 'sessionId' in target ? target.sessionId : '') : undefined
  let kept: Kept | undefined
  if (isChanged && archive && target.type !== 'nowhere') {
    const result = { command: 'compress', conversation, newSession, destination: target, report } as const
    kept = await keepOriginal(session, result, archive, terminal)
  }
  const bytes =
    isChanged || target.type !== 'nowhere'
      ? await writeKept(kept, () => writeResult(session, conversation, newSession, target, terminal))
      : session.document.source.byteLength
  return { destination: target, bytes, kept }
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
