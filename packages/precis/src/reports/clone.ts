import type { StepsReport } from '@precis/core'
import type { StepReport } from '@precis/core/engine'
import type { LocatedFact } from '../archive/locate-facts.ts'
import type { ClonedSession } from '../compression/clone-session.ts'
import { describeTarget } from '../compression/target.ts'
import {
  type Colors,
  neutralizeLine,
  renderCount,
  renderPlural,
  right,
} from '../terminal/render.ts'
import { describeCost, describeCounting, describeUsage, type ReportStyle } from './compression.ts'
import { describeUnchanged, renderDestination, renderKept } from './destination.ts'
import { renderGone, renderReceipt } from './facts.ts'
import { renderAdded, renderSizes, renderWide, toSizesJson } from './sizes.ts'

export interface CloneResult extends ClonedSession {
  readonly durationMs: number
  readonly gone: readonly LocatedFact[]
}

export function toCloneJson(result: CloneResult) {
  const { session, settings, report, destination, lineage, durationMs, isDryRun } = result
  const { summarizer, steps, rewrites, problems, usage, receipt, cost } = report
  return {
    input: session.document.path ?? '-',
    output: 'path' in destination ? destination.path : null,
    format: session.format.name,
    settings,
    summarizer: summarizer ?? null,
    dryRun: isDryRun,
    ...toSizesJson(result),
    steps,
    rewrites,
    problems,
    usage: usage ?? null,
    receipt: { ...receipt, gone: result.gone },
    cost: cost ?? null,
    durationMs: Math.round(durationMs),
    archive: result.kept ?? null,
    lineage,
    ...(destination.type === 'agent' && { resumeCommand: destination.placement.resumeCommand }),
  }
}

export function renderCloneReport(result: CloneResult, style: ReportStyle): string {
  const { verbose, colors } = style
  const { report, isDryRun, isChanged } = result
  const hasSteps = report.steps.length > 0
  return [
    renderSizes(result, style),
    '',
    ...[...renderAdded(result), ...renderRoom(result)].map((line) => `  ${line}`),
    ...(hasSteps ? [renderSteps(report.steps, isDryRun, colors), ''] : []),
    ...(hasSteps ? [] : ['  An exact copy: no option selected a part to change.']),
    ...(isDryRun && report.rewrites.asked > 0 ? [`  ${renderPlanned(report)}`] : []),
    ...(isChanged ? renderReceipt(report).map((line) => `  ${line}`) : []),
    ...(isChanged && report.cost ? [`  ${describeCost(report.cost)}`] : []),
    ...renderKept(result.kept, result.destination).map((line) => `  ${line}`),
    ...(report.usage ? [`  used by models: ${describeUsage(report.usage)}`] : []),
    ...renderFailures(report),
    ...(result.gone.length > 0 ? ['', renderGone(result.gone, style)] : []),
    ...(verbose ? ['', ...renderDetails(result)] : []),
    '',
    renderEnd(result, colors),
  ].join('\n')
}

function renderRoom({ room }: CloneResult): string[] {
  return room ? [`room: ${describeTarget(room)} tokens`] : []
}

function renderSteps(steps: readonly StepReport[], isDryRun: boolean, colors: Colors): string {
  const rows = steps.map((step) => [
    step.name,
    renderCount(step.tokensBefore),
    renderCount(step.tokensAfter),
    describeStep(step, isDryRun),
  ])
  return renderWide(['step', right('tokens before'), right('after'), 'what'], rows, colors)
}

function describeStep(
  { noop, calls, results, reasoning, rewrites }: StepReport,
  isDryRun: boolean,
): string {
  if (rewrites.asked > 0 && isDryRun)
    return `${renderPlural(rewrites.asked, 'text')} to rewrite in fewer words`
  const changes = [
    calls.removed > 0 && `${renderPlural(calls.removed, 'call')} removed`,
    calls.shortened > 0 && `${renderPlural(calls.shortened, 'call')} shortened`,
    results.removed > 0 && `${renderPlural(results.removed, 'result')} removed`,
    results.shortened > 0 && `${renderPlural(results.shortened, 'result')} shortened`,
    reasoning.removed > 0 && `${renderPlural(reasoning.removed, 'piece')} of reasoning removed`,
    rewrites.asked > 0 &&
      `${rewrites.done} of ${renderPlural(rewrites.asked, 'text')} rewritten in fewer words`,
    rewrites.failed > 0 && `${renderCount(rewrites.failed)} failed`,
    rewrites.unchanged > 0 && `${renderCount(rewrites.unchanged)} left unchanged`,
  ]
  return changes.filter(Boolean).join(', ') || (noop?.replaceAll('-', ' ') ?? 'nothing to do')
}

function renderPlanned({ after, steps, rewrites }: StepsReport): string {
  const saving = steps.reduce((sum, { plannedSaving }) => sum + plannedSaving, 0)
  return `No summarizer was called. If ${rewrites.asked === 1 ? 'the text reaches its level' : 'all texts reach their levels'}, the clone has about ${renderCount(after.tokens - saving)} tokens.`
}

const SHOWN_PROBLEMS = 3
const LONGEST_PROBLEM = 300

function renderFailures({ rewrites: { failed }, problems }: StepsReport): string[] {
  if (problems.length === 0) return []
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map((text) => `    ${neutralizeLine(text).slice(0, LONGEST_PROBLEM)}`)
  const more =
    problems.length > SHOWN_PROBLEMS ? [`    and ${problems.length - SHOWN_PROBLEMS} more`] : []
  const stayed = `${renderPlural(failed, 'text')} stayed unchanged`
  return [`  ${failed > 0 ? stayed : 'on the way'}:`, ...shown, ...more]
}

function renderDetails({ report, lineage, durationMs }: CloneResult): string[] {
  const generations = lineage.map(({ sessionId, original, clonedAt }) => {
    const from = original.sessionId ?? original.path ?? 'standard input'
    return `  ${[sessionId ?? 'a document', 'was cloned', clonedAt, 'from', from].map(neutralizeLine).join(' ')}`
  })
  return [...generations, describeCounting(report, durationMs)]
}

function renderEnd(result: CloneResult, colors: Colors): string {
  const { destination, isChanged, isDryRun, report } = result
  if (isChanged || isDryRun || report.steps.length === 0) return renderDestination(result, colors)
  return `Nothing to do: no step found anything to change. ${describeUnchanged(destination, neutralizeLine)}`
}
