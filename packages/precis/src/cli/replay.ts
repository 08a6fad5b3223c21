import { type Command, Option } from 'commander'
import { quoteForShell } from '../agents/ground/session-files.ts'
import { openSummarizer } from '../compression/settings.ts'
import { strategyChoices } from '../configuration/choices.ts'
import { renderReplayPage } from '../pages/replay-page.ts'
import {
  type MeasuredSession,
  measureSession,
  readRecordedSession,
} from '../replay/recorded-session.ts'
import {
  describeDoingNothing,
  describeOutcome,
  describeReplay,
  describeWaiting,
  listApplied,
  listCaveats,
  listCells,
  listTotals,
  type Replay,
  type ReplayedRequest,
  type ReplayRun,
  renderNeeded,
} from '../replay/replay.ts'
import { type ReplayOptions, replaySession } from '../replay/replay-session.ts'
import { STANDARD_INPUT, toDamageJson } from '../sessions/load-session.ts'
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
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { parseThreshold, parseWindow } from './options.ts'
import { addPageOptions, type PageFlags, printViews, refuseSessionFile } from './page-options.ts'
import { addSummarizerOptions, type SummarizerFlags } from './read-configured.ts'
import { addJsonOption, addSessionArgument, withSession } from './session-argument.ts'

interface ReplayFlags extends SummarizerFlags, PageFlags {
  readonly window?: number
  readonly reserve?: number
  readonly threshold?: number
  readonly save?: boolean
  readonly strategy: string
  readonly model?: string
  readonly all?: boolean
}

export function defineReplay(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Runs a recorded session through the live context, request by request, with the recorded answers as the model: when it would have been compressed, what each request would have cost with and without, and what later requests needed and no longer had.',
    )
    .option(
      '-w, --window <tokens>',
      'context window to fit into (default: as the agent used it, else that of the model)',
      parseWindow,
    )
    .option(
      '--reserve <tokens>',
      'kept free for the answer (default: the largest recorded answer, at most a fifth of the window)',
      parseWindow,
    )
    .option(
      '--threshold <share>',
      'share of the window from which on it compresses, 0.8 or 80% (default: 0.8; later while the cache is warm and it fits)',
      parseThreshold,
    )
    .option('--save', 'compress below the threshold too, where that is expected to save money')
    .addOption(
      new Option('-s, --strategy <name>', 'how to compress')
        .choices(Object.keys(strategyChoices))
        .default('auto'),
    )
    .option('--model <id>', 'count and price for this model (default: the one recorded)')
    .option('-a, --all', 'print every request')
  addSummarizerOptions(command)
  addJsonOption(addPageOptions(command, 'tokens and cost as charts'))
    .addHelpText('after', REPLAY_HELP)
    .action((name: string, flags: ReplayFlags) => replay(name, flags, terminal))
}

async function replay(name: string, flags: ReplayFlags, terminal: Terminal): Promise<void> {
  const { html, all = false } = flags
  const options = await readOptions(flags)
  terminal.progress.show('reading', 0)
  await withSession(name, {}, terminal, async (session) => {
    if (html !== undefined) refuseSessionFile(session, html)
    const recorded = readRecordedSession(session)
    if (recorded.steps.length === 0)
      throw new Failure('no-requests', exitCodes.invalidInput, explainEmpty(name))
    terminal.progress.show('counting', 0.05)
    const measured = measureSession(recorded, flags.model)
    checkReserve(flags, measured)
    const onProgress = (share: number) => terminal.progress.show('replaying', 0.1 + 0.9 * share)
    const replayed = await replaySession(measured, { ...options, onProgress })
    const views = {
      page: () => renderReplayPage(replayed),
      json: () => ({ ...toReplayJson(replayed), ...toDamageJson(session) }),
      print: () => terminal.print(renderReplayReport(replayed, terminal, all)),
    }
    await printViews(views, flags, terminal)
  })
}

async function readOptions({
  summarizer = 'digest',
  baseUrl,
  ...flags
}: ReplayFlags): Promise<ReplayOptions> {
  const strategy = strategyChoices[flags.strategy]
  if (!strategy) throw new Error(`There is no strategy "${flags.strategy}".`)
  return {
    strategy,
    // Not from the configuration: a replay is the same for all users, and no model is paid unasked.
    summarizer: await openSummarizer({ name: summarizer, baseUrl }),
    windowTokens: flags.window,
    reserveTokens: flags.reserve,
    threshold: flags.threshold,
    save: flags.save,
  }
}

function checkReserve({ reserve = 0, window }: ReplayFlags, measured: MeasuredSession): void {
  const windowTokens = window ?? measured.windowTokens
  if (reserve < windowTokens) return
  throw wrongUsage(
    `--reserve ${reserve} leaves no room for the prompt in a window of ${windowTokens} tokens.`,
  )
}

export function explainEmpty(name: string): string {
  return `Replaying "${name}": it has no answer of a model, so there is no request to replay. "precis sessions" lists what is there.`
}

const REPLAY_HELP = `
Examples:
  precis replay 3f2a --window 50k
  precis replay 3f2a --window 200k --strategy middle-out --html replay.html
  precis replay 3f2a --save
  precis replay 3f2a --window 50k --json | jq '.runs[] | {cacheLifetimeSeconds, saved}'

Money is at list prices, with the provider's cache: what was sent before within its lifetime is read from it, the rest is
written to it. Answers cost the same both ways. docs/commands/replay.md says what every number is.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or without answers, 130 interrupted.
`

/** Tables one below the other; `isWhole` prints every request. */
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

/** The command that does now what the replay did first. */
function renderNext(replay: Replay, run: ReplayRun, { colors }: Page): string[] {
  const { session, strategy, windowTokens } = replay
  if (listApplied(run).length === 0) return []
  return renderCommand(
    'The same now, as a new session:',
    ['compress', session, '--strategy', strategy, '--window', String(windowTokens)],
    colors,
  )
}

/** A command of precis to copy; none for a session that came in by a pipe. */
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
    .join('  ')
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
      describeOutcome(compression) || names.join(', '),
    ]
  })
  return `${title}\n${renderTable([...numbers, { title: 'such as', shrinkTo: 12, style: colors.dim }], rows, page)}`
}

function renderTotals(replay: Replay, page: Page): string {
  const rows = listTotals(replay, {
    summaries: '  of it for summaries',
    readAgain: '  and to read again what was lost',
  })
  return renderTable(['', right('without'), right('with'), right('')], rows, page)
}

function renderRequests(replay: Replay, run: ReplayRun, page: Page): string {
  const compressed = new Set(listApplied(run).map(({ request }) => request))
  const numbers = ['request', 'turn', 'tokens without', 'with', 'cost without', 'with'].map(right)
  const rows = run.requests.map((request) =>
    listCells(request, compressed.has(request.request), replay),
  )
  return renderTable([...numbers, ''], rows, page)
}

/** The object of `replay --json`; fields in docs/commands/replay.md. */
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
