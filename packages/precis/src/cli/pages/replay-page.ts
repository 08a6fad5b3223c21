import { redactSecrets } from '@precis/core/secrets'
import type { Replay, ReplayedCompression, ReplayedRequest, ReplayRun } from '../../evaluation/replay/replay.ts'
import { renderCount, renderPlural } from '../../terminal/render.ts'
import {
  describeDoingNothing,
  describeLifetime,
  describeOutcome,
  describeReplay,
  describeRequest,
  listApplied,
  listCaveats,
  renderChange,
  renderMoney,
  renderNeeded,
} from '../describe-replay.ts'
import { escapeHtml } from './escape-html.ts'
import { renderLine } from './excerpt.ts'
import { renderPage, renderPageRows, renderPageTable } from './page.ts'
import { renderMoneyPicture, renderTokenPicture } from './replay-picture.ts'

/** What compressing would have done to a session, as one page without script or network. */
export function renderReplayPage(replay: Replay): string {
  const [run] = replay.runs
  const name = replay.session.slice(replay.session.lastIndexOf('/') + 1)
  const body = run ? renderBody(replay, run, name) : '<h1>Nothing was recorded</h1>'
  return renderPage(`precis replay ${name}`, body)
}

function renderBody(replay: Replay, run: ReplayRun, name: string): string {
  const turns = run.requests.at(-1)?.turn ?? 0
  return `<h1>${renderLine(name, LONGEST_NAME)}</h1>
<p class="lead">${renderPlural(run.requests.length, 'request')} in ${renderPlural(turns, 'turn')}, ${renderLine(replay.model || 'an unnamed model', LONGEST_NAME)}. ${escapeHtml(describeReplay(replay))}</p>
<p class="verdict">${escapeHtml(describeVerdict(replay, run))}</p>
<p>${escapeHtml(describeDoingNothing(replay, run))}</p>
<p class="legend"><span class="baseline">without compression</span> · <span class="strategy">with</span> · <span class="mark">compressed here</span></p>
<div class="pictures">
<figure><figcaption>Tokens of each request</figcaption>${renderTokenPicture(replay, run)}</figure>
<figure><figcaption>${replay.hasPrices ? `Paid so far, ${escapeHtml(describeLifetime(run.cacheLifetimeSeconds))}` : 'Input tokens so far'}</figcaption>${renderMoneyPicture(replay, run)}</figure>
</div>
${renderTotals(replay)}
${renderCompressions(run)}
<ul class="caveats">${listCaveats(replay)
    .map((caveat) => `<li>${renderLine(caveat, LONGEST_CAVEAT)}</li>`)
    .join('')}</ul>
<details><summary>Request by request</summary>
${renderRequests(replay, run)}
</details>`
}

function describeVerdict(replay: Replay, run: ReplayRun): string {
  const applied = listApplied(run).length
  if (applied === 0 && run.compressions.length > 0) return 'Nothing could be compressed: the cost is the same.'
  if (applied === 0) return 'Nothing had to be compressed: the cost is the same.'
  const lifetime = replay.runs.length > 1 ? ` with a ${describeLifetime(run.cacheLifetimeSeconds)}` : ''
  const change = renderChange(run.without.money, run.with.money)
  const amounts = `${renderMoney(run.with.money, replay)} instead of ${renderMoney(run.without.money, replay)} (${change})${lifetime}`
  return `Compressed ${renderPlural(applied, 'time')}: ${amounts}${replay.hasPrices ? '' : ', in input tokens'}.`
}

function renderTotals(replay: Replay): string {
  const money = (value: number) => renderMoney(value, replay)
  const row = (title: string, ...values: readonly string[]) => [renderHead(title), ...values.map(renderCell)]
  const compared = (title: string, without: number, now: number, render: (value: number) => string) =>
    row(title, render(without), render(now), renderChange(without, now))
  const [first] = replay.runs
  const rows = first
    ? [
        compared('prompt tokens', first.without.promptTokens, first.with.promptTokens, renderCount),
        compared('of them from the cache', first.without.cachedTokens, first.with.cachedTokens, renderCount),
      ]
    : []
  for (const run of replay.runs) {
    const title = replay.hasPrices ? describeLifetime(run.cacheLifetimeSeconds) : 'input tokens'
    rows.push(compared(title, run.without.money, run.with.money, money))
    const { readAgainMoney, summaryMoney } = run.with
    if (summaryMoney > 0) rows.push(row('of it for summaries', '', money(summaryMoney), ''))
    if (readAgainMoney > 0) rows.push(row('reading again what was lost', '', money(readAgainMoney), ''))
  }
  return renderPageTable('What the session costs', ['', 'without', 'with', 'change'], rows)
}

function renderCompressions(run: ReplayRun): string {
  if (run.compressions.length === 0) return ''
  const head = ['request', 'before', 'after', 'needed later', 'lost', 'such as']
  const rows = run.compressions.map((compression) => [
    renderHead(renderCount(compression.request)),
    renderCell(renderCount(compression.tokensBefore)),
    renderCell(renderCount(compression.tokensAfter)),
    ...renderNeeded(compression).map(renderCell),
    `<td class="names">${escapeHtml(listNames(compression))}</td>`,
  ])
  return renderPageTable('Compressions', head, rows)
}

const MOST_NAMES = 3
const LONGEST_NAME = 80
const LONGEST_CAVEAT = 1000

function listNames(compression: ReplayedCompression): string {
  const { missing } = compression
  const names = missing
    .slice(0, MOST_NAMES)
    .map((name) => redactSecrets(name))
    .map((name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name))
  const rest = missing.length - names.length
  return describeOutcome(compression) || `${names.join(', ')}${rest > 0 ? ` and ${renderCount(rest)} more` : ''}`
}

function renderRequests(replay: Replay, run: ReplayRun): string {
  const compressed = new Set(listApplied(run).map(({ request }) => request))
  const head = ['request', 'turn', 'tokens without', 'with', 'cost without', 'with', '']
  const rows = run.requests.map((request) => renderRequest(replay, request, compressed.has(request.request)))
  return renderPageRows('Tokens and cost', head, rows)
}

function renderRequest(replay: Replay, request: ReplayedRequest, isCompressed: boolean): string {
  const { turn, tokens, tokensWithout, money, moneyWithout } = request
  const cells = [
    renderCount(turn),
    renderCount(tokensWithout),
    renderCount(tokens),
    renderMoney(moneyWithout, replay),
    renderMoney(money, replay),
    describeRequest(request, isCompressed),
  ]
  const open = isCompressed ? '<tr class="compressed">' : '<tr>'
  return `${open}${renderHead(renderCount(request.request))}${cells.map(renderCell).join('')}</tr>`
}

function renderHead(text: string): string {
  return `<th scope="row">${escapeHtml(text)}</th>`
}

function renderCell(text: string): string {
  return `<td>${escapeHtml(text)}</td>`
}
