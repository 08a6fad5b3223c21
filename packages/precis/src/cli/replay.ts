import { type Command, Option } from 'commander'
import { openSummarizer } from '../compression/settings.ts'
import { strategyChoices } from '../configuration/choices.ts'
import { renderReplayPage } from '../pages/replay-page.ts'
import { adviseSession } from '../replay/advice.ts'
import {
  type MeasuredSession,
  measureSession,
  readRecordedSession,
} from '../replay/recorded-session.ts'
import { type ReplayOptions, replaySession } from '../replay/replay-session.ts'
import { renderAdviceReport, toAdviceJson } from '../reports/advice.ts'
import { renderReplayReport, toReplayJson } from '../reports/replay.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'
import { exitCodes, Failure } from './failure.ts'
import {
  addSummarizerOptions,
  createModelOption,
  createSpendOption,
  parseWindow,
  type SummarizerFlags,
} from './options.ts'
import { addPageOptions, printViews, refuseSessionFile } from './page-options.ts'
import {
  checkAdvice,
  checkReserve,
  collectStrategies,
  collectThresholds,
  type ReplayFlags,
  toTokens,
} from './replay-flags.ts'
import { addJsonOption, addSessionArgument } from './session-argument.ts'

export function defineReplay(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Runs a recorded session through the live context, request by request, with the recorded answers. Shows when it would have been compressed, what each request would have cost with and without compression, and what later requests would have missed.',
    )
    .option(
      '-w, --window <tokens>',
      "context window to fit into (default: the agent's recorded window, else the model's)",
      parseWindow,
    )
    .option(
      '--reserve <tokens>',
      'tokens to keep free for the answer (default: the largest recorded answer, at most 20% of the window)',
      parseWindow,
    )
    .option(
      '--threshold <share|tokens>',
      'compress above this size: 0.8, 80% or 50k (default: as --spend decides), repeatable to compare',
      collectThresholds,
    )
    .addOption(createSpendOption())
    .option('--save', 'compress below the threshold too, if that is expected to save money')
    .addOption(
      new Option(
        '-s, --strategy <name>',
        `how to compress (default: auto, also ${listStrategies()}), repeatable to compare`,
      ).argParser(collectStrategies),
    )
    .option(
      '--advise',
      'recommend a threshold: try up to four that the session reaches, or the given ones',
    )
    .addOption(createModelOption('count and price for this model'))
    .option('-a, --all', 'print every request')
  addSummarizerOptions(command)
  addJsonOption(addPageOptions(command, 'tokens and cost as charts'))
    .addHelpText('after', REPLAY_HELP)
    .action((name: string, flags: ReplayFlags) => replay(name, flags, terminal))
}

const listStrategies = () =>
  Object.keys(strategyChoices)
    .filter((name) => name !== 'auto')
    .join(', ')

async function replay(name: string, flags: ReplayFlags, terminal: Terminal): Promise<void> {
  const { html, threshold = [], strategy = [] } = flags
  const isAdvice = flags.advise === true || threshold.length > 1 || strategy.length > 1
  if (isAdvice) checkAdvice(flags)
  terminal.progress.show('reading', 0)
  await withSession(name, undefined, terminal, async (session) => {
    if (html !== undefined) refuseSessionFile(session, html)
    const recorded = readRecordedSession(session)
    if (recorded.steps.length === 0)
      throw new Failure('no-requests', exitCodes.invalidInput, explainEmpty(name))
    terminal.progress.show('counting', 0.05)
    const measured = measureSession(recorded, flags.model)
    checkReserve(flags, measured)
    const views = isAdvice
      ? await advise(measured, flags, terminal)
      : await replayOnce(measured, flags, terminal)
    const json = () => ({ ...views.json(), ...toDamageJson(session) })
    await printViews({ ...views, json }, flags, terminal)
  })
}

type Views = Parameters<typeof printViews>[0]

async function replayOnce(
  measured: MeasuredSession,
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<Views> {
  const options = await readOptions(flags, measured)
  const onProgress = (share: number) => terminal.progress.show('replaying', 0.1 + 0.9 * share)
  const replayed = await replaySession(measured, { ...options, onProgress })
  return {
    page: () => renderReplayPage(replayed),
    json: () => toReplayJson(replayed),
    print: () => terminal.print(renderReplayReport(replayed, terminal, flags.all === true)),
  }
}

async function advise(
  measured: MeasuredSession,
  flags: ReplayFlags,
  terminal: Terminal,
): Promise<Views> {
  const windowTokens = flags.window ?? measured.windowTokens
  const thresholds = flags.threshold?.map((threshold) => toTokens(threshold, windowTokens))
  const advice = await adviseSession(measured, {
    strategies: flags.strategy?.flatMap((strategy) => strategyChoices[strategy] ?? []),
    summarizer: await openReplaySummarizer(flags),
    onProgress: (step, share) => terminal.progress.show(step, share),
    windowTokens: flags.window,
    reserveTokens: flags.reserve,
    save: flags.save,
    thresholdsTokens: thresholds && [...new Set(thresholds)],
  })
  return {
    page: () => '',
    json: () => toAdviceJson(advice),
    print: () => terminal.print(renderAdviceReport(advice, terminal)),
  }
}

async function readOptions(flags: ReplayFlags, measured: MeasuredSession): Promise<ReplayOptions> {
  const [name = 'auto'] = flags.strategy ?? []
  const strategy = strategyChoices[name]
  if (!strategy) throw new Error(`There is no strategy "${name}".`)
  const [threshold] = flags.threshold ?? []
  const windowTokens = flags.window ?? measured.windowTokens
  return {
    strategy,
    summarizer: await openReplaySummarizer(flags),
    windowTokens: flags.window,
    reserveTokens: flags.reserve,
    threshold: threshold && toTokens(threshold, windowTokens) / windowTokens,
    save: flags.save,
    spend: flags.spend,
  }
}

/**
 * Ignores the configuration, because a replay is the same for all users and must not call a paid
 * model by default.
 */
async function openReplaySummarizer({ summarizer = 'digest', baseUrl }: SummarizerFlags) {
  return await openSummarizer({ name: summarizer, baseUrl })
}

function explainEmpty(name: string): string {
  return `Replaying "${name}": it has no answer of a model, so there is no request to replay. "precis sessions" lists all sessions.`
}

const REPLAY_HELP = `
Examples:
  precis replay 3f2a --window 50k
  precis replay 3f2a --window 200k --strategy middle-out --html replay.html
  precis replay 3f2a --advise
  precis replay 3f2a --threshold 50k --threshold 100k
  precis replay 3f2a --window 50k --json | jq '.runs[].saved'

Money is at list prices, with the provider's cache: what was sent before within its lifetime is read from it, the rest is written to it. Answers cost the same both ways. docs/commands/replay.md says what every number is.

An advice recommends the settings that save most money, including what would be read again. They keep at least nine of ten names that later calls needed.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or without answers, 130 interrupted.
`
