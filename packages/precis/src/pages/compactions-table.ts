/** The compactions that an agent made in a session, and what they left of each turn. */
import type { LostWords, SessionCompaction } from '../sessions/compactions.ts'
import { renderMeasured } from '../terminal/overview-cells.ts'
import { renderCount, renderDollars, renderDuration, renderPlural, renderTime } from '../terminal/render.ts'
import type { InspectedPage, SurvivingTurn } from './inspected-page.ts'
import { renderCell, renderExcerptLines, renderLine, renderPageTable, renderRowHead, shareBytes } from './page.ts'

const NONE = '–'
const MOST_NAMES = 5
const LONGEST_NAME = 160
const MOST_TURNS = 400
const LONGEST_REQUEST = 120
const SUMMARY_BYTES = { all: 200_000, least: 1000, most: 20_000 }

const TITLES = [
  '',
  'when',
  'asked for by',
  'waited',
  'tokens before',
  'after',
  'your words',
  'facts lost',
  'cost',
  'such as',
]

/** Nothing where there was none. */
export function renderCompactionsTable({ compactions }: Pick<InspectedPage, 'compactions'>): string {
  if (compactions.length === 0) return ''
  const rows = compactions.map((compaction, index) => [
    renderRowHead(String(index + 1)),
    ...listCells(compaction).map(renderCell),
    `<td class="names">${listNames(compaction)}</td>`,
  ])
  const excerptBytes = shareBytes(compactions.length, SUMMARY_BYTES)
  const summaries = compactions.map(({ summary }, index) =>
    summary === undefined
      ? ''
      : `<details><summary>The summary of compaction ${index + 1}</summary>${renderExcerptLines(summary, excerptBytes)}</details>`,
  )
  return `${renderPageTable('Each time the agent made its history shorter', TITLES, rows)}
<p class="hint">~ estimated; – not recorded. Your words: messages of yours that were there before. Facts: names, decisions and errors that nothing later had made stale. The cost is that of the request that wrote the summary, at list prices.</p>
${summaries.join('\n')}`
}

function listCells({
  time,
  trigger,
  by,
  durationMs,
  tokensBefore,
  tokensAfter,
  lost,
  cost,
}: SessionCompaction): string[] {
  const asked = trigger === 'manual' ? 'you' : trigger === 'automatic' ? 'the agent' : NONE
  return [
    time === undefined ? NONE : renderTime(time),
    by === 'precis' ? `${asked}; written by precis` : asked,
    renderMeasured(durationMs, renderDuration),
    renderMeasured(tokensBefore, renderCount),
    renderMeasured(tokensAfter, renderCount),
    lost ? describeWords(lost.words) : NONE,
    lost?.facts ? `${renderCount(lost.facts.lost)} of ${renderCount(lost.facts.total)}` : NONE,
    renderMeasured(cost?.dollars, renderDollars),
  ]
}

function describeWords({ total, verbatim, clipped, missing }: LostWords): string {
  if (total === 0) return 'none'
  if (verbatim === total) return `all ${renderCount(total)} word for word`
  const cut = clipped > 0 ? `, ${renderCount(clipped)} clipped` : ''
  return `${renderCount(missing)} of ${renderCount(total)} gone${cut}`
}

function listNames({ lost }: SessionCompaction): string {
  const names = lost?.facts?.weightiest.slice(0, MOST_NAMES) ?? []
  return names.map(({ text }) => renderLine(text, LONGEST_NAME)).join('<br>')
}

/** Nothing where there was no compaction. Of a long session the newest turns. */
export function renderSurvivors({ survivors }: Pick<InspectedPage, 'survivors'>): string {
  if (survivors.length === 0) return ''
  const whole = survivors.filter(({ words }) => words === 'word for word').length
  const shown = survivors.slice(-MOST_TURNS)
  const rest = survivors.length - shown.length
  return `<p class="lead">Of ${renderPlural(survivors.length, 'request')} of yours ${renderCount(whole)} stand word for word in the context as it is now.</p>
${renderPageTable('Turn by turn', ['turn', 'when', 'your words', 'messages left', 'request'], shown.map(listTurnCells))}
${rest > 0 ? `<p class="hint">${renderPlural(rest, 'older turn')} not shown.</p>` : ''}`
}

function listTurnCells({ turn, time, words, left, messages, request }: SurvivingTurn): string[] {
  return [
    renderRowHead(String(turn)),
    renderCell(time === undefined ? NONE : renderTime(time)),
    renderCell(words),
    renderCell(`${renderCount(left)} of ${renderCount(messages)}`),
    `<td class="names">${renderLine(request, LONGEST_REQUEST)}</td>`,
  ]
}
