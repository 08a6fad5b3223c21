import type { StepReport, StepsReport } from '@precis/core'
import type { Generation } from '../sessions/lineage.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import {
  type Colors,
  renderCount,
  renderDollars,
  renderDuration,
  renderPlural,
  renderTable,
} from '../terminal/render.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import type { CloneSettings } from './clone-settings.ts'
import { type ReportStyle, renderDestination, renderReceipt, renderSizes } from './compress-report.ts'
import type { Destination } from './destination.ts'
import { type Kept, renderKept } from './keep-original.ts'

export interface CloneResult {
  readonly session: LoadedSession
  readonly settings: CloneSettings
  readonly report: StepsReport
  /** Whether a summarizer was asked nothing, to see what would be done. */
  readonly isDryRun: boolean
  readonly isChanged: boolean
  /** Where the result really went. */
  readonly destination: Destination
  /** Of the result, written or not. */
  readonly bytes: number
  /** Newest first; only what was written. */
  readonly lineage: readonly Generation[]
  readonly durationMs: number
  /** In the archive; undefined when nothing was asked to be kept. */
  readonly kept: Kept | undefined
}

export function toCloneJson(result: CloneResult) {
  const { session, settings, report, destination, bytes, lineage, durationMs, isDryRun } = result
  const { summarizer, before, after, steps, rewrites, problems, usage, receipt, cost } = report
  return {
    input: session.document.path ?? '-',
    output: 'path' in destination ? destination.path : null,
    format: session.format.name,
    settings,
    summarizer: summarizer ?? null,
    dryRun: isDryRun,
    before: { ...before, bytes: session.document.source.byteLength },
    after: { ...after, bytes },
    steps,
    rewrites,
    problems,
    usage: usage ?? null,
    receipt,
    cost: cost ?? null,
    durationMs: Math.round(durationMs),
    archive: result.kept ?? null,
    lineage,
    ...(destination.type === 'agent' && { resumeCommand: destination.placement.resumeCommand }),
  }
}

/** What happened, for a person. */
export function renderCloneReport(result: CloneResult, style: ReportStyle): string {
  const { report, isDryRun, isChanged } = result
  const { colors } = style
  const lines = [renderSizes(result, colors), '']
  if (report.steps.length > 0) lines.push(renderSteps(report.steps, isDryRun, colors), '')
  else lines.push('  An exact copy: no part of the turns was asked to change.')
  if (isDryRun && report.rewrites.asked > 0) lines.push(`  ${renderPlanned(report)}`)
  if (isChanged) lines.push(`  ${renderReceipt(report)}`)
  if (report.cost && isChanged) {
    const { before, after } = report.cost
    lines.push(`  one request that finds no cache: ${renderDollars(before)} before, ${renderDollars(after)} after`)
  }
  lines.push(...renderKept(result.kept, result.destination).map((line) => `  ${line}`))
  if (report.usage) lines.push(`  ${renderUsage(report.usage)}`)
  lines.push(...renderFailures(report))
  if (style.verbose) lines.push('', ...renderDetails(result))
  return [...lines, '', renderEnd(result, colors)].join('\n')
}

function renderSteps(steps: readonly StepReport[], isDryRun: boolean, colors: Colors): string {
  return renderTable(
    {
      columns: [
        { title: 'step' },
        { title: 'tokens before', align: 'right' },
        { title: 'after', align: 'right' },
        { title: 'what' },
      ],
      rows: steps.map((step) => [
        step.name,
        renderCount(step.tokensBefore),
        renderCount(step.tokensAfter),
        describeStep(step, isDryRun),
      ]),
    },
    Number.POSITIVE_INFINITY,
    colors,
  )
}

function describeStep({ noop, calls, results, reasoning, rewrites }: StepReport, isDryRun: boolean): string {
  if (rewrites.asked > 0 && isDryRun) return `${renderPlural(rewrites.asked, 'text')} to be said in fewer words`
  const said = [
    ...(calls.removed > 0 ? [`${renderPlural(calls.removed, 'call')} removed`] : []),
    ...(calls.shortened > 0 ? [`${renderPlural(calls.shortened, 'call')} shortened`] : []),
    ...(results.removed > 0 ? [`${renderPlural(results.removed, 'result')} removed`] : []),
    ...(results.shortened > 0 ? [`${renderPlural(results.shortened, 'result')} shortened`] : []),
    ...(reasoning.removed > 0 ? [`${renderPlural(reasoning.removed, 'piece')} of reasoning removed`] : []),
    ...(rewrites.asked > 0 ? [`${rewrites.done} of ${renderPlural(rewrites.asked, 'text')} said in fewer words`] : []),
    ...(rewrites.failed > 0 ? [`${renderCount(rewrites.failed)} failed`] : []),
    ...(rewrites.unchanged > 0 ? [`${renderCount(rewrites.unchanged)} left as they were`] : []),
  ]
  return said.length > 0 ? said.join(', ') : noop === undefined ? 'nothing to do' : noop.replaceAll('-', ' ')
}

function renderPlanned({ after, steps, rewrites }: StepsReport): string {
  const saving = steps.reduce((sum, { plannedSaving }) => sum + plannedSaving, 0)
  return `No summarizer was asked. Where ${rewrites.asked === 1 ? 'the text meets its level' : 'all texts meet their levels'}, the clone has about ${renderCount(after.tokens - saving)} tokens.`
}

function renderUsage({ calls, inputTokens, outputTokens }: NonNullable<StepsReport['usage']>): string {
  return `asked of models: ${renderPlural(calls, 'call')}, ${renderCount(inputTokens)} tokens in, ${renderCount(outputTokens)} out`
}

const SHOWN_PROBLEMS = 3
const LONGEST_PROBLEM = 300

function renderFailures({ rewrites, problems }: StepsReport): string[] {
  if (problems.length === 0) return []
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((text) => `    ${neutralizeLine(text).slice(0, LONGEST_PROBLEM)}`)
  const more = problems.length > SHOWN_PROBLEMS ? [`    and ${problems.length - SHOWN_PROBLEMS} more`] : []
  const failed =
    rewrites.failed > 0
      ? `  ${renderPlural(rewrites.failed, 'text')} stayed as ${rewrites.failed === 1 ? 'it was' : 'they were'}:`
      : '  on the way:'
  return [failed, ...shown, ...more]
}

function renderDetails({ report, lineage, durationMs }: CloneResult): string[] {
  const known = report.modelKnown ? '' : ', which the catalogue does not know: cautious defaults'
  const model = neutralizeLine(report.model || 'an unnamed model')
  const generations = lineage.map(({ sessionId, original, clonedAt }) => {
    const name = neutralizeLine(sessionId ?? 'a document')
    return `  ${name} was cloned ${neutralizeLine(clonedAt)} from ${neutralizeLine(original.sessionId ?? original.path ?? 'standard input')}`
  })
  return [...generations, `  counted for ${model}${known}; took ${renderDuration(durationMs)}`]
}

function renderEnd(result: CloneResult, colors: Colors): string {
  const { destination, isChanged, isDryRun, report } = result
  if (isChanged || isDryRun || report.steps.length === 0) return renderDestination(result, colors)
  const why = 'Nothing to do: no step found anything to change.'
  if (destination.type === 'standard-output') return `${why} It was passed on unchanged.`
  return 'path' in destination
    ? `${why} It was written unchanged to ${neutralizeLine(destination.path)}.`
    : `${why} Nothing was written.`
}

/** What a clone came to, for its lineage: numbers only. */
export function summarizeStatistics({ before, after, steps, rewrites, problems, usage }: StepsReport) {
  return { before, after, steps, rewrites, problems: problems.length, ...(usage && { usage }) }
}
