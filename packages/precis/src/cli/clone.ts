import { setImmediate } from 'node:timers/promises'
import type { Strategy, Summarizer } from '@precis/core'
import type { Command } from 'commander'
import { type DatabaseFlags, locateGone } from '../archive/with-archive.ts'
import { cloneSession, createSteps } from '../compression/clone-session.ts'
import { createPorts } from '../compression/compress-named.ts'
import type { DestinationOptions } from '../compression/destination.ts'
import { openSummarizer } from '../compression/settings.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { parseSummarizerName } from '../language-models/summarizer-name.ts'
import { type CloneResult, renderCloneReport, toCloneJson } from '../reports/clone.ts'
import { printWritten } from '../reports/destination.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'
import {
  addSettingOptions,
  type CloneSettingFlags,
  profiles,
  readCloneSettings,
} from './clone-options.ts'
import {
  addArchiveOption,
  addSummarizerOptions,
  addWindowOption,
  createModelOption,
  type SummarizerFlags,
} from './options.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
} from './session-argument.ts'

interface CloneFlags
  extends CloneSettingFlags,
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

export function defineClone(command: Command, terminal: Terminal): void {
  addSessionArgument(command).description(
    'Makes a copy of a session in which older turns are shorter. Tool calls and results are cleared, reasoning is removed, and answers are rewritten in fewer words, each in its own part of the turns. The original never changes.\n\n' +
      'Parts are in percent of the turns, oldest first. If none is given, the clone is an exact copy with a new id. The result is placed like that of "precis compress".',
  )
  addSettingOptions(command)
  addWindowOption(addSummarizerOptions(command))
    .option('--instructions <text>', 'what the shorter texts must keep')
    .addOption(createModelOption('the model that will read the result, for token counts'))
    .addOption(createFormatOption())
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'only report what would be done: call no summarizer, write nothing')
    .option('-v, --verbose', 'report the lineage and counts too')
  addArchiveOption(command)
  addJsonOption(command)
    .addHelpText('after', CLONE_HELP)
    .action((name: string, flags: CloneFlags) => clone(name, flags, terminal))
}

async function clone(name: string, flags: CloneFlags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  const settings = readCloneSettings(flags)
  const steps = createSteps(settings)
  const configuration = await readConfigured(flags)
  const summarizer = await findSummarizer(steps, flags, configuration)
  terminal.progress.show('reading', 0.05)
  await withSession(name, flags.format, terminal, async (session) => {
    // Reading a large session blocks the process. An interruption takes effect here.
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

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 3 does not fit the window, 4 input unreadable or invalid, 130 interrupted. With --json a failure is one object too: { "error": { "code", "message" } }.
`
