/** Advice for a session, on a terminal and as JSON. */
import { LEAST_THRESHOLD, renderThreshold } from '../configuration/choices.ts'
import type { Advice, AdviceTrial } from '../replay/advice.ts'
import { describeWaiting, renderMoney } from '../replay/replay.ts'
import {
  type Page,
  renderCount,
  renderPlural,
  renderPreview,
  renderTable,
  right,
} from '../terminal/render.ts'
import { renderCommand } from './replay.ts'

/** The object of `replay --advise --json`. Its fields are in docs/commands/replay.md. */
export function toAdviceJson(advice: Advice): object {
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

export function renderAdviceReport(advice: Advice, page: Page): string {
  const { session, model, requests, peakTokens, windowTokens, hasTimes, hasPrices } = advice
  const title = [session, model || 'an unnamed model']
    .map((text) => renderPreview(text, page.columns))
    .join(' · ')
  const caveats = [
    'One session, with its recorded answers. It shows what would have been sent and kept, but not how well the agent would have worked.',
    ...(advice.isQuick
      ? [
          'Only auto was tried, which uses the gentlest strategy that is enough. --strategy names others.',
        ]
      : []),
    'Kept: the names that later calls needed and that were still there, with the words around them.',
    ...(advice.isPossibleWithout
      ? []
      : ['Doing nothing was not possible: “without” is the cost in a window that never fills.']),
    ...(hasPrices
      ? []
      : ['The catalog has no prices for this model. Amounts are input tokens, cached or not.']),
    ...(hasTimes || !hasPrices
      ? []
      : ['The recording has no times, so every request counts as finding a warm cache.']),
  ]
  return [
    `${page.colors.bold(title)}\n${renderPlural(requests, 'request')}, the largest of ${renderPlural(peakTokens, 'token')}, in a window of ${renderCount(windowTokens)}.${advice.saves ? ' Compressed below the threshold too if that is expected to save money.' : ''}`,
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

// Leaves space for as much again.
const BUDGET_SHARE = 0.5

/** The command that makes room now as the recommended trial would at its threshold. */
function renderNext(best: AdviceTrial, { session }: Advice, { colors }: Page): string[] {
  const budget = String(Math.round(best.thresholdTokens * BUDGET_SHARE))
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
  if (tooShort !== undefined) return `This session is too short for advice: ${tooShort}.`
  if (!best) {
    const [cheapest] = trials
    if (!advice.isPossibleWithout) return describeLeastBad(advice)
    if (!cheapest)
      return `Leave it alone: it costs ${money(moneyWithout)}, and would be compressed too often to cost less.`
    if (cheapest.savedShare <= 0)
      return `Leave it alone: no trial costs less than the ${money(moneyWithout)} without.`
    return `Leave it alone, or look closer: the largest saving (${describeTrial(cheapest)}, ${renderSaved(cheapest)}) keeps only ${renderKept(cheapest)} of what later calls needed.`
  }
  const kept =
    best.recall === undefined
      ? 'and no later call needed anything of what was removed'
      : `and kept ${renderKept(best)} of the ${renderPlural(best.needed, 'name')} that later calls needed`
  const paid = money(best.money + best.readAgainMoney)
  return `Use ${describeTrial(best)}: it would have cost ${paid} instead of ${money(moneyWithout)} (${renderSaved(best)} less), ${kept}.`
}

function renderSettings({ strategy, ...best }: AdviceTrial, { windowTokens }: Advice): string {
  const threshold = renderThreshold(findThreshold(best, windowTokens))
  return `In a chat: precis chat --strategy ${strategy} --threshold ${threshold}, or /strategy ${strategy} and /threshold ${threshold} in the chat. For all chats, set "strategy" and "threshold" in the configuration.`
}

/** As a share of the window, the form for a chat, a configuration and `createContext`. */
function findThreshold(
  { thresholdTokens }: Pick<AdviceTrial, 'thresholdTokens'>,
  windowTokens: number,
): number {
  return Math.min(Math.max(thresholdTokens / windowTokens, LEAST_THRESHOLD), 1)
}

function describeLeastBad(advice: Advice): string {
  const tried = advice.trials.filter(isShown)
  const most = tried.toSorted((a, b) => (b.recall ?? 1) - (a.recall ?? 1))[0]
  const fact = 'Compression is needed, because the largest request does not fit'
  if (!most) return `${fact}, but no trial removed anything.`
  return `${fact}, but no trial saves money and keeps nine of ten names. ${describeTrial(most)} keeps most, ${renderKept(most)}, at ${renderMoney(most.money + most.readAgainMoney, advice)}${advice.hasPrices ? '' : ' input tokens'}.`
}

function describeTrial({ strategy, thresholdTokens }: AdviceTrial): string {
  return `${strategy} at ${renderCount(thresholdTokens)} tokens`
}

function renderSaved({ savedShare }: AdviceTrial): string {
  return `${Math.round(savedShare * 100)} %`
}

function renderKept({ recall }: AdviceTrial): string {
  return recall === undefined ? '–' : `${Math.floor(recall * 100)} %`
}

/** A strategy that never found anything to remove shows nothing about thresholds. */
function isShown({ compressions }: AdviceTrial): boolean {
  return compressions > 0
}

function renderIdle({ trials }: Advice): string[] {
  const [waiting, idle] = [true, false].map((waits) =>
    trials.filter((trial) => !isShown(trial) && trial.waited > 0 === waits),
  ) as [AdviceTrial[], AdviceTrial[]]
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
  return [...waited, `Too little to remove for ${tried.join(', ')}.`]
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
  const numbers = [
    right('threshold'),
    { ...right('compressed'), leaves: 2 },
    right('cost'),
    { ...right('read again'), leaves: 1 },
    right('saved'),
    right('kept'),
  ]
  return renderTable(['', { title: 'strategy', shrinkTo: 12 }, ...numbers], rows, page)
}
