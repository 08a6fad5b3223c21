import { canImport } from '@precis/core/formats'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import type { DestinationOptions } from '../compression/destination.ts'
import { DEFAULT_IDLE_MINUTES } from '../compression/select-sessions.ts'
import type { SettingFlags } from '../compression/settings.ts'
import { type KeptEnds, strategyChoices } from '../configuration/choices.ts'
import { wrongUsage } from './failure.ts'
import {
  addArchiveOption,
  addKeepOption,
  addSummarizerOptions,
  addWindowOption,
  checkBudget,
  createAgentOption,
  createAgentParser,
  createJobsOption,
  createModelOption,
  parseAge,
  parseWindow,
  type SummarizerFlags,
} from './options.ts'
import { createFormatOption, type FormatFlags } from './session-argument.ts'

export interface CompressFlags
  extends SummarizerFlags,
    DatabaseFlags,
    AllFlags,
    FormatFlags,
    DestinationOptions,
    SettingFlags {
  readonly budget?: string
  readonly strategy?: string
  readonly keep?: KeptEnds
  readonly interactive?: boolean
  readonly to?: Agent
  readonly archive: boolean
  readonly preview?: boolean
  readonly verbose?: boolean
}

interface AllFlags {
  readonly all?: boolean
  readonly agent?: readonly Agent[]
  readonly olderThan?: Date
  readonly project?: string
  readonly jobs?: number
  readonly queue?: boolean
  readonly yes?: boolean
}

export const DEFAULT_LARGER_THAN_TOKENS = 10_000

/** The agents that can continue a session of another one. */
const targets = agents.filter(({ format }) => canImport(format))

export function addCompressOptions(command: Command): Command {
  command
    .option(
      '-b, --budget <tokens|N%|model>',
      'largest size of the result: 8000, 8k, a share of the conversation\'s tokens, or "model", the size of a model\'s summary (default: 50%, or what --window leaves)',
      checkBudget,
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'which parts are removed ("auto", the default, uses the gentlest strategy that is enough)',
      ).choices(Object.keys(strategyChoices)),
    )
  addWindowOption(addKeepOption(command))
  addSummarizerOptions(command)
    .option('--instructions <text>', 'what the summary must keep')
    .option(
      '--pin <text>',
      'keep this text verbatim in this and every later compression (repeatable)',
      addPin,
    )
    .addOption(
      new Option(
        '--unpin <text>',
        'remove this pin from the session, given its full text (repeatable)',
      )
        .argParser(addPin)
        .conflicts('all'),
    )
    .option(
      '--keep-path <path|glob>',
      'keep what was read and written of these files verbatim, if it fits the budget (repeatable)',
      collect,
    )
    .addOption(
      new Option('--keep-turn <n>', 'keep this turn verbatim, if it fits the budget (repeatable)')
        .argParser(collectTurns)
        .conflicts('all'),
    )
    .addOption(
      new Option(
        '--interactive',
        'choose turns, files and tools from a list, on a terminal',
      ).conflicts(['all', 'json']),
    )
    .option(
      '--drop-tool <name>',
      'remove calls and results of this tool first (repeatable)',
      collect,
    )
    .addOption(createModelOption('the model that will read the result, for token counts'))
    .addOption(
      new Option('--to <agent>', 'write a session of this agent instead, which continues the work')
        .choices(targets.map(({ name }) => name))
        .argParser(createAgentParser(targets))
        .conflicts('all'),
    )
    .addOption(createFormatOption().conflicts('all'))
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'only report what would be done: call no model, write nothing')
    .addOption(
      new Option(
        '--preview',
        'print the summary with its ledger and write nothing (calls the model of --summarizer if named)',
      ).conflicts(['all', 'dryRun', 'out']),
    )
    .option(
      '-v, --verbose',
      'report every step and attempt, and what happened to each kind of fact',
    )
  return addArchiveOption(command)
    .option(
      '--all',
      'compress every session of every agent on this machine, each into a new session',
    )
    .addOption(createAgentOption('with --all: only sessions of this agent'))
    .option(
      '--older-than <age>',
      `with --all: only sessions unchanged since 12h, 7d, 2w or 2026-11-01 (default: ${DEFAULT_IDLE_MINUTES}m, as newer ones may be in use)`,
      (text) => parseAge(text),
    )
    .option('--project <folder>', 'with --all: only sessions of this folder and its subfolders')
    .option(
      '--larger-than <tokens>',
      `with --all: only sessions with more tokens, such as 50k (default: ${DEFAULT_LARGER_THAN_TOKENS})`,
      parseLargerThan,
    )
    .addOption(createJobsOption('with --all: '))
    .option(
      '--queue',
      'with --all: let "precis worker" do the work, through the PostgreSQL of --database',
    )
    .option('-y, --yes', 'with --all: do not ask before compressing hundreds of sessions')
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Give a text that is not empty.')
  return [...before, text.trim()]
}

function collectTurns(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError('Give the number of a turn, from 1.')
  return [...before, Number(text)]
}

function addPin(text: string, before: readonly string[] = []): readonly string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Give the text of the pin.')
  return [...before, text]
}

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
} as const satisfies Partial<Record<keyof CompressFlags, string>>

/**
 * Whether all sessions are meant instead of one. Throws `Failure` if the flags do not decide it.
 */
export function isForAll(session: string | undefined, flags: CompressFlags): boolean {
  if (flags.all && session !== undefined) {
    throw wrongUsage(`Give a session or --all, not both: "${session}" is one of them.`)
  }
  const [alone] = Object.entries(ONLY_WITH_ALL).filter(
    ([name]) => flags[name as keyof CompressFlags] !== undefined,
  )
  if (!flags.all && alone)
    throw wrongUsage(`${alone[1]} selects sessions for --all. Add --all, or leave it out.`)
  return flags.all === true
}
