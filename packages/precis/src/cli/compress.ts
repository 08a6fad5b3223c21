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
  type RecallPath,
  type Strategy,
  type Summarizer,
  withoutRecall,
} from '@precis/core'
import type { Command } from 'commander'
import { findRecallPath } from '../agents/find-recall-path.ts'
import { type Budget, countBudgetTokens } from '../batch/budget-tokens.ts'
import { renderSettings } from '../batch/settings.ts'
import type { ArchiveSettings } from '../configuration/configuration.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { type LoadedSession, loadSession, toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { isForAll } from './all-options.ts'
import { toBatchSettings } from './batch-settings.ts'
import { DEFAULT_BUDGET, parseBudget } from './budget.ts'
import { addCompressOptions, type CompressFlags } from './compress-options.ts'
import { type CompressionResult, explainSubstitute, renderCompression, toCompressionJson } from './compress-report.ts'
import { type Conversion, convertSession } from './convert-session.ts'
import { chooseDestination, createNewSession, type Destination } from './destination.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { type Kept, keepOriginal, writeKept } from './keep-original.ts'
import { readConfigured } from './read-configured.ts'
import { addJsonOption, addSessionArgument, noteDamage } from './session-argument.ts'
import { openSummarizer } from './summarizer-option.ts'
import { writeResult } from './write-result.ts'

export function defineCompress(command: Command, terminal: Terminal): void {
  addSessionArgument(command, { unless: 'all' }).description(
    'Compresses a session into a new one of the same format. The original is never touched.\n\n' +
      "Without --out the new session of an agent is placed where its agent finds it, and the command that resumes it is printed. What has no such place, standard input or a provider's messages, is written to standard output.",
  )
  addJsonOption(addCompressOptions(command))
    .addHelpText('after', COMPRESS_HELP)
    .action(async (name: string | undefined, flags: CompressFlags) => {
      if (isForAll(name, flags))
        await (await import('./compress-all.ts')).compressAll(flags, command.parent?.version() ?? '', terminal)
      else if (name !== undefined) await compress(name, flags, terminal)
    })
}

export async function compress(name: string, flags: CompressFlags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  const settings = await readSettings(flags)
  if (flags.dryRun && (flags.summarizer ?? digest().name) !== digest().name) {
    terminal.note(`precis: a dry run asks no model; ${digest().name} stands in for ${flags.summarizer}.`)
  }
  terminal.progress.show('reading', 0.05)
  const source = await loadSession(name, flags.format)
  try {
    noteDamage(source, terminal)
    // Reading a large session holds the process; an interruption gets through here.
    await setImmediate()
    const conversion = convertSession(source, flags.to)
    const session = conversion?.session ?? source
    const destination = chooseDestination(session, flags)
    const recall = settings.archive && (await findRecallPath(source.document.source, session.home?.agent))
    const compression = await runEngine(session, flags, { ...settings, recall }, terminal)
    const { outcome } = compression
    if (outcome.type === 'cannot-fit') throw refuse(name, outcome.refusal)
    if (outcome.type === 'summary-failed') throw failSummary(name, outcome)
    // So does the engine: what was interrupted meanwhile writes nothing.
    await setImmediate()
    if (outcome.type === 'unchanged' && flags.pin) {
      terminal.note('precis: the pinned text is not recorded, because nothing had to be compressed.')
    }
    terminal.progress.show('writing', 0.9)
    const { report, ...written } = await write(
      { source, session, conversion },
      compression,
      destination,
      { ...settings, recall },
      terminal,
    )
    terminal.progress.clear()
    const durationMs = performance.now() - startedAt
    printResult({ session, conversion, outcome, report, durationMs, ...written }, destination, flags, terminal)
  } finally {
    source.document.close()
  }
}

// How far along a compression is when a step begins.
const STEPS = { measure: 0.2, plan: 0.45, summarize: 0.5, check: 0.8 }

async function runEngine(
  { conversation }: LoadedSession,
  flags: CompressFlags,
  { recall, ...settings }: EngineSettings,
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
    ...(recall && { recall }),
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
  /** The same text for settings that make the same result. */
  readonly made: string
}

interface EngineSettings extends Settings {
  readonly recall: RecallPath | undefined
}

async function readSettings(flags: CompressFlags): Promise<Settings> {
  const given = await readConfigured(flags)
  return {
    strategy: strategyChoices[given.strategy ?? auto.name] ?? auto,
    // A dry run pays for nothing.
    summarizer: flags.dryRun ? digest() : await openSummarizer(given.summarizer),
    budget: parseBudget(given.budget ?? DEFAULT_BUDGET),
    ...(given.keep && { keep: given.keep }),
    archive: flags.archive && given.archive?.enabled !== false ? (given.archive ?? {}) : undefined,
    made: renderSettings(toBatchSettings(given, flags)),
  }
}

/** An unchanged conversation is only written to a place or for an agent that was asked for. */
async function write(
  {
    source,
    session,
    conversion,
  }: { source: LoadedSession; session: LoadedSession; conversion: Conversion | undefined },
  compression: Compression,
  destination: Destination,
  { archive, made, recall }: EngineSettings,
  terminal: Terminal,
): Promise<Pick<CompressionResult, 'destination' | 'bytes' | 'kept' | 'report'>> {
  const { outcome } = compression
  const isChanged = outcome.type === 'compressed' || conversion !== undefined
  const target: Destination = !isChanged && destination.type === 'agent' ? { type: 'nowhere' } : destination
  const newSession = isChanged ? createNewSession(session, 'sessionId' in target ? target.sessionId : '') : undefined
  let kept: Kept | undefined
  if (isChanged && archive && target.type !== 'nowhere') {
    const conversation = conversion?.traceToSource(compression.conversation) ?? compression.conversation
    // What was made for another agent is no result that --all would make.
    const report = { ...compression.report, ...(conversion === undefined && { settings: made }) }
    const result = { command: 'compress', conversation, newSession, destination: target, report } as const
    kept = await keepOriginal(source, result, archive, terminal)
  }
  // What is not kept cannot be recalled.
  const isLost = recall !== undefined && kept !== undefined && 'problem' in kept
  const { conversation, report } = isLost ? withoutRecall(compression) : compression
  const bytes =
    isChanged || target.type !== 'nowhere'
      ? await writeKept(kept, archive?.database, conversation, (watch) =>
          writeResult(session, conversation, newSession, target, terminal, watch),
        )
      : session.document.source.byteLength
  return { destination: target, bytes, kept, report }
}

function printResult(result: CompressionResult, asked: Destination, flags: CompressFlags, terminal: Terminal): void {
  if (flags.json) {
    const substitute = explainSubstitute(result.report)
    if (substitute !== undefined) terminal.note(`precis: ${substitute}.`)
    terminal.printJson({ ...toCompressionJson(result), ...toDamageJson(result.session) })
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
    `Compressing "${name}": it cannot fit ${budgetTokens} tokens; the largest item that has to stay is ${item} with ${itemTokens}. Nothing was written. Give a --budget of ${smallestTokens} or more.`,
    { refusal },
  )
}

function failSummary(name: string, { summarizer, problems }: Extract<Outcome, { type: 'summary-failed' }>): Failure {
  const why = problems.length > 0 ? `: ${problems.join(' ')}` : '.'
  return new Failure(
    'summary-failed',
    exitCodes.failed,
    `Compressing "${name}": ${summarizer} gave no summary that can be used${why} Nothing was written. Give --summarizer ${digest().name}, or --strategy auto, which does without.`,
    { summarizer, problems },
  )
}

const COMPRESS_HELP = `
Examples:
  precis compress 3f2a                              half the size, resumable by its agent
  precis compress 3f2a --budget 40k --dry-run       what would become of it
  precis compress session.jsonl --out small.jsonl
  precis compress - < request.json > small.json     a provider's messages
  precis compress 3f2a --to codex                   go on in another agent
  precis compress 3f2a --json | jq .after.tokens
  precis compress --all --older-than 7d             every session that rested for a week

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 3 cannot fit the budget, 4 input unreadable or invalid,
130 interrupted. With --json a failure is one object too: { "error": { "code", "message" } }.
`
