/** `precis compress --all`. */
import { openJournal } from '../batch/journal.ts'
import { chooseJobs, createPool } from '../batch/pool.ts'
import { type BatchListener, type BatchOptions, type BatchOutcome, runBatch } from '../batch/run-batch.ts'
import { type Candidate, type Selection, selectSessions } from '../batch/select-sessions.ts'
import { releaseLocks, removeStaleLocks } from '../batch/session-lock.ts'
import type { BatchSettings } from '../batch/settings.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { isDatabaseAddress } from '../database/database-address.ts'
import { filterSessions } from '../sessions/filter-sessions.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { renderCount } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { cutToWidth } from '../terminal/terminal-text.ts'
import { DEFAULT_IDLE_MINUTES, DEFAULT_LARGER_THAN_TOKENS } from './all-options.ts'
import { toBatchSettings } from './batch-settings.ts'
import { type BatchReport, renderBatch, renderOutcome, renderQuestion, toBatchJson } from './compress-all-report.ts'
import type { CompressFlags } from './compress-options.ts'
import { renderTitle } from './destination.ts'
import { exitCodes } from './exit-codes.ts'
import { wrongUsage } from './failure.ts'
import { askLine } from './interactive.ts'
import { findQuotaBytes } from './keep-original.ts'
import { readConfigured } from './read-configured.ts'
import { openSummarizer } from './summarizer-option.ts'

/** `precis` is the version, for those that do the work elsewhere. */
export async function compressAll(flags: CompressFlags, precis: string, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  if (flags.out !== undefined) throw wrongUsage('--all puts each result where its agent finds it; it takes no --out.')
  const configuration = await readConfigured(flags)
  const queueAddress = flags.queue ? findQueueAddress(configuration, flags) : undefined
  if (flags.to !== undefined) throw wrongUsage('--all keeps every session with its own agent; it takes no --to.')
  // A missing key or folder is told once, not for every session.
  if (!flags.queue && !flags.dryRun) await openSummarizer(configuration.summarizer)
  const settings = toBatchSettings(configuration, flags, flags.largerThan ?? DEFAULT_LARGER_THAN_TOKENS)
  removeStaleLocks()
  const selection = await select(configuration, flags, settings, terminal)
  const outcomes: BatchOutcome[] = []
  const createReport = (isInterrupted: boolean): BatchReport => ({
    outcomes: [...listSettled(selection), ...outcomes],
    isDryRun: flags.dryRun === true,
    waiting: isInterrupted ? selection.candidates.length - outcomes.length : 0,
    durationMs: performance.now() - startedAt,
  })
  if (selection.candidates.length > 0) {
    if (!(await isConfirmed(selection.candidates, flags, terminal))) {
      terminal.note('precis: nothing was done.')
      return
    }
    const listener = createListener(selection.candidates, outcomes, flags, terminal)
    const options = toBatchOptions(configuration, settings, flags)
    const stop = () => printReport(createReport(true), flags, terminal)
    if (queueAddress !== undefined) {
      await compressElsewhere(selection, options, { address: queueAddress, precis }, listener, stop, terminal)
    } else await compressHere(selection, options, flags, listener, stop)
    terminal.progress.clear()
  }
  const report = createReport(false)
  printReport(report, flags, terminal)
  if (report.outcomes.some(({ result }) => result.type === 'failed')) process.exitCode = exitCodes.failed
}

// What a provider is asked at the same time, by all processes together.
const CALLS_IN_FLIGHT = 10

/** The processes share what the provider takes. */
function shareCalls(settings: BatchSettings, jobs: number): BatchSettings {
  const { summarizer } = settings
  const maxInFlight = Math.ceil((summarizer.maxInFlight ?? CALLS_IN_FLIGHT) / jobs)
  return { ...settings, summarizer: { ...summarizer, maxInFlight } }
}

function toBatchOptions({ archive }: Configuration, settings: BatchSettings, flags: CompressFlags): BatchOptions {
  const isDryRun = flags.dryRun === true
  const isKept = flags.archive && archive?.enabled !== false && !isDryRun
  return {
    settings,
    isDryRun,
    archive: isKept ? { place: archive?.database, quotaBytes: findQuotaBytes(archive) } : undefined,
    createTitle: ({ session }) => renderTitle(session.firstPrompt),
  }
}

const MINUTE_MS = 60_000

async function select(
  { archive }: Configuration,
  flags: CompressFlags,
  settings: BatchSettings,
  terminal: Terminal,
): Promise<Selection> {
  const { agent: agents, olderThan, project } = flags
  const all = listSessionFiles()
  const journal = await openJournal(archive?.database)
  try {
    return await selectSessions(filterSessions(all, { agents, olderThan, project }), {
      settings,
      idleSince: olderThan ?? new Date(Date.now() - DEFAULT_IDLE_MINUTES * MINUTE_MS),
      journal,
      all,
      onProgress: (done, total) => terminal.progress.show(`looking at ${done} of ${total} sessions`, done / total),
    })
  } finally {
    terminal.progress.clear()
    await journal.close()
  }
}

/** What needs no process. */
function listSettled({ skipped, failed }: Selection): BatchOutcome[] {
  return [
    ...skipped.map(({ session, ...why }) => ({ session, result: { type: 'skipped', ...why }, problems: [] }) as const),
    ...failed.map(({ session, failure }) => ({ session, result: failure, problems: [] })),
  ]
}

/** A person is asked; a script has said what it wants. */
async function isConfirmed(candidates: readonly Candidate[], flags: CompressFlags, terminal: Terminal) {
  const isAsked = !flags.yes && !flags.dryRun && !flags.json && process.stdin.isTTY && process.stderr.isTTY
  if (!isAsked) return true
  terminal.progress.clear()
  return /^\s*y(es)?\s*$/i.test(await askLine(renderQuestion(candidates)))
}

/** Prints what is done as it is done. */
function createListener(
  candidates: readonly Candidate[],
  outcomes: BatchOutcome[],
  { verbose, json }: CompressFlags,
  terminal: Terminal,
): BatchListener {
  const running = new Set<string>()
  const totalBytes = candidates.reduce((sum, { bytes }) => sum + bytes, 0)
  const bytesByPath = new Map(candidates.map(({ session, bytes }) => [session.path, bytes]))
  let doneBytes = 0
  let savedTokens = 0
  const draw = () => {
    const names = [...running].map((id) => id.slice(0, 8)).join(', ')
    const counts = `${outcomes.length} of ${candidates.length}`
    const text = `${counts} · ${renderCount(savedTokens)} tokens saved${names && ` · ${names}`}`
    terminal.progress.show(
      cutToWidth(text, Math.max(terminal.columns - PROGRESS_BAR_COLUMNS, 20)),
      doneBytes / totalBytes,
    )
  }
  return {
    onStart({ session }) {
      running.add(session.id)
      draw()
    },
    onOutcome(outcome) {
      const { session, result } = outcome
      outcomes.push(outcome)
      running.delete(session.id)
      doneBytes += bytesByPath.get(session.path) ?? 0
      if (result.type === 'compressed') savedTokens += result.report.before.tokens - result.report.after.tokens
      if (verbose && !json) {
        terminal.progress.clear()
        terminal.print(renderOutcome(outcome))
      }
      draw()
    },
  }
}

const PROGRESS_BAR_COLUMNS = 26

async function compressHere(
  { candidates }: Selection,
  options: BatchOptions,
  { jobs }: CompressFlags,
  listener: BatchListener,
  stop: () => void,
): Promise<void> {
  const pool = createPool(Math.min(chooseJobs(jobs), candidates.length))
  const settings = shareCalls(options.settings, pool.jobs)
  const end = () => {
    pool.kill()
    releaseLocks()
  }
  await whileInterruptible({ stop, end }, () => runBatch(candidates, { ...options, settings }, pool, listener))
  await pool.close()
}

async function compressElsewhere(
  { candidates }: Selection,
  options: BatchOptions,
  where: { readonly address: string; readonly precis: string },
  listener: BatchListener,
  stop: () => void,
  terminal: Terminal,
): Promise<void> {
  const { submitBatch } = await import('../queue/submit-batch.ts')
  const onNote = (text: string) => terminal.note(`precis: ${text}`)
  await whileInterruptible({ stop, end: releaseLocks }, () =>
    submitBatch(candidates, options, where, { ...listener, onNote }),
  )
}

function findQueueAddress({ archive }: Configuration, { dryRun }: CompressFlags): string {
  if (dryRun) throw wrongUsage('A dry run compresses here and writes nothing; it takes no --queue.')
  const address = archive?.database
  if (address !== undefined && isDatabaseAddress(address)) return address
  throw wrongUsage(
    '--queue goes through PostgreSQL. Give --database postgres://user@host/database, as the workers have it.',
  )
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** When it is interrupted, what is done is told. At every end no process and no lock is left. */
async function whileInterruptible(
  { stop, end }: { readonly stop: () => void; readonly end: () => void },
  work: () => Promise<void>,
): Promise<void> {
  // Before the listener that ends this process.
  for (const signal of SIGNALS) process.prependListener(signal, stop)
  process.on('exit', end)
  try {
    await work()
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    process.off('exit', end)
  }
}

function printReport(report: BatchReport, { json, verbose }: CompressFlags, terminal: Terminal): void {
  terminal.progress.clear()
  if (json) terminal.printJson(toBatchJson(report))
  else terminal.print(renderBatch(report, verbose === true, terminal))
}
