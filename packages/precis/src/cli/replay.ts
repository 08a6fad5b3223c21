import type { Model } from '@precis/core'
import { type Command, Option } from 'commander'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { measureSession } from '../evaluation/replay/measured-session.ts'
import { readRecordedSession } from '../evaluation/replay/recorded-session.ts'
import type { Replay } from '../evaluation/replay/replay.ts'
import { type ReplayOptions, replaySession } from '../evaluation/replay/replay-session.ts'
import { type LoadedSession, loadSession, toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { parseThreshold } from './budget.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure, wrongUsage } from './failure.ts'
import { checkPageFile, printPagePath, refuseSessionFile, writePageFile } from './pages/page-file.ts'
import { renderReplayPage } from './pages/replay-page.ts'
import { parseWindow } from './parse-window.ts'
import { toReplayJson } from './replay-json.ts'
import { renderReplayReport } from './replay-report.ts'
import { addJsonOption, addSessionArgument, noteDamage } from './session-argument.ts'
import { addSummarizerOptions, openSummarizer, type SummarizerFlags } from './summarizer-option.ts'

interface ReplayFlags extends SummarizerFlags {
  readonly window?: number
  readonly reserve?: number
  readonly threshold?: number
  readonly strategy: string
  readonly model?: string
  readonly all?: boolean
  readonly html?: string
  readonly json?: boolean
}

export function defineReplay(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Runs a recorded session through the live context, request by request, with the recorded answers as the model: when it would have been compressed, what each request would have cost with and without, and what later requests needed and no longer had.',
    )
    .option('-w, --window <tokens>', 'context window to fit into (default: that of the model)', parseWindow)
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
    .addOption(
      new Option('-s, --strategy <name>', 'how to compress').choices(Object.keys(strategyChoices)).default('auto'),
    )
    .option('--model <id>', 'count and price for this model (default: the one recorded)')
    .option('-a, --all', 'print every request')
    .option('--html <file>', 'write a page with charts of tokens and cost; prints its path alone')
  addSummarizerOptions(command)
  addJsonOption(command)
    .addHelpText('after', REPLAY_HELP)
    .action((name: string, flags: ReplayFlags) => replay(name, flags, terminal))
}

async function replay(name: string, flags: ReplayFlags, terminal: Terminal): Promise<void> {
  if (flags.html !== undefined) checkPageFile(flags.html)
  const options = await readOptions(flags)
  terminal.progress.show('reading', 0)
  const session = await loadSession(name)
  try {
    noteDamage(session, terminal)
    if (flags.html !== undefined) refuseSessionFile(session, flags.html)
    const recorded = readRecordedSession(session)
    if (recorded.steps.length === 0) throw new Failure('no-requests', exitCodes.invalidInput, explainEmpty(name))
    terminal.progress.show('counting', 0.05)
    const measured = measureSession(recorded, flags.model)
    checkReserve(flags, measured.model)
    const onProgress = (share: number) => terminal.progress.show('replaying', 0.1 + 0.9 * share)
    const replayed = await replaySession(measured, { ...options, onProgress })
    terminal.progress.clear()
    await printReplay(replayed, session, flags, terminal)
  } finally {
    session.document.close()
  }
}

async function readOptions({ summarizer = 'digest', baseUrl, ...flags }: ReplayFlags): Promise<ReplayOptions> {
  const strategy = strategyChoices[flags.strategy]
  if (!strategy) throw new Error(`There is no strategy "${flags.strategy}".`)
  return {
    strategy,
    // Not from the configuration: a replay is the same for everybody, and no model is paid unasked.
    summarizer: await openSummarizer({ name: summarizer, ...(baseUrl !== undefined && { baseUrl }) }),
    ...(flags.window !== undefined && { windowTokens: flags.window }),
    ...(flags.reserve !== undefined && { reserveTokens: flags.reserve }),
    ...(flags.threshold !== undefined && { threshold: flags.threshold }),
  }
}

async function printReplay(
  replayed: Replay,
  session: LoadedSession,
  { html, json, all }: ReplayFlags,
  terminal: Terminal,
): Promise<void> {
  if (html !== undefined) {
    await writePageFile(html, renderReplayPage(replayed))
    printPagePath(html, json, terminal)
  }
  if (json) terminal.printJson({ ...toReplayJson(replayed), ...toDamageJson(session) })
  else if (html === undefined) terminal.print(renderReplayReport(replayed, terminal, all === true))
}

function checkReserve({ reserve = 0, window }: ReplayFlags, { contextWindowTokens }: Model): void {
  const windowTokens = window ?? contextWindowTokens
  if (reserve < windowTokens) return
  throw wrongUsage(`--reserve ${reserve} leaves no room for the prompt in a window of ${windowTokens} tokens.`)
}

export function explainEmpty(name: string): string {
  return `Replaying "${name}": it has no answer of a model, so there is no request to replay. "precis sessions" lists what is there.`
}

const REPLAY_HELP = `
Examples:
  precis replay 3f2a --window 50k
  precis replay 3f2a --window 200k --strategy middle-out --html replay.html
  precis replay 3f2a --window 50k --json | jq '.runs[] | {cacheLifetimeSeconds, saved}'

Money is at list prices, with the provider's cache: what was sent before within its lifetime is read from it, the rest is
written to it. Answers cost the same both ways. docs/commands/replay.md says what every number is.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or without answers, 130 interrupted.
`
