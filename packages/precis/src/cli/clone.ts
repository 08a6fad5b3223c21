import { setImmediate } from 'node:timers/promises'
import type { Strategy, Summarizer } from '@precis/core'
import { type Band, DEFAULT_MIN_TOKENS } from '@precis/core/strategies'
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type CloneSettings,
  cloneSession,
  createSteps,
  type ToolSetting,
} from '../compression/clone-session.ts'
import type { DestinationOptions } from '../compression/destination.ts'
import { openSummarizer } from '../compression/settings.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { parseSummarizerName } from '../language-models/providers.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { locateGone } from './archived-session.ts'
import { type CloneResult, renderCloneReport, toCloneJson } from './clone-report.ts'
import { createPorts, printWritten } from './compress-report.ts'
import { addWindowOption } from './options.ts'
import {
  addArchiveOption,
  addSummarizerOptions,
  type DatabaseFlags,
  readConfigured,
  type SummarizerFlags,
} from './read-configured.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
  withSession,
} from './session-argument.ts'

interface CloneFlags
  extends SettingFlags,
    SummarizerFlags,
    DatabaseFlags,
    FormatFlags,
    DestinationOptions {
  readonly instructions?: string
  readonly model?: string
  readonly window?: number
  readonly archive: boolean
  readonly verbose?: boolean
}

interface SettingFlags {
  readonly profile?: string
  readonly band?: readonly Band[]
  readonly tools?: ToolSetting
  readonly reasoning?: number
  readonly includeUser?: boolean
  readonly minTokens?: number
}

export function defineClone(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Makes a copy of a session in which older turns take less room: calls and results of tools are cleared, reasoning is dropped, answers are said in fewer words, each in its own part of the turns. The original is never touched.\n\n' +
        'Parts are in percent of the turns, oldest first. Without any of them the clone is an exact copy under a new id. Where the result goes is as with "precis compress".',
    )
    .option(
      '--band <start-end:level>',
      'answers in this part are said in fewer words: heavy (10 %), standard (35 %) or a share as 0.3; may be given several times',
      parseBand,
    )
    .option(
      '--tools <mode:percent>',
      'calls of tools in the oldest turns: remove, truncate or mask',
      parseTools,
    )
    .option(
      '--reasoning <percent>',
      'reasoning in the oldest turns goes, never that of the newest answer',
      parsePercent,
    )
    .option(
      '--include-user',
      'what the person said is shortened in bands too, never their last request',
    )
    .addOption(
      new Option('--min-tokens <tokens>', 'shorter texts stay as they are')
        .argParser(parseTokens)
        .default(DEFAULT_MIN_TOKENS, String(DEFAULT_MIN_TOKENS)),
    )
    .addOption(
      new Option(
        '--profile <name>',
        `tools and reasoning at once: ${Object.keys(profiles).join(', ')}`,
      ).choices(Object.keys(profiles)),
    )
  addWindowOption(addSummarizerOptions(command))
    .option('--instructions <text>', 'what the shorter texts have to keep above all')
    .option(
      '--model <id>',
      'the model that will read the result; tokens are counted for it (default: the one recorded)',
    )
    .addOption(createFormatOption())
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option(
      '-n, --dry-run',
      'report what would be done; no summarizer is asked and nothing is written',
    )
    .option('-v, --verbose', 'report the lineage too, and what was counted')
  addArchiveOption(command)
  addJsonOption(command)
    .addHelpText('after', CLONE_HELP)
    .action((name: string, flags: CloneFlags) => clone(name, flags, terminal))
}

async function clone(name: string, flags: CloneFlags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  const settings = readSettings(flags)
  const steps = createSteps(settings)
  const configuration = await readConfigured(flags)
  const summarizer = await findSummarizer(steps, flags, configuration)
  terminal.progress.show('reading', 0.05)
  await withSession(name, { format: flags.format }, terminal, async (session) => {
    // Reading a large session holds the process; an interruption gets through here.
    await setImmediate()
    const { instructions, model, window: windowTokens, json, verbose = false } = flags
    const cloned = await cloneSession(
      session,
      { settings, steps, instructions, model, windowTokens, destination: flags },
      { summarizer, ...createPorts(flags, configuration, terminal) },
    )
    terminal.progress.clear()
    const gone = await locateGone(cloned.report.receipt.gone, cloned.kept, flags)
    const result: CloneResult = { ...cloned, gone, durationMs: performance.now() - startedAt }
    const { colors, columns } = terminal
    if (json) terminal.printJson({ ...toCloneJson(result), ...toDamageJson(session) })
    else
      printWritten(
        renderCloneReport(result, { verbose, colors, columns }),
        result.destination,
        terminal,
      )
  })
}

async function findSummarizer(
  steps: readonly Strategy[],
  { dryRun }: CloneFlags,
  { summarizer }: Configuration,
): Promise<Summarizer | undefined> {
  parseSummarizerName(summarizer.name)
  return dryRun || !steps.some(({ summarizes }) => summarizes)
    ? undefined
    : await openSummarizer(summarizer)
}

/** Source: the profiles of coding-agent-manager. */
export const profiles: Readonly<
  Record<string, { readonly tools: ToolSetting; readonly reasoning: number }>
> = {
  emergency: { tools: { mode: 'remove', percent: 100 }, reasoning: 100 },
  routine: { tools: { mode: 'truncate', percent: 100 }, reasoning: 100 },
  preserve: { tools: { mode: 'truncate', percent: 80 }, reasoning: 100 },
  minimal: { tools: { mode: 'truncate', percent: 50 }, reasoning: 100 },
}

/** Flags of their own count before the profile. */
export function readSettings(flags: SettingFlags): CloneSettings {
  const profile = flags.profile === undefined ? undefined : profiles[flags.profile]
  return {
    profile: flags.profile,
    bands: [...(flags.band ?? [])].sort((a, b) => a.start - b.start),
    tools: flags.tools ?? profile?.tools,
    reasoning: flags.reasoning ?? profile?.reasoning ?? 0,
    includeUser: flags.includeUser ?? false,
    minTokens: flags.minTokens ?? DEFAULT_MIN_TOKENS,
  }
}

const LEVELS = new Map<string, Band['level']>([
  ['standard', 'compress'],
  ['compress', 'compress'],
  ['heavy', 'heavy-compress'],
  ['heavy-compress', 'heavy-compress'],
])
const NUMBER = '(\\d{1,3}(?:\\.\\d{1,6})?)'
const BAND = new RegExp(`^${NUMBER}-${NUMBER}:([a-z-]{1,20}|0?\\.\\d{1,6})$`)
const TOOLS = new RegExp(`^(remove|truncate|mask):${NUMBER}%?$`)
const PERCENT = new RegExp(`^${NUMBER}%?$`)

/** `0-50:heavy`, `50-80:standard`, `80-95:0.5`; given several times they add up. */
export function parseBand(text: string, before: readonly Band[] = []): readonly Band[] {
  const [, start = '', end = '', level = ''] = BAND.exec(text.trim().toLowerCase()) ?? []
  const chosen = LEVELS.get(level) ?? (level.includes('.') ? Number(level) : 0)
  if (chosen === 0) {
    throw new InvalidArgumentError(
      'Give a part of the turns in percent and what is left of its text: 0-50:heavy (10 %), 50-80:standard (35 %), or a share as in 50-80:0.3.',
    )
  }
  return [...before, { start: Number(start), end: Number(end), level: chosen }]
}

export function parseTools(text: string): ToolSetting {
  const [, mode, percent = ''] = TOOLS.exec(text.trim().toLowerCase()) ?? []
  const isMode = mode === 'remove' || mode === 'truncate' || mode === 'mask'
  if (isMode && Number(percent) <= 100) return { mode, percent: Number(percent) }
  throw new InvalidArgumentError(
    'Give what is done and to how many of the oldest turns: remove:75, truncate:75 or mask:75.',
  )
}

export function parsePercent(text: string): number {
  const [, percent] = PERCENT.exec(text.trim()) ?? []
  if (percent !== undefined && Number(percent) <= 100) return Number(percent)
  throw new InvalidArgumentError('Give a share of the turns from 0 to 100, oldest first.')
}

export function parseTokens(text: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text)
  throw new InvalidArgumentError('Give a number of tokens.')
}

function renderProfiles(): string {
  const lines = Object.entries(profiles).map(
    ([name, { tools, reasoning }]) =>
      `  ${name.padEnd(10)}  --tools ${tools.mode}:${tools.percent} --reasoning ${reasoning}`,
  )
  return lines.join('\n')
}

const CLONE_HELP = `
Profiles:
${renderProfiles()}

Examples:
  precis clone 3f2a --profile routine
  precis clone 3f2a --band 0-50:heavy --band 50-80:standard --tools mask:75
  precis clone 3f2a --profile preserve --band 0-80:0.3 --dry-run
  precis clone session.jsonl --reasoning 100 --out light.jsonl

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 3 does not fit the window, 4 input unreadable or invalid,
130 interrupted. With --json a failure is one object too: { "error": { "code", "message" } }.
`
