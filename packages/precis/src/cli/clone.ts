import { setImmediate } from 'node:timers/promises'
import {
  type AppliedStrategies,
  applyStrategies,
  createTokenCounter,
  findModel,
  type RecallPath,
  type Strategy,
  type Summarizer,
  withoutRecall,
} from '@precis/core'
import type { NewSession } from '@precis/core/formats'
import { DEFAULT_MIN_TOKENS } from '@precis/core/strategies'
import { type Command, Option } from 'commander'
import { findRecallPath } from '../agents/find-recall-path.ts'
import type { ArchiveSettings, Configuration } from '../configuration/configuration.ts'
import { describeOriginal, type Generation, readLineage, writeLineage } from '../sessions/lineage.ts'
import { type LoadedSession, loadSession, toDamageJson } from '../sessions/load-session.ts'
import { parseSummarizerName } from '../summarizers/summarizer-name.ts'
import { explainSystemError } from '../system-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { renderPreview } from '../terminal/terminal-text.ts'
import { type CloneResult, renderCloneReport, summarizeStatistics, toCloneJson } from './clone-report.ts'
import {
  type CloneFlags,
  type CloneSettings,
  createSteps,
  parseBand,
  parsePercent,
  parseTokens,
  parseTools,
  profiles,
  readSettings,
} from './clone-settings.ts'
import type { DatabaseFlags } from './database-option.ts'
import { chooseDestination, createNewSession, type Destination } from './destination.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { addArchiveOption, type Kept, keepOriginal, writeKept } from './keep-original.ts'
import { readConfigured } from './read-configured.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
  noteDamage,
} from './session-argument.ts'
import { addSummarizerOptions, openSummarizer, type SummarizerFlags } from './summarizer-option.ts'
import { writeResult } from './write-result.ts'

interface Flags extends CloneFlags, SummarizerFlags, DatabaseFlags, FormatFlags {
  readonly instructions?: string
  readonly model?: string
  readonly out?: string
  readonly archive: boolean
  readonly dryRun?: boolean
  readonly verbose?: boolean
  readonly json?: boolean
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
    .option('--tools <mode:percent>', 'calls of tools in the oldest turns: remove, truncate or mask', parseTools)
    .option(
      '--reasoning <percent>',
      'reasoning in the oldest turns goes, never that of the newest answer',
      parsePercent,
    )
    .option('--include-user', 'what the person said is shortened in bands too, never their last request')
    .addOption(
      new Option('--min-tokens <tokens>', 'shorter texts stay as they are')
        .argParser(parseTokens)
        .default(DEFAULT_MIN_TOKENS, String(DEFAULT_MIN_TOKENS)),
    )
    .addOption(
      new Option('--profile <name>', `tools and reasoning at once: ${Object.keys(profiles).join(', ')}`).choices(
        Object.keys(profiles),
      ),
    )
  addSummarizerOptions(command)
    .option('--instructions <text>', 'what the shorter texts have to keep above all')
    .option(
      '--model <id>',
      'the model that will read the result; tokens are counted for it (default: the one recorded)',
    )
    .addOption(createFormatOption())
    .option('-o, --out <file>', 'write the result to this file, or to standard output with "-"')
    .option('-n, --dry-run', 'report what would be done; no summarizer is asked and nothing is written')
    .option('-v, --verbose', 'report the lineage too, and what was counted')
  addArchiveOption(command)
  addJsonOption(command)
    .addHelpText('after', CLONE_HELP)
    .action((name: string, flags: Flags) => clone(name, flags, terminal))
}

async function clone(name: string, flags: Flags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  const settings = readSettings(flags)
  const steps = createSteps(settings)
  const configuration = await readConfigured(flags)
  const summarizer = await findSummarizer(steps, flags, configuration)
  const archive = flags.archive && configuration.archive?.enabled !== false ? (configuration.archive ?? {}) : undefined
  terminal.progress.show('reading', 0.05)
  const session = await loadSession(name, flags.format)
  try {
    noteDamage(session, terminal)
    // Reading a large session holds the process; an interruption gets through here.
    await setImmediate()
    const asked = chooseDestination(session, flags)
    const { conversation } = session
    const counter = createTokenCounter(findModel(flags.model ?? conversation.model ?? ''))
    const recall = archive && (await findRecallPath(session.document.source, session.home?.agent))
    const applied = await applyStrategies(conversation, steps, {
      counter,
      dryRun: flags.dryRun === true,
      ...(summarizer && { summarizer }),
      ...(flags.instructions !== undefined && { instructions: flags.instructions }),
      ...(recall && { recall }),
      onProgress: (step, done, total) => showProgress(terminal, step, done, total),
    })
    assertSomethingCame(name, session, applied)
    await setImmediate()
    const written = await write(session, settings, applied, asked, { archive, recall, terminal })
    terminal.progress.clear()
    const durationMs = performance.now() - startedAt
    printResult({ session, settings, isDryRun: flags.dryRun === true, durationMs, ...written }, asked, flags, terminal)
  } finally {
    session.document.close()
  }
}

/** None where none will be asked: neither a key nor a server is needed for that. */
async function findSummarizer(
  steps: readonly Strategy[],
  { dryRun }: Flags,
  given: Configuration,
): Promise<Summarizer | undefined> {
  parseSummarizerName(given.summarizer.name)
  return dryRun || !steps.some(({ summarizes }) => summarizes) ? undefined : await openSummarizer(given.summarizer)
}

// How far along a clone is when a step begins; rewrites take nearly all the time where there are any.
const STEPS = { measure: 0.1, plan: 0.15, summarize: 0.2, check: 0.9 }

function showProgress(terminal: Terminal, step: keyof typeof STEPS, done?: number, total?: number): void {
  if (done === undefined || !total) terminal.progress.show(step, STEPS[step])
  else {
    const fraction = STEPS.summarize + (STEPS.check - STEPS.summarize) * (done / total)
    terminal.progress.show(`${step} ${done} of ${total}`, fraction)
  }
}

/** A clone that is a copy because no call came through is not what was asked for. */
function assertSomethingCame(name: string, session: LoadedSession, { conversation, report }: AppliedStrategies): void {
  const { asked, failed } = report.rewrites
  if (conversation !== session.conversation || asked === 0 || failed < asked) return
  throw new Failure(
    'summarizer-failed',
    exitCodes.failed,
    `Cloning "${name}": all ${asked} texts failed, nothing was saved and nothing was written. ${report.problems[0] ?? ''}`.trim(),
    { rewrites: report.rewrites, problems: report.problems },
  )
}

/** A session in which no step found anything is only written to a place that was asked for, as the bytes that came in. */
async function write(
  session: LoadedSession,
  settings: CloneSettings,
  applied: AppliedStrategies,
  asked: Destination,
  { archive, recall, terminal }: Keeping,
): Promise<Pick<CloneResult, 'destination' | 'bytes' | 'isChanged' | 'lineage' | 'kept' | 'report'>> {
  terminal.progress.show('writing', 0.95)
  const isChanged = applied.conversation !== session.conversation
  const isClone = isChanged || applied.report.steps.length === 0
  const destination: Destination = !isClone && asked.type === 'agent' ? { type: 'nowhere' } : asked
  if (!isClone && destination.type === 'nowhere') {
    const bytes = session.document.source.byteLength
    return { destination, isChanged, bytes, lineage: [], kept: undefined, report: applied.report }
  }
  const newSession = isClone ? nameClone(session, 'sessionId' in destination ? destination.sessionId : '') : undefined
  let kept: Kept | undefined
  if (isChanged && archive && destination.type !== 'nowhere') {
    kept = await keepOriginal(session, { ...applied, command: 'clone', newSession, destination }, archive, terminal)
  }
  // What is not kept cannot be recalled.
  const isLost = recall !== undefined && kept !== undefined && 'problem' in kept
  const { conversation, report } = isLost ? withoutRecall(applied) : applied
  const lineage = isClone && 'path' in destination ? describeLineage(session, settings, report, newSession) : []
  const bytes = await writeKept(kept, archive?.database, conversation, (watch) =>
    writeResult(session, conversation, newSession, destination, terminal, watch),
  )
  // Right behind the session, before anything else gets a turn: an interruption leaves both or neither.
  if ('path' in destination && lineage.length > 0) await keepLineage(destination.path, lineage, terminal)
  return { destination, bytes, isChanged, lineage, kept, report }
}

interface Keeping {
  readonly archive: ArchiveSettings | undefined
  readonly recall: RecallPath | undefined
  readonly terminal: Terminal
}

const TITLE_COLUMNS = 80

function nameClone(session: LoadedSession, sessionId: string): NewSession | undefined {
  const newSession = createNewSession(session, sessionId)
  const prompt = renderPreview(session.head?.firstPrompt ?? '', TITLE_COLUMNS)
  return newSession && { ...newSession, title: prompt ? `${prompt} (clone)` : 'Cloned session' }
}

function describeLineage(
  { document, head }: LoadedSession,
  settings: CloneSettings,
  report: AppliedStrategies['report'],
  newSession: NewSession | undefined,
): Generation[] {
  const newest: Generation = {
    sessionId: newSession?.sessionId,
    original: describeOriginal(document, head?.sessionId),
    clonedAt: newSession?.timestamp ?? new Date().toISOString(),
    settings: { ...settings, summarizer: report.summarizer, model: report.model },
    statistics: summarizeStatistics(report),
  }
  return [newest, ...readLineage(document, head?.sessionId)]
}

/** The clone is whole without it. */
async function keepLineage(path: string, lineage: readonly Generation[], terminal: Terminal): Promise<void> {
  try {
    await writeLineage(path, lineage)
  } catch (error) {
    terminal.note(`precis: the clone was written, but not where it comes from: ${explainSystemError(error)}`)
  }
}

function printResult(result: CloneResult, asked: Destination, flags: Flags, terminal: Terminal): void {
  if (flags.json) {
    terminal.printJson({ ...toCloneJson(result), ...toDamageJson(result.session) })
    return
  }
  const text = renderCloneReport(result, { verbose: flags.verbose === true, colors: terminal.colors })
  if (asked.type === 'standard-output') terminal.note(text)
  else terminal.print(text)
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

Exit codes: 0 done or nothing to do, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted. With --json
a failure is one object too: { "error": { "code", "message" } }.
`
