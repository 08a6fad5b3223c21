import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Budget } from '../batch/budget-tokens.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import { evaluateSession } from '../evaluation/evaluate-session.ts'
import type { EvaluatedBudget, SessionEvaluation } from '../evaluation/evaluation.ts'
import { listMethods } from '../evaluation/method.ts'
import { createRecording } from '../evaluation/recording.ts'
import { createTables } from '../evaluation/tables.ts'
import { loadSession, toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { parseBudget } from './budget.ts'
import { toEvaluationJson } from './evaluate-json.ts'
import {
  type DamagedSession,
  type EvaluatedSessions,
  renderEvaluationReport,
  type UnreadSession,
} from './evaluate-report.ts'
import { exitCodes } from './exit-codes.ts'
import { asFailure, Failure } from './failure.ts'
import { renderEvaluationPage } from './pages/evaluate-page.ts'
import { checkPageFile, printPagePath, refuseSessionFile, writePageFile } from './pages/page-file.ts'
import { addJsonOption, noteDamage } from './session-argument.ts'
import { addSummarizerOptions, openSummarizer, type SummarizerFlags } from './summarizer-option.ts'

interface EvaluateFlags extends SummarizerFlags {
  readonly budget?: readonly EvaluatedBudget[]
  readonly strategy?: readonly string[]
  readonly html?: string
  readonly json?: boolean
}

const DEFAULT_BUDGETS = ['4000', '8000', '20%']

export function defineEvaluate(command: Command, terminal: Terminal): void {
  command
    .argument('<sessions...>', 'files or ids of recorded sessions; the more projects, the better')
    .description(
      'Measures what every strategy keeps of recorded sessions, beside simple baselines of the same size, how fast it is, and what a session would cost with it. Needs no model. It says nothing about the success of an agent at a task.',
    )
    .option(
      '-b, --budget <tokens|N%>',
      `size of the result, 4000 or 20% of the history; may be given several times (default: ${DEFAULT_BUDGETS.join(', ')})`,
      collectBudgets,
    )
    .addOption(
      new Option('-s, --strategy <name>', 'only this strategy; may be given several times (default: all)').argParser(
        collectStrategies,
      ),
    )
    .option('--html <file>', 'write a page with the tables and a picture of cost against recall; prints its path alone')
  addSummarizerOptions(command)
  addJsonOption(command)
    .addHelpText('after', EVALUATE_HELP)
    .action((names: readonly string[], flags: EvaluateFlags) => evaluate(names, flags, terminal))
}

async function evaluate(names: readonly string[], flags: EvaluateFlags, terminal: Terminal): Promise<void> {
  const startedAt = performance.now()
  if (flags.html !== undefined) checkPageFile(flags.html)
  const chosen = flags.strategy ?? Object.keys(strategyChoices)
  const strategies = chosen.map((name) => strategyChoices[name]).filter((strategy) => strategy !== undefined)
  const budgets = flags.budget ?? DEFAULT_BUDGETS.map((text) => createBudget(text))
  // Not from the configuration: an evaluation is the same for everybody, and no model is paid unasked.
  const { summarizer: summarizerName = 'digest', baseUrl } = flags
  const summarizer = await openSummarizer({ name: summarizerName, ...(baseUrl !== undefined && { baseUrl }) })
  const failures: string[] = []
  const sessions: SessionEvaluation[] = []
  const unread: UnreadSession[] = []
  const damaged: DamagedSession[] = []
  const distinct = [...new Set(names)]
  for (const [index, name] of distinct.entries()) {
    const show = (step: string, fraction: number) => {
      const place = `session ${index + 1} of ${distinct.length}`
      terminal.progress.show(`${place}, ${step}`, (index + fraction) / distinct.length)
    }
    show('reading', 0)
    try {
      sessions.push(
        await readAndEvaluate(name, flags, terminal, damaged, {
          strategies,
          budgets,
          summarizer,
          onFailure: (reason) => failures.push(`${name}: ${reason}`),
          onProgress: show,
        }),
      )
    } catch (error) {
      unread.push(explainUnread(name, error))
      terminal.note(`precis: ${neutralizeLine(unread.at(-1)?.message ?? '')}`)
    }
  }
  terminal.progress.clear()
  if (sessions.length === 0) throw new Failure('nothing-read', exitCodes.invalidInput, NOTHING_READ, { unread })
  const durationMs = performance.now() - startedAt
  const tables = createTables(sessions, listMethods(strategies))
  await printEvaluation(
    { sessions, unread, damaged, failures: [...new Set(failures)], tables, durationMs },
    flags,
    terminal,
  )
}

async function readAndEvaluate(
  name: string,
  { html }: EvaluateFlags,
  terminal: Terminal,
  damaged: DamagedSession[],
  options: Parameters<typeof evaluateSession>[1],
): Promise<SessionEvaluation> {
  const session = await loadSession(name)
  try {
    if (html !== undefined) refuseSessionFile(session, html)
    noteDamage(session, terminal)
    const { damage } = toDamageJson(session)
    if (damage) damaged.push({ session: name, ...damage })
    return await evaluateSession(createRecording(session), options)
  } finally {
    session.document.close()
  }
}

/** A session that cannot be read does not end the run; a wrong option and a bug do. */
function explainUnread(name: string, error: unknown): UnreadSession {
  const failure = asFailure(error)
  if (failure?.exitCode !== exitCodes.invalidInput && failure?.code !== 'ambiguous-session') throw error
  return { session: name, code: failure.code, message: failure.message }
}

async function printEvaluation(
  evaluated: EvaluatedSessions,
  { html, json }: EvaluateFlags,
  terminal: Terminal,
): Promise<void> {
  if (html !== undefined) {
    await writePageFile(html, renderEvaluationPage(evaluated))
    for (const failure of evaluated.failures) terminal.note(`precis: ${neutralizeLine(failure)}`)
    printPagePath(html, json, terminal)
  }
  if (json) terminal.printJson(toEvaluationJson(evaluated))
  else if (html === undefined) terminal.print(renderEvaluationReport(evaluated, terminal))
  if (evaluated.failures.length > 0) process.exitCode = exitCodes.failed
}

function createBudget(text: string): EvaluatedBudget {
  const budget: Budget = parseBudget(text)
  return budget.type === 'tokens'
    ? { label: String(budget.tokens), sizeFor: () => budget.tokens }
    : {
        label: `${Number((budget.fraction * 100).toFixed(4))}%`,
        sizeFor: (size) => Math.max(Math.floor(size * budget.fraction), 1),
      }
}

function collectBudgets(text: string, before: readonly EvaluatedBudget[] = []): readonly EvaluatedBudget[] {
  const budget = createBudget(text)
  return [...before.filter(({ label }) => label !== budget.label), budget]
}

function collectStrategies(name: string, before: readonly string[] = []): readonly string[] {
  if (Object.hasOwn(strategyChoices, name)) return [...new Set([...before, name])]
  throw new InvalidArgumentError(`Allowed are ${Object.keys(strategyChoices).join(', ')}.`)
}

const NOTHING_READ = 'Evaluating: none of the sessions could be read. "precis sessions" lists what is there.'

const EVALUATE_HELP = `
Examples:
  precis evaluate ~/.claude/projects/*/*.jsonl --budget 8k
  precis evaluate a.jsonl b.jsonl --strategy auto --strategy middle-out --html evaluation.html
  precis evaluate *.jsonl --json | jq '.tables[0].methods[] | {method, gcrr: .measures.gcrr.mean}'

A session needs 15,000 tokens before its first compaction and ten calls after a point; others are named as skipped.
docs/evaluation.md says what every measure is, and what it does not show.

Exit codes: 0 done, 1 a strategy broke, 2 wrong usage, 4 none of the sessions could be read, 130 interrupted.
A session that cannot be read among others is reported, and the others are evaluated.
`
