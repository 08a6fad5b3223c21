import { countModelSummary } from '@precis/core/engine'
import { Command, InvalidArgumentError, Option } from 'commander'
import { asFailure, exitCodes, Failure } from '../../packages/precis/src/cli/failure.ts'
import {
  addSummarizerOptions,
  parseBudget,
  type SummarizerFlags,
} from '../../packages/precis/src/cli/options.ts'
import {
  addPageOptions,
  type PageFlags,
  printViews,
  refuseSessionFile,
} from '../../packages/precis/src/cli/page-options.ts'
import { addJsonOption } from '../../packages/precis/src/cli/session-argument.ts'
import { type Budget, openSummarizer } from '../../packages/precis/src/compression/settings.ts'
import { strategyChoices } from '../../packages/precis/src/configuration/choices.ts'
import { toDamageJson } from '../../packages/precis/src/sessions/load-session.ts'
import { neutralizeLine } from '../../packages/precis/src/terminal/render.ts'
import type { Terminal } from '../../packages/precis/src/terminal/terminal.ts'
import { withSession } from '../../packages/precis/src/terminal/with-session.ts'
import { toEvaluationJson } from './evaluate-json.ts'
import { renderEvaluationPage } from './evaluate-page.ts'
import {
  type DamagedSession,
  type EvaluatedSessions,
  renderEvaluationReport,
  type UnreadSession,
} from './evaluate-report.ts'
import { evaluateSession } from './evaluate-session.ts'
import type { EvaluatedBudget, SessionEvaluation } from './evaluation.ts'
import { listMethods } from './method.ts'
import { createRecording } from './recording.ts'
import { createTables } from './tables.ts'

interface EvaluateFlags extends SummarizerFlags, PageFlags {
  readonly budget?: readonly EvaluatedBudget[]
  readonly strategy?: readonly string[]
}

const DEFAULT_BUDGETS = ['4000', '8000', '20%']

export function createEvaluateProgram(terminal: Terminal): Command {
  const command = new Command('npm run evaluate --')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .argument('<sessions...>', 'files or ids of recorded sessions; the more projects, the better')
    .description(
      'Measures what every strategy keeps of recorded sessions, beside simple baselines of the same size, how fast it is, and what a session would cost with it. Needs no model. It says nothing about the success of an agent at a task.',
    )
    .option(
      '-b, --budget <tokens|N%>',
      `size of the result, 4000 or 20% of the history (repeatable, default: ${DEFAULT_BUDGETS.join(', ')})`,
      collectBudgets,
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'only this strategy (repeatable, default: all)',
      ).argParser(collectStrategies),
    )
  addSummarizerOptions(addPageOptions(command, 'the tables, and a picture of cost against recall'))
  return addJsonOption(command)
    .addHelpText('after', EVALUATE_HELP)
    .action((names: readonly string[], flags: EvaluateFlags) => evaluate(names, flags, terminal))
}

async function evaluate(
  names: readonly string[],
  flags: EvaluateFlags,
  terminal: Terminal,
): Promise<void> {
  const startedAt = performance.now()
  const chosen = flags.strategy ?? Object.keys(strategyChoices)
  const strategies = chosen
    .map((name) => strategyChoices[name])
    .filter((strategy) => strategy !== undefined)
  const budgets = flags.budget ?? DEFAULT_BUDGETS.map((text) => createBudget(text))
  // Not from the configuration: an evaluation is the same for everybody, and no model is paid
  // unasked.
  const { summarizer: summarizerName = 'digest', baseUrl } = flags
  const summarizer = await openSummarizer({ name: summarizerName, baseUrl })
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
  if (sessions.length === 0)
    throw new Failure('nothing-read', exitCodes.invalidInput, NOTHING_READ, { unread })
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
  return await withSession(name, undefined, terminal, async (session) => {
    if (html !== undefined) refuseSessionFile(session, html)
    const { damage } = toDamageJson(session)
    if (damage) damaged.push({ session: name, ...damage })
    return await evaluateSession(createRecording(session), options)
  })
}

/** A session that cannot be read does not end the run; a wrong option and a bug do. */
function explainUnread(name: string, error: unknown): UnreadSession {
  const failure = asFailure(error)
  if (failure?.exitCode !== exitCodes.invalidInput && failure?.code !== 'ambiguous-session')
    throw error
  return { session: name, code: failure.code, message: failure.message }
}

async function printEvaluation(
  evaluated: EvaluatedSessions,
  flags: EvaluateFlags,
  terminal: Terminal,
): Promise<void> {
  if (flags.html !== undefined)
    for (const failure of evaluated.failures) terminal.note(`precis: ${neutralizeLine(failure)}`)
  const views = {
    page: () => renderEvaluationPage(evaluated),
    json: () => toEvaluationJson(evaluated),
    print: () => terminal.print(renderEvaluationReport(evaluated, terminal)),
  }
  await printViews(views, flags, terminal)
  if (evaluated.failures.length > 0) process.exitCode = exitCodes.failed
}

function createBudget(text: string): EvaluatedBudget {
  const budget: Budget = parseBudget(text)
  switch (budget.type) {
    case 'tokens':
      return { label: String(budget.tokens), sizeFor: () => budget.tokens }
    case 'share':
      return {
        label: `${Number((budget.fraction * 100).toFixed(4))}%`,
        sizeFor: (size) => Math.max(Math.floor(size * budget.fraction), 1),
      }
    case 'model':
      return {
        label: 'model',
        sizeFor: (size) => countModelSummary(size, { contextWindowTokens: Infinity }),
      }
  }
}

function collectBudgets(
  text: string,
  before: readonly EvaluatedBudget[] = [],
): readonly EvaluatedBudget[] {
  const budget = createBudget(text)
  return [...before.filter(({ label }) => label !== budget.label), budget]
}

function collectStrategies(name: string, before: readonly string[] = []): readonly string[] {
  if (Object.hasOwn(strategyChoices, name)) return [...new Set([...before, name])]
  throw new InvalidArgumentError(`Allowed are ${Object.keys(strategyChoices).join(', ')}.`)
}

const NOTHING_READ =
  'Evaluating: none of the sessions could be read. "precis sessions" lists what is there.'

const EVALUATE_HELP = `
Examples:
  npm run evaluate -- ~/.claude/projects/*/*.jsonl --budget 8k
  npm run evaluate -- a.jsonl b.jsonl --strategy auto --strategy middle-out --html evaluation.html
  npm run --silent evaluate -- *.jsonl --json | jq '.tables[0].methods[] | {method, gcrr: .measures.gcrr.mean}'

A session needs 15,000 tokens before its first compaction and ten calls after a point; others are named as skipped.
docs/evaluation.md says what every measure is, and what it does not show.

Exit codes: 0 done, 1 a strategy broke, 2 wrong usage, 4 none of the sessions could be read, 130 interrupted.
A session that cannot be read among others is reported, and the others are evaluated.
`
