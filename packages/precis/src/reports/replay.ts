/** A replay on a terminal, and as JSON. */
import { quoteForShell } from '../agents/shared/session-files.ts'
import {
  describeDoingNothing,
  describeReplay,
  describeWaiting,
  listApplied,
  listCaveats,
  listCells,
  listTotals,
  nameOutcome,
  type Replay,
  type ReplayedRequest,
  type ReplayRun,
  renderNeeded,
} from '../replay/replay.ts'
import { STANDARD_INPUT } from '../sessions/load-session.ts'
import {
  type Colors,
  neutralizeLine,
  type Page,
  renderCount,
  renderPlural,
  renderPreview,
  renderTable,
  right,
} from '../terminal/render.ts'

/** Tables one below the other. `isWhole` prints every request. */
export function renderReplayReport(replay: Replay, page: Page, isWhole: boolean): string {
  const [run] = replay.runs
  if (!run) return 'Nothing was recorded.'
  return [
    renderHeading(replay, run, page),
    renderCompressions(run, page),
    `${page.colors.bold('What the session costs')}\n${renderTotals(replay, page)}`,
    ...(isWhole
      ? [`${page.colors.bold('Request by request')}\n${renderRequests(replay, run, page)}`]
      : []),
    page.colors.dim(listCaveats(replay).join('\n')),
    ...renderNext(replay, run, page),
  ].join('\n\n')
}

/** The command that makes the session as small as the latest compression of the replay did. */
function renderNext(replay: Replay, run: ReplayRun, { colors }: Page): string[] {
  const { session, strategy, notInFileTokens } = replay
  const latest = listApplied(run).at(-1)
  // A budget counts what is in the file.
  const budget = latest ? latest.tokensAfter - notInFileTokens : 0
  if (budget <= 0) return []
  return renderCommand(
    'The same now, as a new session:',
    ['compress', session, '--strategy', strategy, '--budget', String(budget)],
    colors,
  )
}

/** A command of precis to copy. Empty for a session from a pipe. */
export function renderCommand(title: string, words: readonly string[], colors: Colors): string[] {
  if (words.includes(STANDARD_INPUT)) return []
  return [
    `${title}\n  ${colors.bold(`precis ${words.map((word) => quoteForShell(neutralizeLine(word))).join(' ')}`)}`,
  ]
}

function renderHeading(replay: Replay, run: ReplayRun, { columns, colors }: Page): string {
  const turns = run.requests.at(-1)?.turn ?? 0
  const title = [replay.session, replay.model || 'an unnamed model']
    .map((text) => renderPreview(text, columns))
    .join(' · ')
  return [
    colors.bold(title),
    `${renderPlural(run.requests.length, 'request')} in ${renderPlural(turns, 'turn')}. ${describeReplay(replay)}`,
    describeDoingNothing(replay, run),
  ].join('\n')
}

function renderCompressions(run: ReplayRun, page: Page): string {
  const { colors } = page
  const applied = listApplied(run)
  const isNeeded = applied.length > 0 || run.compressions.length > 0
  const title = colors.bold(
    isNeeded
      ? `Compressed ${renderPlural(applied.length, 'time')}`
      : 'Nothing had to be compressed',
  )
  const waiting = describeWaiting(run)
  if (run.compressions.length === 0) return waiting === undefined ? title : `${title}\n${waiting}.`
  const numbers = ['request', 'before', 'after', 'needed later', 'lost'].map(right)
  const rows = run.compressions.map((compression) => {
    const names = compression.missing.slice(0, 3).map((name) => renderPreview(name, 40))
    return [
      renderCount(compression.request),
      renderCount(compression.tokensBefore),
      renderCount(compression.tokensAfter),
      ...renderNeeded(compression),
      nameOutcome(compression) || names.join(', '),
    ]
  })
  return `${title}\n${renderTable([...numbers, { title: 'such as', shrinkTo: 12, style: colors.dim }], rows, page)}`
}

function renderTotals(replay: Replay, page: Page): string {
  const rows = listTotals(replay, {
    summaries: '  of it for summaries',
    readAgain: '  and to read lost text again',
  })
  return renderTable(
    [{ title: '', shrinkTo: 20 }, right('without'), right('with'), right('')],
    rows,
    page,
  )
}

function renderRequests(replay: Replay, run: ReplayRun, page: Page): string {
  const compressed = new Set(listApplied(run).map(({ request }) => request))
  const numbers = ['request', 'turn', 'tokens without', 'with', 'cost without', 'with'].map(right)
  const rows = run.requests.map((request) =>
    listCells(request, compressed.has(request.request), replay),
  )
  return renderTable([...numbers, ''], rows, page)
}

/** The object of `replay --json`. Its fields are in docs/commands/replay.md. */
export function toReplayJson(replay: Replay): object {
  const { runs, hasPrices, ...settings } = replay
  const firstTooLarge = runs[0]?.firstTooLarge ?? null
  return {
    ...settings,
    model: settings.model || null,
    unit: hasPrices ? 'dollars' : 'input-tokens',
    doingNothing: { possible: firstTooLarge === null, firstTooLarge },
    runs: runs.map(toRunJson),
  }
}

function toRunJson(run: ReplayRun): object {
  const { without, with: compressed, waited, needed, missing, compressions } = run
  return {
    cacheLifetimeSeconds: run.cacheLifetimeSeconds ?? null,
    without,
    with: compressed,
    saved: {
      money: without.money - compressed.money,
      share: without.money > 0 ? 1 - compressed.money / without.money : 0,
    },
    waited,
    needed,
    missing,
    firstRefused: run.firstRefused ?? null,
    compressions,
    requests: run.requests.map(toRequestJson),
  }
}

function toRequestJson({ time, secondsSinceLast, ...request }: ReplayedRequest): object {
  return { ...request, time: time ?? null, secondsSinceLast: secondsSinceLast ?? null }
}
