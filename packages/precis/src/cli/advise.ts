import { type Command, InvalidArgumentError, Option } from 'commander'
import { openSummarizer } from '../compression/settings.ts'
import { LEAST_THRESHOLD, renderThreshold, strategyChoices } from '../configuration/choices.ts'
import { type Advice, adviseSession, TARGET_SHARE, type Trial } from '../replay/advice.ts'
import { measureSession, readRecordedSession } from '../replay/recorded-session.ts'
import { describeWaiting, renderMoney } from '../replay/replay.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import {
  type Page,
  renderCount,
  renderPlural,
  renderPreview,
  renderTable,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes, Failure } from './failure.ts'
import { parseWindow } from './options.ts'
import { addSummarizerOptions, type SummarizerFlags } from './read-configured.ts'
import { explainEmpty, renderCommand } from './replay.ts'
import { addJsonOption, addSessionArgument, withSession } from './session-argument.ts'

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
      'Replays a recorded session with a strategy at several thresholds, and says which would have saved how much money, and how much of what later calls needed would still have been there.',
    )
    .option(
      '-w, --window <tokens>',
      'context window (default: as the agent used it, else that of the model)',
      parseWindow,
    )
    .option(
      '--threshold <tokens>',
      'compress from this size on; may be given several times (default: up to four that the session passes)',
      collectThresholds,
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'try this strategy at every threshold; may be given several times (default: auto, which chooses among the others, as far down as it keeps enough)',
      ).argParser(collectStrategies),
    )
    .option('--model <id>', 'count and price for this model (default: the one recorded)')
  addSummarizerOptions(command)
  addJsonOption(command)
    .addHelpText('after', ADVISE_HELP)
    .action((name: string, flags: AdviseFlags) => advise(name, flags, terminal))
}

async function advise(name: string, flags: AdviseFlags, terminal: Terminal): Promise<void> {
  const { summarizer: summarizerName = 'digest', baseUrl, window, threshold } = flags
  const summarizer = await openSummarizer({ name: summarizerName, baseUrl })
  terminal.progress.show('reading', 0)
  await withSession(name, {}, terminal, async (session) => {
    const recorded = readRecordedSession(session)
    if (recorded.steps.length === 0)
      throw new Failure('no-requests', exitCodes.invalidInput, explainEmpty(name))
    terminal.progress.show('counting', 0)
    const measured = measureSession(recorded, flags.model)
    const advice = await adviseSession(measured, {
      strategies: flags.strategy?.flatMap((strategy) => strategyChoices[strategy] ?? []),
      summarizer,
      onProgress: (step, share) => terminal.progress.show(step, share),
      windowTokens: window,
      thresholdsTokens: threshold,
    })
    terminal.progress.clear()
    if (flags.json) terminal.printJson({ ...toAdviceJson(advice), ...toDamageJson(session) })
    else terminal.print(renderAdviceReport(advice, terminal))
  })
}

/** The object of `advise --json`; fields in docs/commands/advise.md. */
function toAdviceJson(advice: Advice): object {
  const {
    hasPrices,
    best,
    tooShort,
    trials,
    model,
    isPossibleWithout,
    isQuick: _,
    ...facts
  } = advice
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

function renderAdviceReport(advice: Advice, page: Page): string {
  const { session, model, requests, peakTokens, windowTokens, hasTimes, hasPrices } = advice
  const title = [session, model || 'an unnamed model']
    .map((text) => renderPreview(text, page.columns))
    .join('  ')
  const caveats = [
    'One session, with its recorded answers: it says what would have been sent and what would have been there, not how well the agent would have worked.',
    ...(advice.isQuick
      ? [
          'Only auto was tried, which takes the gentlest strategy that suffices; --strategy names others.',
        ]
      : []),
    'Kept: of the names that later calls needed, those that were still there with the words around them.',
    ...(advice.isPossibleWithout
      ? []
      : [
          'Doing nothing was not possible: “without” is what it would have cost in a window that never fills.',
        ]),
    ...(hasPrices
      ? []
      : ['The catalogue has no prices for this model: amounts are input tokens, cached or not.']),
    ...(hasTimes || !hasPrices
      ? []
      : ['The recording has no times: the cache is taken to be warm at every request.']),
  ]
  return [
    `${page.colors.bold(title)}\n${renderPlural(requests, 'request')}, the largest of ${renderPlural(peakTokens, 'token')}, in a window of ${renderCount(windowTokens)}.`,
    [
      page.colors.bold(renderRecommendation(advice)),
      ...(advice.best ? [renderSettings(advice.best, advice)] : []),
    ].join('\n'),
    ...(advice.trials.some(isShown) ? [renderTrials(advice, page)] : []),
    ...renderIdle(advice),
    page.colors.dim(caveats.join('\n')),
    ...(advice.best ? renderNext(advice.best, advice, page) : []),
  ].join('\n\n')
}

/** As the recommended trial does it at its threshold. */
function renderNext(best: Trial, { session }: Advice, { colors }: Page): string[] {
  const budget = String(Math.round(best.thresholdTokens * TARGET_SHARE))
  return renderCommand(
    'Now, as a new session:',
    ['compress', session, '--strategy', best.strategy, '--budget', budget],
    colors,
  )
}

function renderRecommendation(advice: Advice): string {
  const { best, tooShort, trials, moneyWithout } = advice
  const money = (value: number) =>
    `${renderMoney(value, advice)}${advice.hasPrices ? '' : ' input tokens'}`
  if (tooShort !== undefined) return `This session is too short to tell: ${tooShort}.`
  if (!best) {
    const [cheapest] = trials
    if (!advice.isPossibleWithout) return describeLeastBad(advice)
    if (!cheapest || cheapest.savedShare <= 0)
      return `Leave it alone: nothing that was tried costs less than the ${money(moneyWithout)} without.`
    return `Leave it alone, or look closer: what saves most (${describeTrial(cheapest)}, ${renderSaved(cheapest)}) keeps only ${renderKept(cheapest)} of what later calls needed.`
  }
  const kept =
    best.recall === undefined
      ? 'and no later call needed anything of what was removed'
      : `and kept ${renderKept(best)} of the ${renderPlural(best.needed, 'name')} that later calls needed`
  const paid = money(best.money + best.readAgainMoney)
  return `Use ${describeTrial(best)}: it would have cost ${paid} instead of ${money(moneyWithout)} (${renderSaved(best)} less), ${kept}.`
}

function renderSettings({ strategy, ...best }: Trial, { windowTokens }: Advice): string {
  const threshold = renderThreshold(findThreshold(best, windowTokens))
  return `In a chat: precis chat --strategy ${strategy} --threshold ${threshold}, or /strategy ${strategy} and /threshold ${threshold} in it; for all of them "strategy" and "threshold" in the configuration.`
}

/** As a share of the window: what a chat, a configuration and `createContext` take. */
function findThreshold(
  { thresholdTokens }: Pick<Trial, 'thresholdTokens'>,
  windowTokens: number,
): number {
  return Math.min(Math.max(thresholdTokens / windowTokens, LEAST_THRESHOLD), 1)
}

function describeLeastBad(advice: Advice): string {
  const tried = advice.trials.filter(isShown)
  const most = tried.toSorted((a, b) => (b.recall ?? 1) - (a.recall ?? 1))[0]
  const fact = 'Something has to go, because the largest request does not fit'
  if (!most) return `${fact}, and nothing that was tried took anything.`
  return `${fact}, but nothing that was tried saves money and keeps nine of ten names: ${describeTrial(most)} keeps most, ${renderKept(most)}, at ${renderMoney(most.money + most.readAgainMoney, advice)}${advice.hasPrices ? '' : ' input tokens'}.`
}

function describeTrial({ strategy, thresholdTokens }: Trial): string {
  return `${strategy} at ${renderCount(thresholdTokens)} tokens`
}

function renderSaved({ savedShare }: Trial): string {
  return `${Math.round(savedShare * 100)} %`
}

function renderKept({ recall }: Trial): string {
  return recall === undefined ? '–' : `${Math.floor(recall * 100)} %`
}

/** A strategy that never found anything to take says nothing about thresholds. */
function isShown({ compressions }: Trial): boolean {
  return compressions > 0
}

function renderIdle({ trials }: Advice): string[] {
  const [waiting, idle] = [true, false].map((waits) =>
    trials.filter((trial) => !isShown(trial) && trial.waited > 0 === waits),
  ) as [Trial[], Trial[]]
  const waited = waiting.map((trial) => `${describeTrial(trial)}: ${describeWaiting(trial)}.`)
  if (idle.length === 0) return waited
  const names = [...new Set(idle.map(({ strategy }) => strategy))]
  const tried = names.map((name) => {
    const thresholds = idle
      .filter(({ strategy }) => strategy === name)
      .map(({ thresholdTokens }) => thresholdTokens)
    return `${name} at ${thresholds
      .sort((a, b) => a - b)
      .map(renderCount)
      .join(' and ')}`
  })
  return [...waited, `Too little to take for ${tried.join('; ')}.`]
}

function renderTrials(advice: Advice, page: Page): string {
  const rows = advice.trials
    .filter(isShown)
    .map((trial) => [
      trial === advice.best ? '→' : '',
      trial.strategy,
      renderCount(trial.thresholdTokens),
      `${renderCount(trial.compressions)}${trial.failures > 0 ? ` (${renderCount(trial.failures)} in vain)` : ''}`,
      renderMoney(trial.money, advice),
      renderMoney(trial.readAgainMoney, advice),
      renderSaved(trial),
      renderKept(trial),
    ])
  const numbers = ['threshold', 'compressed', 'cost', 'read again', 'saved', 'kept'].map(right)
  return renderTable(['', { title: 'strategy', shrinkTo: 12 }, ...numbers], rows, page)
}
