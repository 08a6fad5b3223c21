import { type Command, InvalidArgumentError, Option } from 'commander'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { type Advice, adviseSession } from '../evaluation/replay/advice.ts'
import { measureSession } from '../evaluation/replay/measured-session.ts'
import { readRecordedSession } from '../evaluation/replay/recorded-session.ts'
import { loadSession, toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { findThreshold, renderAdviceReport, renderRecommendation } from './advise-report.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { parseWindow } from './parse-window.ts'
import { explainEmpty } from './replay.ts'
import { addJsonOption, addSessionArgument, noteDamage } from './session-argument.ts'
import { addSummarizerOptions, openSummarizer, type SummarizerFlags } from './summarizer-option.ts'

interface AdviseFlags extends SummarizerFlags {
  readonly window?: number
  readonly threshold?: readonly number[]
  readonly strategy?: readonly string[]
  readonly model?: string
  readonly json?: boolean
}

export function defineAdvise(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Replays a recorded session with every strategy at several thresholds, and says which would have saved how much money, and how much of what later calls needed would still have been there.',
    )
    .option('-w, --window <tokens>', 'context window (default: that of the model)', parseWindow)
    .option(
      '--threshold <tokens>',
      'compress from this size on; may be given several times (default: up to four that the session passes)',
      collectThresholds,
    )
    .addOption(
      new Option('-s, --strategy <name>', 'only this strategy; may be given several times (default: all)').argParser(
        collectStrategies,
      ),
    )
    .option('--model <id>', 'count and price for this model (default: the one recorded)')
  addSummarizerOptions(command)
  addJsonOption(command)
    .addHelpText('after', ADVISE_HELP)
    .action((name: string, flags: AdviseFlags) => advise(name, flags, terminal))
}

async function advise(name: string, flags: AdviseFlags, terminal: Terminal): Promise<void> {
  const chosen = flags.strategy ?? Object.keys(strategyChoices)
  const { summarizer: summarizerName = 'digest', baseUrl, window, threshold } = flags
  const summarizer = await openSummarizer({ name: summarizerName, ...(baseUrl !== undefined && { baseUrl }) })
  terminal.progress.show('reading', 0)
  const session = await loadSession(name)
  try {
    noteDamage(session, terminal)
    const recorded = readRecordedSession(session)
    if (recorded.steps.length === 0) throw new Failure('no-requests', exitCodes.invalidInput, explainEmpty(name))
    terminal.progress.show('counting', 0)
    const measured = measureSession(recorded, flags.model)
    const advice = await adviseSession(measured, {
      strategies: chosen.map((strategy) => strategyChoices[strategy]).filter((strategy) => strategy !== undefined),
      summarizer,
      onProgress: (step, share) => terminal.progress.show(step, share),
      ...(window !== undefined && { windowTokens: window }),
      ...(threshold && { thresholdsTokens: threshold }),
    })
    terminal.progress.clear()
    if (flags.json) terminal.printJson({ ...toAdviceJson(advice), ...toDamageJson(session) })
    else terminal.print(renderAdviceReport(advice, terminal))
  } finally {
    session.document.close()
  }
}

/** What `advise --json` prints; fields in docs/commands/advise.md. */
function toAdviceJson(advice: Advice): object {
  const { hasPrices, best, tooShort, trials, model, isPossibleWithout, ...facts } = advice
  const toJson = (trial: Advice['trials'][number]) => ({
    ...trial,
    threshold: findThreshold(trial, advice.windowTokens),
    recall: trial.recall ?? null,
  })
  return {
    ...facts,
    model: model || null,
    unit: hasPrices ? 'dollars' : 'input-tokens',
    doingNothing: { possible: isPossibleWithout },
    tooShort: tooShort ?? null,
    recommendation: renderRecommendation(advice),
    best: best ? toJson(best) : null,
    trials: trials.map(toJson),
  }
}

function collectThresholds(text: string, before: readonly number[] = []): readonly number[] {
  return [...new Set([...before, parseWindow(text)])]
}

function collectStrategies(name: string, before: readonly string[] = []): readonly string[] {
  if (Object.hasOwn(strategyChoices, name)) return [...new Set([...before, name])]
  throw new InvalidArgumentError(`Allowed are ${Object.keys(strategyChoices).join(', ')}.`)
}

const ADVISE_HELP = `
Examples:
  precis advise 3f2a
  precis advise 3f2a --window 200k --threshold 50k --threshold 100k
  precis advise 3f2a --json | jq -r .recommendation

It recommends what saves most money, re-reading included, among what keeps nine of ten names that later calls needed.
"precis replay" with a window of a quarter more than the threshold, and "--threshold 0.8", shows about the same request by
request.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
