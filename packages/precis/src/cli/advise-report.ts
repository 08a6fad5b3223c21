import { LEAST_THRESHOLD, renderThreshold } from '../configuration/threshold.ts'
import type { Advice, Trial } from '../evaluation/replay/advice.ts'
import { type Colors, renderCount, renderPlural, renderTable } from '../terminal/render.ts'
import { renderPreview } from '../terminal/terminal-text.ts'
import { renderMoney } from './describe-replay.ts'

interface Page {
  readonly columns: number
  readonly colors: Colors
}

export function renderAdviceReport(advice: Advice, page: Page): string {
  const { session, model, requests, peakTokens, windowTokens, hasTimes, hasPrices } = advice
  const title = [session, model || 'an unnamed model'].map((text) => renderPreview(text, page.columns)).join('  ')
  const caveats = [
    'One session, with its recorded answers: it says what would have been sent and what would have been there, not how well the agent would have worked.',
    'Kept: of the names that later calls needed, those that were still there with the words around them.',
    ...(advice.isPossibleWithout
      ? []
      : ['Doing nothing was not possible: “without” is what it would have cost in a window that never fills.']),
    ...(hasPrices ? [] : ['The catalogue has no prices for this model: amounts are input tokens, cached or not.']),
    ...(hasTimes || !hasPrices ? [] : ['The recording has no times: the cache is taken to be warm at every request.']),
  ]
  return [
    `${page.colors.bold(title)}\n${renderPlural(requests, 'request')}, the largest of ${renderPlural(peakTokens, 'token')}, in a window of ${renderCount(windowTokens)}.`,
    [page.colors.bold(renderRecommendation(advice)), ...renderSettings(advice)].join('\n'),
    ...(advice.trials.some(isShown) ? [renderTrials(advice, page)] : []),
    ...renderIdle(advice),
    page.colors.dim(caveats.join('\n')),
  ].join('\n\n')
}

/** One sentence with its numbers. */
export function renderRecommendation(advice: Advice): string {
  const { best, tooShort, trials, moneyWithout } = advice
  const money = (value: number) => `${renderMoney(value, advice)}${advice.hasPrices ? '' : ' input tokens'}`
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

/** How to set what is recommended. */
function renderSettings({ best, windowTokens }: Advice): string[] {
  if (!best) return []
  const threshold = renderThreshold(findThreshold(best, windowTokens))
  return [
    `In a chat: precis chat --strategy ${best.strategy} --threshold ${threshold}, or /strategy ${best.strategy} and /threshold ${threshold} in it; for all of them "strategy" and "threshold" in the configuration.`,
  ]
}

/** As a share of the window: what a chat, a configuration and `createContext` take. */
export function findThreshold({ thresholdTokens }: Trial, windowTokens: number): number {
  return Math.min(Math.max(thresholdTokens / windowTokens, LEAST_THRESHOLD), 1)
}

/** Something has to go, and nothing that was tried is good. */
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
  const idle = trials.filter((trial) => !isShown(trial))
  if (idle.length === 0) return []
  const thresholds = (name: string) =>
    idle.filter(({ strategy }) => strategy === name).map(({ thresholdTokens }) => thresholdTokens)
  const names = [...new Set(idle.map(({ strategy }) => strategy))]
  const said = names.map(
    (name) =>
      `${name} at ${thresholds(name)
        .toSorted((a, b) => a - b)
        .map(renderCount)
        .join(' and ')}`,
  )
  return [`Too little to take for ${said.join('; ')}.`]
}

const RIGHT = { align: 'right' } as const

function renderTrials(advice: Advice, { columns, colors }: Page): string {
  const { best } = advice
  return renderTable(
    {
      columns: [
        { title: '' },
        { title: 'strategy', shrinkTo: 12 },
        { title: 'threshold', ...RIGHT },
        { title: 'compressed', ...RIGHT },
        { title: 'cost', ...RIGHT },
        { title: 'read again', ...RIGHT },
        { title: 'saved', ...RIGHT },
        { title: 'kept', ...RIGHT },
      ],
      rows: advice.trials
        .filter(isShown)
        .map((trial) => [
          trial === best ? '→' : '',
          trial.strategy,
          renderCount(trial.thresholdTokens),
          `${renderCount(trial.compressions)}${trial.failures > 0 ? ` (${renderCount(trial.failures)} in vain)` : ''}`,
          renderMoney(trial.money, advice),
          renderMoney(trial.readAgainMoney, advice),
          renderSaved(trial),
          renderKept(trial),
        ]),
    },
    columns,
    colors,
  )
}
