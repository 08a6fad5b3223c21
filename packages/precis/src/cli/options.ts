import { spends } from '@precis/core/context'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { BUDGET_HELP, type Budget, readBudget } from '../compression/settings.ts'
import {
  KEEP_HELP,
  type KeptEnds,
  LIMIT_HELP,
  readKeep,
  readLimit,
  readThreshold,
  THRESHOLD_HELP,
} from '../configuration/choices.ts'
import { SUMMARIZER_NAMES } from '../language-models/summarizer-name.ts'

export function parseBudget(text: string): Budget {
  return readBudget(text) ?? refuse(BUDGET_HELP)
}

function refuse(help: string): never {
  throw new InvalidArgumentError(help)
}

/** Returns the text itself if it is valid. */
export function checkBudget(text: string): string {
  parseBudget(text)
  return text
}

export function parseLimit(text: string): number {
  return readLimit(text) ?? refuse(LIMIT_HELP)
}

export function parseThreshold(text: string): number {
  return readThreshold(text) ?? refuse(THRESHOLD_HELP)
}

/** Repeated options add up. */
function parseKeep(text: string, before: KeptEnds = {}): KeptEnds {
  return { ...before, ...(readKeep(text) ?? refuse(KEEP_HELP)) }
}

export const createSpendOption = (): Option =>
  new Option(
    '--spend <plan>',
    'what a long history may cost: "least" compresses early and to little, "most-context" as late as the window allows (default: "balanced")',
  ).choices(spends)

export function addKeepOption(command: Command): Command {
  return command.option(
    '--keep <[head:|tail:]amount>',
    'keep this much verbatim at the end, or with head: at the start: 20%, 5k tokens, "20 messages", 3turns (for strategies that keep both ends)',
    parseKeep,
  )
}

/** For commands whose result its agent continues. */
export function addWindowOption(command: Command): Command {
  return command.option(
    '-w, --window <tokens>',
    'the whole request must fit this many tokens, including the system prompt and tools if the session records their size',
    parseWindow,
  )
}

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
const AGE = /^(\d{1,6}(?:\.\d{1,3})?)\s?([mhdw])$/i
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/i

/**
 * The time that `90m`, `12h`, `7d` or `2w` ago was, or the time of a date. A date by itself means
 * its local midnight.
 */
export function parseAge(text: string, now = new Date()): Date {
  const trimmed = text.trim()
  const [, count, unit = ''] = AGE.exec(trimmed) ?? []
  if (count !== undefined)
    return new Date(now.getTime() - Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0))
  const [, year, month, day] = DATE.exec(trimmed) ?? []
  // JavaScript reads a date by itself as midnight in UTC, and June 31 as July 1.
  const date = new Date(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'))
  const lastDay = new Date(Number(year), Number(month), 0).getDate()
  if (day !== undefined && Number(day) <= lastDay && !Number.isNaN(date.getTime())) return date
  return refuse('Give an age such as 30m, 12h, 7d or 2w, or a date such as 2026-11-01.')
}

/** Reads a whole number from `least` to `most`. */
export function createLimitParser(most: number, least = 1): (text: string) => number {
  return (text) => {
    const limit = /^\d{1,9}$/.test(text) ? Number(text) : -1
    return limit >= least && limit <= most
      ? limit
      : refuse(`Give a whole number from ${least} to ${most}.`)
  }
}

/** `50000` or `50k`. */
export function parseWindow(text: string): number {
  // A share has its sign. Everything else is read like tokens.
  const budget = /\d\s?[km]?$/i.test(text.trim()) ? parseBudget(text) : undefined
  return budget?.type === 'tokens' ? budget.tokens : refuse('Give tokens, as 50000 or 50k.')
}

/** The model that a command counts for. An empty text, as of an unset variable, names none. */
export function createModelOption(meaning: string): Option {
  return new Option('--model <id>', `${meaning} (default: the recorded model)`).argParser((text) =>
    text.trim() === '' ? refuse('Give the id of a model, as claude-opus-4-8.') : text.trim(),
  )
}

const MOST_JOBS = 256

/** How many processes compress in parallel. */
export function createJobsOption(context = ''): Option {
  const meaning = `${context}how many at the same time (default: the number of cores minus one)`
  return new Option('--jobs <n>', meaning).argParser(createLimitParser(MOST_JOBS))
}

/** The names for options and arguments, except the short ones. */
export function listAgentNames(): string[] {
  return agents.map(({ name }) => name)
}

/** In any case, including short names. Throws `InvalidArgumentError` for commander. */
export const createAgentParser =
  (among: readonly Agent[]) =>
  (text: string): Agent => {
    const given = text.toLowerCase()
    const agent = among.find(({ name, aliases = [] }) => name === given || aliases.includes(given))
    return agent ?? refuse(`Give one of ${among.map(({ name }) => name).join(', ')}.`)
  }

export const parseAgentName = createAgentParser(agents)

/** The agents whose sessions are meant. All if the option is missing. */
export function createAgentOption(meaning = 'only sessions of this agent'): Option {
  return new Option(
    '--agent <name>',
    `${meaning}, repeatable: ${listAgentNames().join(', ')}`,
  ).argParser(collectAgents)
}

export function collectAgents(text: string, before: readonly Agent[] = []): readonly Agent[] {
  return [...before, parseAgentName(text)]
}

/** The summarizer of a command, which overrides the configuration. */
export interface SummarizerFlags {
  readonly summarizer?: string
  readonly baseUrl?: string
}

export function addSummarizerOptions(command: Command): Command {
  return command
    .option(
      '--summarizer <name>',
      `what writes summaries: "digest" (default), which needs no model, an installed agent with its own login, or a model: ${SUMMARIZER_NAMES.join(', ')}`,
    )
    .option('--base-url <url>', 'address of the server that runs the model of --summarizer')
}

/** For every command that reads or writes the archive. */
export function addDatabaseOption(command: Command): Command {
  return command.option(
    '--database <file|url>',
    'the archive: a file, or postgres://user@host/database (default: archive.db in your data folder)',
  )
}

/** For every command that writes a new session. */
export function addArchiveOption(command: Command): Command {
  return addDatabaseOption(
    command.option('--no-archive', 'do not keep the original in the archive'),
  )
}
