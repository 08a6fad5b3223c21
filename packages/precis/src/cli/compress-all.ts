import { renderTitle } from '../compression/destination.ts'
import {
  type BatchOptions,
  type BatchOutcome,
  compressManySessions,
  releaseLocks,
  removeStaleLocks,
} from '../compression/many-sessions.ts'
import { chooseJobs, createPool, type Pool } from '../compression/pool.ts'
import { findArchive } from '../compression/ports.ts'
import {
  DEFAULT_IDLE_MINUTES,
  openJournal,
  type SessionCandidate,
  type SessionSelection,
  selectSessions,
} from '../compression/select-sessions.ts'
import { type CompressionSettings, openSummarizer, toSettings } from '../compression/settings.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { isDatabaseAddress } from '../database/database.ts'
import {
  type BatchReport,
  createListener,
  renderBatch,
  renderQuestion,
  toBatchJson,
} from '../reports/batch.ts'
import { filterSessions } from '../sessions/filter-sessions.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { askLine, type Terminal } from '../terminal/terminal.ts'
import { type CompressFlags, DEFAULT_LARGER_THAN_TOKENS } from './compress-options.ts'
import { exitCodes, wrongUsage } from './failure.ts'

/** `precis` is the version, for workers on other machines. */
export async function compressAll(
  flags: CompressFlags,
  precis: string,
  terminal: Terminal,
): Promise<void> {
  const startedAt = performance.now()
  if (flags.out !== undefined)
    throw wrongUsage('--all places each result where its agent finds it. Leave out --out.')
  const configuration = await readConfigured(flags)
  const queueAddress = flags.queue ? findQueueAddress(configuration, flags) : undefined
  if (flags.to !== undefined)
    throw wrongUsage('--all keeps every session with its own agent. Leave out --to.')
  // A missing key or folder is reported only once, not for every session.
  if (!flags.queue && !flags.dryRun) await openSummarizer(configuration.summarizer)
  const settings = toSettings(configuration, {
    ...flags,
    largerThan: flags.largerThan ?? DEFAULT_LARGER_THAN_TOKENS,
  })
  removeStaleLocks()
  const selection = await select(configuration, flags, settings, terminal)
  const { candidates } = selection
  const outcomes: BatchOutcome[] = []
  const createReport = (): BatchReport => ({
    outcomes: [...listSettled(selection), ...outcomes],
    isDryRun: flags.dryRun === true,
    waiting: candidates.length - outcomes.length,
    durationMs: performance.now() - startedAt,
  })
  if (candidates.length > 0) {
    if (!(await isConfirmed(candidates, flags, terminal))) {
      terminal.note('precis: nothing was done.')
      return
    }
    const listener = createListener(candidates, outcomes, flags, terminal)
    const stop = () => printReport(createReport(), flags, terminal)
    const pool = await openPool(candidates, flags, { address: queueAddress, precis }, terminal)
    const end = () => {
      pool.kill()
      releaseLocks()
    }
    const shared = queueAddress === undefined ? shareCalls(settings, pool.jobs) : settings
    const options = toBatchOptions(configuration, shared, flags)
    try {
      await whileInterruptible({ stop, end }, () =>
        compressManySessions(candidates, options, pool, listener),
      )
    } finally {
      await pool.close()
    }
    terminal.progress.clear()
  }
  const report = { ...createReport(), waiting: 0 }
  printReport(report, flags, terminal)
  if (report.outcomes.some(({ result }) => result.type === 'failed'))
    process.exitCode = exitCodes.failed
}

// Parallel calls to a provider, of all processes together.
const CALLS_IN_FLIGHT = 10

/** The processes share the calls that the provider allows. */
function shareCalls(settings: CompressionSettings, jobs: number): CompressionSettings {
  const { summarizer } = settings
  const maxInFlight = Math.ceil((summarizer.maxInFlight ?? CALLS_IN_FLIGHT) / jobs)
  return { ...settings, summarizer: { ...summarizer, maxInFlight } }
}

function toBatchOptions(
  { archive }: Configuration,
  settings: CompressionSettings,
  flags: CompressFlags,
): BatchOptions {
  const isDryRun = flags.dryRun === true
  const place = flags.archive && !isDryRun ? findArchive(archive) : undefined
  return {
    settings,
    isDryRun,
    // A server that restarts is back by then.
    archive: place && { ...place, attempts: 20 },
    createTitle: ({ session }) => renderTitle(session.firstPrompt),
  }
}

const MINUTE_MS = 60_000

async function select(
  { archive }: Configuration,
  flags: CompressFlags,
  settings: CompressionSettings,
  terminal: Terminal,
): Promise<SessionSelection> {
  const { agent: agents, olderThan, project } = flags
  const all = listSessionFiles()
  const journal = await openJournal(archive?.database)
  try {
    return await selectSessions(filterSessions(all, { agents, olderThan, project }), {
      settings,
      idleSince: olderThan ?? new Date(Date.now() - DEFAULT_IDLE_MINUTES * MINUTE_MS),
      journal,
      all,
      onProgress: (done, total) =>
        terminal.progress.show(`reading ${done} of ${total} sessions`, done / total),
    })
  } finally {
    terminal.progress.clear()
    await journal.close()
  }
}

/** The sessions that need no process. */
function listSettled({ skipped, failed }: SessionSelection): BatchOutcome[] {
  return [
    ...skipped.map(
      ({ session, ...why }) =>
        ({ session, result: { type: 'skipped', ...why }, problems: [] }) as const,
    ),
    ...failed.map(({ session, failure }) => ({ session, result: failure, problems: [] })),
  ]
}

/** A user is asked. A script uses flags instead. */
async function isConfirmed(
  candidates: readonly SessionCandidate[],
  flags: CompressFlags,
  terminal: Terminal,
) {
  const isAsked =
    !flags.yes && !flags.dryRun && !flags.json && process.stdin.isTTY && process.stderr.isTTY
  if (!isAsked) return true
  terminal.progress.clear()
  return /^\s*y(es)?\s*$/i.test(await askLine(renderQuestion(candidates)))
}

/** Processes on this machine or, with a queue, on others. */
async function openPool(
  candidates: readonly SessionCandidate[],
  { jobs }: CompressFlags,
  { address, precis }: { readonly address: string | undefined; readonly precis: string },
  terminal: Terminal,
): Promise<Pool> {
  if (address === undefined) return createPool(Math.min(chooseJobs(jobs), candidates.length))
  const { openQueuePool } = await import('../queue/open-queue-pool.ts')
  return await openQueuePool({ address, precis, jobs: candidates.length }, (text) =>
    terminal.note(`precis: ${text}`),
  )
}

function findQueueAddress({ archive }: Configuration, { dryRun }: CompressFlags): string {
  if (dryRun)
    throw wrongUsage('A dry run compresses on this machine and writes nothing. Leave out --queue.')
  const address = archive?.database
  if (address !== undefined && isDatabaseAddress(address)) return address
  throw wrongUsage(
    "--queue needs PostgreSQL. Give the workers' database: --database postgres://user@host/database.",
  )
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * After an interruption, still reports what is done. In every case, no process and no lock is left.
 */
async function whileInterruptible(
  { stop, end }: { readonly stop: () => void; readonly end: () => void },
  work: () => Promise<void>,
): Promise<void> {
  // Runs before the listener that ends this process.
  for (const signal of SIGNALS) process.prependListener(signal, stop)
  process.on('exit', end)
  try {
    await work()
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
    process.off('exit', end)
  }
}

function printReport(
  report: BatchReport,
  { json, verbose }: CompressFlags,
  terminal: Terminal,
): void {
  terminal.progress.clear()
  if (json) terminal.printJson(toBatchJson(report))
  else terminal.print(renderBatch(report, verbose === true, terminal))
}
