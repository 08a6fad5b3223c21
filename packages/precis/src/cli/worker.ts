import type { Command } from 'commander'
import type { JobResult } from '../compression/job.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { isDatabaseAddress } from '../database/database.ts'
import { neutralizeLine, renderCount, renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes, wrongUsage } from './failure.ts'
import { createJobsOption } from './options.ts'
import { addJsonOption } from './session-argument.ts'

interface WorkerFlags {
  readonly database?: string
  readonly jobs?: number
  readonly drain?: boolean
  readonly verbose?: boolean
  readonly json?: boolean
}

export function defineWorker(command: Command, terminal: Terminal): void {
  command
    .description(
      'Compresses what "precis compress --all --queue" submits on any machine, until it is stopped. It reads and writes no sessions of this machine. Summaries by a model use the keys in its own environment.',
    )
    .option(
      '--database <url>',
      "the submitters' database, postgres://user@host/database (default: PRECIS_DATABASE, else the configuration)",
    )
    .addOption(createJobsOption())
    .option('--drain', 'exit when no job is left')
    .option('-v, --verbose', 'print a line for every session')
  addJsonOption(command)
    .addHelpText('after', WORKER_HELP)
    .action((flags: WorkerFlags) => work(flags, command.parent?.version() ?? '', terminal))
}

const NOTHING_DONE = {
  compressed: 0,
  skipped: 0,
  failed: 0,
  again: 0,
  givenBack: 0,
  savedTokens: 0,
}

async function work(flags: WorkerFlags, precis: string, terminal: Terminal): Promise<void> {
  const address = await findAddress(flags)
  const [{ runWorker }, { chooseJobs }] = await Promise.all([
    import('../queue/run-worker.ts'),
    import('../compression/pool.ts'),
  ])
  const jobs = chooseJobs(flags.jobs)
  const counts = { ...NOTHING_DONE }
  const running = new Set<string>()
  const draw = () => {
    const names = [...running].map((name) => neutralizeLine(name.slice(0, 24))).join(', ')
    terminal.progress.show(
      `${counts.compressed} compressed · ${names || 'waiting'}`,
      running.size / jobs,
    )
  }
  const listener = {
    onReady(place: string) {
      terminal.note(`precis: ${renderPlural(jobs, 'session')} at the same time, from ${place}.`)
      draw()
    },
    onStart(name: string) {
      running.add(name)
      draw()
    },
    onEnd(name: string, result: JobResult, isAgain: boolean) {
      running.delete(name)
      counts[isAgain ? 'again' : result.type]++
      if (result.type === 'compressed')
        counts.savedTokens += result.report.before.tokens - result.report.after.tokens
      // A failure is printed here too, because this machine may be the one that lacks something.
      if (flags.verbose || result.type === 'failed') terminal.note(renderEnd(name, result, isAgain))
      draw()
    },
    onRelease(name: string) {
      running.delete(name)
      counts.givenBack++
    },
    onAway(isAway: boolean) {
      terminal.note(
        isAway
          ? 'precis: the database does not answer. Waiting for it.'
          : 'precis: the database is back.',
      )
    },
  }
  const end = endOnSignals(terminal)
  const { stop, abandon } = end
  const isDraining = flags.drain === true
  const configure = ({ name }: { readonly name: string }) => readConfigured({ summarizer: name })
  await runWorker({ address, jobs, isDraining, precis, configure, stop, abandon }, listener)
  terminal.progress.clear()
  if (flags.json) terminal.printJson(counts)
  else terminal.print(renderCounts(counts))
  process.exitCode = end.readExitCode()
}

async function findAddress({ database }: WorkerFlags): Promise<string> {
  const { archive } = await readConfigured({ database })
  const address = archive?.database
  if (address !== undefined && isDatabaseAddress(address)) return address
  const found = address === undefined ? 'no database is named' : `"${address}" is a file`
  throw wrongUsage(
    `A worker needs the submitters' PostgreSQL: ${found}. Give --database postgres://user@host/database.`,
  )
}

function renderEnd(name: string, result: JobResult, isAgain: boolean): string {
  const shown = neutralizeLine(name)
  switch (result.type) {
    case 'compressed': {
      const { before, after } = result.report
      return `compressed  ${shown}  ${renderCount(before.tokens)} → ${renderCount(after.tokens)} tokens`
    }
    case 'skipped':
      return `skipped     ${shown}  ${result.reason}`
    case 'failed':
      return `failed      ${shown}  ${neutralizeLine(result.message)}${isAgain ? ' (it will be tried again)' : ''}`
  }
}

function renderCounts({
  compressed,
  skipped,
  failed,
  again,
  givenBack,
  savedTokens,
}: typeof NOTHING_DONE): string {
  const others = [
    [skipped, 'skipped'],
    [failed, 'failed'],
    [again, 'left to another attempt'],
    [givenBack, 'given back'],
  ] as const
  const rest = others.flatMap(([count, words]) =>
    count > 0 ? [`, ${renderCount(count)} ${words}`] : [],
  )
  return `${renderPlural(compressed, 'session')} compressed, ${renderCount(savedTokens)} tokens saved${rest.join('')}.`
}

const GRACE_MS = 20_000

/**
 * After the first signal, takes no more work. After the second signal, or after twenty seconds,
 * returns unfinished work to the queue.
 */
function endOnSignals(terminal: Terminal) {
  const stop = new AbortController()
  const abandon = new AbortController()
  let exitCode: number = exitCodes.done
  const end = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) return abandon.abort()
    if (signal === 'SIGINT') exitCode = exitCodes.interrupted
    stop.abort()
    setTimeout(() => abandon.abort(), GRACE_MS).unref()
    terminal.note(
      'precis: finishing the jobs in progress. A second signal returns them immediately.',
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Listeners of other commands would end the process immediately.
    process.removeAllListeners(signal)
    process.on(signal, () => end(signal))
  }
  return { stop: stop.signal, abandon: abandon.signal, readExitCode: () => exitCode }
}

const WORKER_HELP = `
Examples:
  precis worker --database postgres://precis@db.example.org/precis
  precis worker --jobs 4 --drain                    with PRECIS_DATABASE set; ends when all is done

After Ctrl-C or SIGTERM it finishes open sessions, and a second signal stops immediately. Other workers get the rest. They also get the sessions of a killed worker, half a minute later.

Exit codes: 0 done or stopped by SIGTERM, 1 failed, 2 wrong usage, 130 interrupted with Ctrl-C.
`
