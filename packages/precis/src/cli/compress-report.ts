import { digest, type Outcome, type Report } from '@precis/core'
import type { LoadedSession } from '../sessions/load-session.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import {
  type Colors,
  renderBar,
  renderBytes,
  renderCount,
  renderDollars,
  renderDuration,
  renderPlural,
  renderShare,
  renderTable,
} from '../terminal/render.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import type { Conversion } from './convert-session.ts'
import type { Destination } from './destination.ts'
import { type Kept, renderKept } from './keep-original.ts'
import { renderLosses } from './render-losses.ts'

export interface CompressionResult {
  readonly session: LoadedSession
  readonly outcome: Outcome
  readonly report: Report
  /** Where the result really went. */
  readonly destination: Destination
  /** Of the result, written or not. */
  readonly bytes: number
  readonly durationMs: number
  /** From another format; undefined when it stayed in its own. */
  readonly conversion: Conversion | undefined
  /** In the archive; undefined when nothing was asked to be kept. */
  readonly kept: Kept | undefined
}

/** What any command that writes a new session has to tell. */
export interface WrittenResult extends Pick<CompressionResult, 'session' | 'destination' | 'bytes'> {
  readonly report: Pick<Report, 'before' | 'after' | 'receipt'>
}

export function toCompressionJson(result: CompressionResult) {
  const { session, conversion, report, destination, bytes, durationMs, kept } = result
  const { strategy, summarizer, problems, usage, budgetTokens, before, after, rungs, receipt, cost } = report
  return {
    input: session.document.path ?? '-',
    output: 'path' in destination ? destination.path : null,
    format: session.format.name,
    strategy,
    summarizer: summarizer ?? null,
    problems,
    usage: usage ?? null,
    budgetTokens,
    before: { ...before, bytes: session.document.source.byteLength },
    after: { ...after, bytes },
    rungs,
    receipt,
    cost: cost ?? null,
    durationMs: Math.round(durationMs),
    archive: kept ?? null,
    ...(conversion && { convertedFrom: session.convertedFrom, losses: conversion.losses }),
    ...(conversion?.nextModel && {
      continuesWith: conversion.nextModel.model ?? null,
      continuesWithNote: conversion.nextModel.note,
    }),
    ...(destination.type === 'agent' && { resumeCommand: destination.placement.resumeCommand }),
  }
}

export interface ReportStyle {
  readonly verbose: boolean
  readonly colors: Colors
}

/** What happened, for a person. */
export function renderCompression(result: CompressionResult, style: ReportStyle): string {
  const { outcome, report, durationMs } = result
  const { colors } = style
  if (outcome.type === 'unchanged' && !result.conversion) return renderUnchanged(result, outcome.reason)
  const isWhole = outcome.type === 'unchanged'
  const work = isWhole
    ? [`messages: all ${renderCount(report.after.messages)} fit, so none was compressed`]
    : renderWork(report)
  const losses = result.conversion ? renderLosses(result.conversion.losses, result.session.home?.name ?? '') : []
  const lines = [
    renderSizes(result, colors),
    '',
    ...[...losses, ...work, ...renderKept(result.kept, result.destination)].map((line) => `  ${line}`),
  ]
  if (style.verbose) lines.push('', renderDetails(report, durationMs, colors))
  return [...lines, '', renderDestination(result, colors), ...renderNextModel(result)].join('\n')
}

/** What went, what is still there, and what it costs: one line each, of any length. */
export function renderWork(report: Report): string[] {
  const { cost } = report
  return [
    renderSpans(report),
    renderReceipt(report),
    ...(cost
      ? [`one request that finds no cache: ${renderDollars(cost.before)} before, ${renderDollars(cost.after)} after`]
      : []),
    ...renderSummaryWork(report),
  ]
}

function renderUnchanged({ report, destination }: CompressionResult, reason: string): string {
  const why =
    report.before.messages === 0
      ? 'it holds no messages'
      : reason === 'already-under-target'
        ? `it has ${renderCount(report.before.tokens)} tokens and the budget is ${renderCount(report.budgetTokens)}`
        : reason.replaceAll('-', ' ')
  const written = 'path' in destination ? `It was written unchanged to ${destination.path}.` : 'Nothing was written.'
  return `Nothing to do: ${why}. ${destination.type === 'standard-output' ? 'It was passed on unchanged.' : written}`
}

const BAR_COLUMNS = 24

export function renderSizes({ report, session, bytes }: WrittenResult, colors: Colors): string {
  const { before, after } = report
  const row = (name: string, size: Report['before'], byteLength: number) => [
    name,
    renderCount(size.tokens),
    renderCount(size.messages),
    renderBytes(byteLength),
    renderBar(size.tokens / Math.max(before.tokens, 1), BAR_COLUMNS),
    size === after ? `${renderShare(after.tokens, before.tokens)} of it` : '',
  ]
  return renderTable(
    {
      columns: [
        { title: '' },
        { title: 'tokens', align: 'right' },
        { title: 'messages', align: 'right' },
        { title: 'size', align: 'right' },
        { title: '', style: colors.cyan },
        { title: '', style: colors.bold },
      ],
      rows: [row('before', before, session.document.source.byteLength), row('after', after, bytes)],
    },
    Number.POSITIVE_INFINITY,
    colors,
  )
}

function renderSpans({ spans, strategy, summarizer, rungs, before, after }: Report): string {
  const steps = [...new Set(rungs.map(({ name }) => name))].filter((name) => name !== strategy)
  const by = [steps.length > 0 ? `${strategy}: ${steps.join(', ')}` : strategy, ...(summarizer ? [summarizer] : [])]
  const ways = `(${by.join('; ')})`
  if (!summarizer && before.messages === after.messages) {
    return `messages: all ${renderCount(after.messages)} are kept, some of them shortened ${ways}`
  }
  const middle = `${renderCount(spans.middle)} ${summarizer ? 'summarized' : 'removed'}`
  return `messages: ${renderCount(spans.head)} kept at the start, ${middle}, ${renderCount(spans.tail)} kept at the end ${ways}`
}

export function renderReceipt({ receipt }: Pick<Report, 'receipt'>): string {
  const sums = { total: 0, verbatim: 0, retrievable: 0, missing: 0 }
  for (const { total, verbatim, retrievable, missing, stale } of Object.values(receipt.kinds)) {
    sums.total += total - stale
    sums.verbatim += verbatim
    sums.retrievable += retrievable
    sums.missing += missing
  }
  if (sums.total === 0) return 'facts: none was removed'
  const recalled = sums.retrievable > 0 ? `, ${renderCount(sums.retrievable)} can be recalled` : ''
  return `facts: ${renderCount(sums.verbatim)} of ${renderCount(sums.total)} removed ones are still there verbatim${recalled}, ${renderCount(sums.missing)} are not`
}

/** What a model was paid for, and why a summarizer came to nothing. */
function renderSummaryWork(report: Report): string[] {
  const { usage, problems } = report
  const paid = usage
    ? [
        `model: ${renderPlural(usage.calls, 'call')}, ${renderCount(usage.inputTokens)} tokens in, ${renderCount(usage.outputTokens)} out`,
      ]
    : []
  const substitute = explainSubstitute(report)
  return [
    ...(substitute === undefined ? [] : [`summarizer: ${substitute}`]),
    ...paid,
    ...problems.slice(substitute === undefined ? 0 : 1).map((problem) => `note: ${neutralizeLine(problem)}`),
  ]
}

/** That no model wrote the summary that one was asked for, and why; undefined where none failed. */
export function explainSubstitute({ summarizer, problems }: Report, paused?: string): string | undefined {
  const isDigest = summarizer?.split(', ').includes(DIGEST) === true
  const cause =
    problems[0] ?? (paused === undefined ? undefined : `${paused} failed several times and is left alone for a while`)
  if (cause === undefined || (summarizer !== undefined && !isDigest)) return undefined
  return `${isDigest ? `${DIGEST} stands in` : 'no summary could be made'}, because ${neutralizeLine(cause)}`
}

const DIGEST = digest().name

function renderDetails(report: Report, durationMs: number, colors: Colors): string {
  const steps = renderTable(
    {
      columns: [{ title: 'step' }, { title: 'tokens before', align: 'right' }, { title: 'after', align: 'right' }],
      rows: report.rungs.map(({ name, tokensBefore, tokensAfter }) => [
        name,
        renderCount(tokensBefore),
        renderCount(tokensAfter),
      ]),
    },
    Number.POSITIVE_INFINITY,
    colors,
  )
  const facts = renderFacts(report, colors)
  const known = report.modelKnown ? '' : ', which the catalogue does not know: cautious defaults'
  const counted = `  counted for ${neutralizeLine(report.model || 'an unnamed model')}${known}; took ${renderDuration(durationMs)}`
  return [steps, '', facts, '', counted].join('\n')
}

/** A row for each kind of fact that was removed. */
export function renderFacts({ receipt }: Pick<Report, 'receipt'>, colors: Colors): string {
  return renderTable(
    {
      columns: [
        { title: 'facts removed' },
        ...['total', 'verbatim', 'retrievable', 'missing', 'stale'].map((title) => ({
          title,
          align: 'right' as const,
        })),
      ],
      rows: Object.entries(receipt.kinds)
        .filter(([, { total }]) => total > 0)
        .map(([kind, { total, verbatim, retrievable, missing, stale }]) => [
          kind,
          ...[total, verbatim, retrievable, missing, stale].map(renderCount),
        ]),
    },
    Number.POSITIVE_INFINITY,
    colors,
  )
}

function renderNextModel({ conversion }: CompressionResult): string[] {
  return conversion?.nextModel ? [neutralizeLine(conversion.nextModel.note)] : []
}

export function renderDestination({ destination, session, report, bytes }: WrittenResult, colors: Colors): string {
  switch (destination.type) {
    case 'nowhere':
      return `Dry run: nothing was written; the result has ${renderBytes(bytes)}.`
    case 'standard-output':
      return `Wrote ${renderPlural(report.after.messages, 'message')} to standard output.`
    case 'file':
      return `Wrote ${neutralizeLine(destination.path)}`
    case 'agent':
      return [
        `Wrote ${neutralizeLine(shortenHome(destination.path))}`,
        '',
        `Go on working in ${session.home?.name ?? 'its agent'}:`,
        `  ${colors.bold(destination.placement.resumeCommand)}`,
      ].join('\n')
  }
}
