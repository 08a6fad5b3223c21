/** What `--all` adds to `precis compress`. */
import { type Command, Option } from 'commander'
import type { Agent } from '../sessions/agent-home.ts'
import { createAgentOption } from './agent-option.ts'
import { wrongUsage } from './failure.ts'
import { parseAge } from './parse-age.ts'
import { createLimitParser } from './parse-limit.ts'
import { parseWindow } from './parse-window.ts'

export interface AllFlags {
  readonly all?: boolean
  readonly agent?: readonly Agent[]
  readonly olderThan?: Date
  readonly project?: string
  readonly largerThan?: number
  readonly jobs?: number
  readonly queue?: boolean
  readonly yes?: boolean
}

const MOST_JOBS = 256

export const DEFAULT_IDLE_MINUTES = 10
export const DEFAULT_LARGER_THAN_TOKENS = 10_000

export function addAllOptions(command: Command): Command {
  return command
    .option('--all', 'compress every session of every agent on this machine, each into a new one')
    .addOption(createAgentOption('with --all: only sessions of this agent'))
    .addOption(
      new Option(
        '--older-than <age>',
        `with --all: not touched since, as 12h, 7d, 2w or 2026-11-01 (default: ${DEFAULT_IDLE_MINUTES}m, as others may be in use)`,
      ).argParser((text) => parseAge(text)),
    )
    .option('--project <folder>', 'with --all: of this folder or one below it')
    .addOption(
      new Option(
        '--larger-than <tokens>',
        `with --all: of more text than this, as 50k (default: ${DEFAULT_LARGER_THAN_TOKENS})`,
      ).argParser(parseLargerThan),
    )
    .addOption(createJobsOption('with --all: '))
    .option('--queue', 'with --all: leave the work to "precis worker", by the PostgreSQL of --database')
    .option('-y, --yes', 'with --all: do not ask before hundreds of sessions are made')
}

/** How many processes compress at a time. */
export function createJobsOption(context = ''): Option {
  return new Option('--jobs <n>', `${context}how many at a time (default: the number of cores, less one)`).argParser(
    createLimitParser(MOST_JOBS),
  )
}

/** Also none at all. */
function parseLargerThan(text: string): number {
  return /^0+$/.test(text.trim()) ? 0 : parseWindow(text)
}

const ONLY_WITH_ALL = {
  agent: '--agent',
  olderThan: '--older-than',
  project: '--project',
  largerThan: '--larger-than',
  jobs: '--jobs',
  queue: '--queue',
  yes: '--yes',
} as const satisfies Partial<Record<keyof AllFlags, string>>

/** Whether all sessions are meant, not one. Throws `Failure` when nobody can say. */
export function isForAll(session: string | undefined, flags: AllFlags): boolean {
  if (flags.all && session !== undefined) {
    throw wrongUsage(`Give a session or --all, not both: "${session}" is one of them.`)
  }
  const [alone] = Object.entries(ONLY_WITH_ALL).filter(([name]) => flags[name as keyof AllFlags] !== undefined)
  if (!flags.all && alone) throw wrongUsage(`${alone[1]} says which sessions --all takes; give --all, or leave it out.`)
  return flags.all === true
}
