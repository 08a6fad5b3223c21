/** A compaction in words, for the terminal and for pages. */

import type { SessionCompaction } from '../sessions/compactions.ts'
import type { Measured } from '../sessions/overview.ts'
import { renderCount, renderDollars, renderDuration, renderPreview, renderTime } from './render.ts'

export const NONE = '–'

export const COMPACTION_TITLES = [
  'when',
  'made by',
  'waited',
  'tokens before',
  'after',
  'your messages',
  'facts',
  'cost',
] as const

export const NAMES_TITLE = 'gone, such as'

export const LEGEND = [
  '~ estimated, – not known.',
  'Your messages: all in the history that it replaced. Shortened: only the beginning is left.',
  'Facts: paths, names, commands, decisions and errors that nothing later made stale.',
  'Cost: of the request that wrote the summary, at list prices.',
]

/** Without the lines about columns that a narrow table left out. */
export function listLegend(table: string): string[] {
  const [heading = ''] = table.split('\n')
  const isLeftOut = (title: string) => TITLES.has(title) && !heading.includes(title)
  return LEGEND.filter((line) => !isLeftOut(line.split(':', 1).join().toLowerCase()))
}

const TITLES: ReadonlySet<string> = new Set(COMPACTION_TITLES)

export interface ShownCompaction
  extends Omit<SessionCompaction, 'record' | 'lastRecord' | 'summary' | 'request' | 'time'> {
  /** A number is milliseconds since 1970. */
  readonly time: Date | number | undefined
}

const WRITERS = { agent: 'agent', verified: 'agent + precis', precis: 'precis' } as const

/** In the order of the titles. */
export function listCompactionCells(compaction: ShownCompaction): string[] {
  const { time, by, trigger, durationMs, tokensBefore, tokensAfter, lost, cost } = compaction
  const { words, facts } = lost ?? {}
  return [
    time === undefined ? NONE : renderTime(new Date(time)),
    `${WRITERS[by]}${trigger === 'manual' ? ', you asked' : ''}`,
    renderMeasured(durationMs, renderDuration),
    renderMeasured(tokensBefore, renderCount),
    renderMeasured(tokensAfter, renderCount),
    words ? renderLost(words.total, words.missing, words.clipped) : NONE,
    facts ? renderLost(facts.total, facts.lost) : NONE,
    renderMeasured(cost?.dollars, renderDollars),
  ]
}

const SENTENCE_COLUMNS = 220

/** `“Never touch config.json.” (turn 3)`, the most important first. */
export const listLostSentences = ({ lost }: Pick<ShownCompaction, 'lost'>): string[] =>
  lost?.words.sentences.map(
    ({ text, turn }) =>
      `“${renderPreview(text, SENTENCE_COLUMNS)}”${turn === undefined ? '' : ` (turn ${renderCount(turn)})`}`,
  ) ?? []

/** All but when and who, in a line: `waited ~52 s · tokens before 155,241 · …` */
export function describeCompaction(compaction: ShownCompaction): string {
  return listCompactionCells(compaction)
    .flatMap((cell, index) =>
      index < 2 || cell === NONE ? [] : [`${COMPACTION_TITLES[index]} ${cell}`],
    )
    .join(' · ')
}

/** `3 of 17 gone, 6 shortened`, `6 of 17 shortened`, `all 17 kept` */
function renderLost(total: number, gone: number, shortened = 0): string {
  if (total === 0) return 'none'
  const lost = gone > 0 ? [`${renderCount(gone)} of ${renderCount(total)} gone`] : []
  if (shortened > 0)
    lost.push(`${renderCount(shortened)}${gone > 0 ? '' : ` of ${renderCount(total)}`} shortened`)
  return lost.join(', ') || `all ${renderCount(total)} kept`
}

/** `~52 s` if it is estimated, a dash if it is unknown. */
export const renderMeasured = (
  measured: Measured | undefined,
  render: (value: number) => string,
): string => (measured ? `${measured.isEstimated ? '~' : ''}${render(measured.value)}` : NONE)

/** Names that a summary left out, most important first. Empty if unknown. */
export const listLostNames = ({ lost }: Pick<ShownCompaction, 'lost'>, most: number): string[] =>
  lost?.facts?.weightiest.slice(0, most).map(({ text }) => text) ?? []

/** One compaction in `--json`. What is unknown is null. */
export function toCompactionJson(compaction: ShownCompaction): object {
  const { time, by, trigger, durationMs, tokensBefore, tokensAfter, lost, cost } = compaction
  return {
    time: time === undefined ? null : new Date(time).toISOString(),
    by,
    trigger: trigger ?? null,
    durationMs: durationMs ?? null,
    tokensBefore: tokensBefore ?? null,
    tokensAfter: tokensAfter ?? null,
    lost: lost ? { words: lost.words, facts: lost.facts ?? null } : null,
    cost: cost ? { dollars: cost.dollars, coldDollars: cost.coldDollars ?? null } : null,
  }
}
