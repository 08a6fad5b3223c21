import type { Replay, ReplayRun } from '../evaluation/replay/replay.ts'
import { type Colors, type Column, renderCount, renderPlural, renderTable } from '../terminal/render.ts'
import { renderPreview } from '../terminal/terminal-text.ts'
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
} from './describe-replay.ts'

interface Page {
  readonly columns: number
  readonly colors: Colors
}

/** Tables one below the other; `isWhole` prints every request. */
export function renderReplayReport(replay: Replay, page: Page, isWhole: boolean): string {
  const [run] = replay.runs
  if (!run) return 'Nothing was recorded.'
  return [
    renderHeading(replay, run, page),
    renderCompressions(run, page),
    `${page.colors.bold('What the session costs')}\n${renderTotals(replay, page)}`,
    ...(isWhole ? [`${page.colors.bold('Request by request')}\n${renderRequests(replay, run, page)}`] : []),
    page.colors.dim(listCaveats(replay).join('\n')),
  ].join('\n\n')
}

function renderHeading(replay: Replay, run: ReplayRun, { columns, colors }: Page): string {
  const turns = run.requests.at(-1)?.turn ?? 0
  const title = [replay.session, replay.model || 'an unnamed model']
    .map((text) => renderPreview(text, columns))
    .join('  ')
  return [
    colors.bold(title),
    `${renderPlural(run.requests.length, 'request')} in ${renderPlural(turns, 'turn')}. ${describeReplay(replay)}`,
    describeDoingNothing(replay, run),
  ].join('\n')
}

const RIGHT = { align: 'right' } as const

function renderCompressions(run: ReplayRun, { columns, colors }: Page): string {
  const applied = listApplied(run)
  const isNeeded = applied.length > 0 || run.compressions.length > 0
  const title = colors.bold(
    isNeeded ? `Compressed ${renderPlural(applied.length, 'time')}` : 'Nothing had to be compressed',
  )
  if (run.compressions.length === 0) return title
  const table = renderTable(
    {
      columns: [
        { title: 'request', ...RIGHT },
        { title: 'before', ...RIGHT },
        { title: 'after', ...RIGHT },
        { title: 'needed later', ...RIGHT },
        { title: 'lost', ...RIGHT },
        { title: 'such as', shrinkTo: 12, style: colors.dim },
      ],
      rows: run.compressions.map((compression) => [
        renderCount(compression.request),
        renderCount(compression.tokensBefore),
        renderCount(compression.tokensAfter),
        ...renderNeeded(compression),
        describeOutcome(compression) ||
          compression.missing
            .slice(0, 3)
            .map((name) => renderPreview(name, 40))
            .join(', '),
      ]),
    },
    columns,
    colors,
  )
  return `${title}\n${table}`
}

function renderTotals(replay: Replay, { columns, colors }: Page): string {
  const names: Column[] = [
    { title: '' },
    { title: 'without', ...RIGHT },
    { title: 'with', ...RIGHT },
    { title: '', ...RIGHT },
  ]
  const [first] = replay.runs
  const rows: string[][] = []
  const add = (title: string, without: number, now: number, render: (value: number) => string) =>
    rows.push([title, render(without), render(now), renderChange(without, now)])
  if (first) {
    add('prompt tokens', first.without.promptTokens, first.with.promptTokens, renderCount)
    add('of them from the cache', first.without.cachedTokens, first.with.cachedTokens, renderCount)
  }
  const money = (value: number) => renderMoney(value, replay)
  for (const run of replay.runs) {
    const title = replay.hasPrices ? describeLifetime(run.cacheLifetimeSeconds) : 'input tokens'
    add(title, run.without.money, run.with.money, money)
    const { readAgainMoney, summaryMoney } = run.with
    if (summaryMoney > 0) rows.push(['  of it for summaries', '', money(summaryMoney), ''])
    if (readAgainMoney > 0) rows.push(['  and to read again what was lost', '', money(readAgainMoney), ''])
  }
  return renderTable({ columns: names, rows }, columns, colors)
}

function renderRequests(replay: Replay, run: ReplayRun, { columns, colors }: Page): string {
  const compressed = new Set(listApplied(run).map(({ request }) => request))
  return renderTable(
    {
      columns: [
        { title: 'request', ...RIGHT },
        { title: 'turn', ...RIGHT },
        { title: 'tokens without', ...RIGHT },
        { title: 'with', ...RIGHT },
        { title: 'cost without', ...RIGHT },
        { title: 'with', ...RIGHT },
        { title: '' },
      ],
      rows: run.requests.map((request) => [
        renderCount(request.request),
        renderCount(request.turn),
        renderCount(request.tokensWithout),
        renderCount(request.tokens),
        renderMoney(request.moneyWithout, replay),
        renderMoney(request.money, replay),
        describeRequest(request, compressed.has(request.request)),
      ]),
    },
    columns,
    colors,
  )
}
