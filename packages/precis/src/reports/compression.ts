/** The result of a command that writes a session, as text and as JSON. */
import { digest, type Report } from '@precis/core'
import { readSummary, readText } from '@precis/core/conversation'
import type { AttemptRefusal, KeptFile } from '@precis/core/engine'
import { redactSecrets } from '@precis/core/secrets'
import type { CompressionResult } from '../compression/compress-named.ts'
import { describeTarget } from '../compression/target.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import {
  type Colors,
  neutralizeLine,
  neutralizeText,
  type Page,
  renderCount,
  renderDollars,
  renderDuration,
  renderPath,
  renderPlural,
  right,
} from '../terminal/render.ts'
import { describeUnchanged, renderDestination, renderKept } from './destination.ts'
import { renderFacts, renderGone, renderNames, renderReceipt } from './facts.ts'
import { renderConversionLosses } from './losses.ts'
import { renderAdded, renderSizes, renderWide, toSizesJson } from './sizes.ts'

export function toCompressionJson(result: CompressionResult) {
  const { session, conversion, report, target, destination, durationMs, kept, gone } = result
  const { strategy, summarizer, problems, names, usage, budgetTokens, receipt, cost } = report
  const { rungs, attempts } = report
  return {
    input: session.document.path ?? '-',
    output: 'path' in destination ? destination.path : null,
    format: session.format.name,
    strategy,
    summarizer: summarizer ?? null,
    problems,
    names: names ?? null,
    usage: usage ?? null,
    budgetTokens,
    budget: describeTarget(target),
    ...toSizesJson(result),
    rungs,
    attempts,
    ...(report.keptFiles && { keptFiles: report.keptFiles }),
    ...(report.keptTurns && { keptTurns: report.keptTurns }),
    ...(report.compaction && { compaction: report.compaction }),
    receipt: { ...receipt, gone },
    cost: cost ?? null,
    durationMs: Math.round(durationMs),
    archive: kept ?? null,
    ...(conversion && { convertedFrom: session.convertedFrom, losses: conversion.losses }),
    ...(conversion?.nextModel && {
      continuesWith: conversion.nextModel.model ?? null,
      continuesWithNote: conversion.nextModel.note,
    }),
    ...(destination.type === 'agent' && { resumeCommand: destination.placement.resumeCommand }),
    ...toDamageJson(session),
  }
}

/** The text of a compression's summary, as the model reads it. Undefined if there is none. */
export function findSummary({ conversation, session }: CompressionResult): string | undefined {
  const before = new Set(session.conversation.messages)
  const message = conversation.messages.find(
    (each) => !before.has(each) && readSummary(each) !== undefined,
  )
  return message && readText(message)
}

/** The summary that would be written, safe on a terminal. One line if there is none. */
export function renderSummary(result: CompressionResult): string {
  const summary = findSummary(result)
  if (summary !== undefined) return redactSecrets(neutralizeText(summary))
  const why =
    result.outcome.type === 'unchanged'
      ? 'nothing has to be removed'
      : 'long parts are shortened in place'
  return `No summary would be written: ${why}.`
}

export interface ReportStyle extends Page {
  readonly verbose: boolean
}

export function renderCompression(result: CompressionResult, style: ReportStyle): string {
  const { verbose, colors } = style
  const { outcome, report, target, conversion, session, durationMs } = result
  const isWhole = outcome.type === 'unchanged'
  if (isWhole && !result.newSession) return renderUnchanged(result, outcome.reason)
  const work = isWhole
    ? [`messages: all ${renderCount(report.after.messages)} fit, so none was compressed`]
    : renderWork(report)
  const losses = conversion
    ? renderConversionLosses(conversion.losses, session.agent?.title ?? '')
    : []
  return [
    renderSizes(result, style),
    '',
    ...[
      ...renderAdded(result),
      `budget: ${describeTarget(target)} tokens`,
      ...losses,
      ...work,
      ...renderKept(result.kept, result.destination),
    ].map((line) => `  ${line}`),
    ...(result.gone.length > 0 ? ['', renderGone(result.gone, style)] : []),
    ...(verbose ? ['', renderDetails(report, durationMs, colors)] : []),
    '',
    renderDestination(result, colors),
    ...(conversion?.nextModel ? [neutralizeLine(conversion.nextModel.note)] : []),
  ].join('\n')
}

/**
 * The messages that were kept and removed, the user's words, the facts, and the cost. One line
 * each, of any length.
 */
export function renderWork(report: Report): string[] {
  const { cost } = report
  return [
    renderSpans(report),
    ...(report.keptTurns ? [`kept turns: ${report.keptTurns.join(', ') || 'none'}`] : []),
    ...renderKeptFiles(report),
    ...(report.compaction ? [COMPACTIONS[report.compaction]] : []),
    ...renderReceipt(report),
    ...(cost ? [describeCost(cost)] : []),
    ...renderSummaryWork(report),
  ]
}

const COMPACTIONS: Readonly<Record<NonNullable<Report['compaction']>, string>> = {
  kept: "the provider's own compaction: unchanged",
  quoted: "the provider's own compaction: quoted in the summary",
  lost: "the provider's own compaction: it does not fit, so the text it replaced is lost",
}

const MOST_FILES = 8

/** The files that the user wanted to keep. Files that could not be kept come first. */
function renderKeptFiles({ keptFiles }: Report): string[] {
  if (!keptFiles) return []
  if (keptFiles.length === 0) return ['kept files: no call names a file of --keep-path']
  const gone = ({ calls, verbatim }: KeptFile) => calls - verbatim
  const sorted = keptFiles.toSorted((a, b) => gone(b) - gone(a))
  const lines = sorted.slice(0, MOST_FILES).map((file) => {
    const { path, calls, verbatim } = file
    const rest = gone(file) > 0 ? `, ${renderCount(gone(file))} did not fit the budget` : ''
    return `  ${renderPath(path)}: ${renderCount(verbatim)} of ${renderPlural(calls, 'call')} verbatim${rest}`
  })
  const more = sorted.length - lines.length
  return [
    'kept files:',
    ...lines,
    ...(more > 0 ? [`  and ${renderPlural(more, 'more file')}`] : []),
  ]
}

export function describeCost({ before, after }: NonNullable<Report['cost']>): string {
  return `one request without a cache: ${renderDollars(before)} before, ${renderDollars(after)} after`
}

export function describeUsage({
  calls,
  inputTokens,
  outputTokens,
}: NonNullable<Report['usage']>): string {
  return `${renderPlural(calls, 'call')}, ${renderCount(inputTokens)} tokens in, ${renderCount(outputTokens)} out`
}

export function describeCounting(
  { model, modelKnown }: Pick<Report, 'model' | 'modelKnown'>,
  durationMs: number,
): string {
  const known = modelKnown ? '' : ', which the catalog does not know (cautious defaults)'
  return `  counted for ${neutralizeLine(model || 'an unnamed model')}${known}; took ${renderDuration(durationMs)}`
}

function renderUnchanged(result: CompressionResult, reason: string): string {
  const { report, target, destination } = result
  const { before } = report
  const size = `it has ${renderCount(before.tokens)} tokens and the budget is ${describeTarget(target)}`
  const known = reason === 'already-under-target' ? size : reason.replaceAll('-', ' ')
  return `Nothing to do: ${before.messages === 0 ? 'it contains no messages' : known}. ${describeUnchanged(destination, String)}`
}

function renderSpans({ spans, strategy, summarizer, rungs, before, after }: Report): string {
  const steps = [...new Set(rungs.map(({ name }) => name))].filter((name) => name !== strategy)
  const by = [
    steps.length > 0 ? `${strategy}: ${steps.join(', ')}` : strategy,
    ...(summarizer ? [summarizer] : []),
  ]
  const ways = `(${by.join('; ')})`
  if (!summarizer && before.messages === after.messages) {
    return `messages: all ${renderCount(after.messages)} are kept, some of them shortened ${ways}`
  }
  const middle = `${renderCount(spans.middle)} ${summarizer ? 'summarized' : 'removed'}`
  return `messages: ${renderCount(spans.head)} kept at the start, ${middle}, ${renderCount(spans.tail)} kept at the end ${ways}`
}

/** The price of a summary, facts about it, and why a summarizer failed. */
function renderSummaryWork(report: Report): string[] {
  const { usage, problems } = report
  const substitute = explainSubstitute(report)
  const names = report.names && renderNames(report.names)
  return [
    ...(substitute === undefined ? [] : [`summarizer: ${substitute}`]),
    ...(usage ? [`model: ${describeUsage(usage)}`] : []),
    ...(names === undefined ? [] : [names]),
    ...problems
      .slice(substitute === undefined ? 0 : 1)
      .map((problem) => `note: ${neutralizeLine(problem)}`),
  ]
}

/** A line for the failure of the requested model, and one for each problem of the result itself. */
export function listNotices(report: Report, paused?: string): string[] {
  const substitute = explainSubstitute(report, paused)
  return [
    ...(substitute === undefined ? [] : [`${substitute}.`]),
    ...report.problems.slice(report.failures.length).map(neutralizeLine),
  ]
}

/** Reports that the requested model did not write the summary, and why. Undefined if none failed. */
function explainSubstitute({ summarizer, failures }: Report, paused?: string): string | undefined {
  const isDigest = summarizer?.split(', ').includes(DIGEST) === true
  const cause =
    failures[0]?.replace(/\.$/, '') ??
    (paused === undefined ? undefined : `${paused} failed several times and is paused for a while`)
  if (cause === undefined || (summarizer !== undefined && !isDigest)) return undefined
  return `${isDigest ? `${DIGEST} replaced it` : 'no summary was made'}, because ${neutralizeLine(cause)}`
}

const DIGEST = digest().name

function renderDetails(report: Report, durationMs: number, colors: Colors): string {
  const steps = report.rungs.map(({ name, tokensBefore, tokensAfter }) => [
    name,
    renderCount(tokensBefore),
    renderCount(tokensAfter),
  ])
  return [
    renderWide(['step', right('tokens before'), right('after')], steps, colors),
    '',
    renderAttempts(report, colors),
    '',
    renderFacts(report, colors),
    '',
    describeCounting(report, durationMs),
  ].join('\n')
}

const REFUSALS: Readonly<Record<AttemptRefusal, string>> = {
  'changed-nothing': 'it changes nothing',
  'no-summary': 'no space for a summary',
  'no-history': 'nothing of the history is left',
  'over-limit': 'too large',
  'over-target': 'larger than the target',
  'ledger-unsaid': 'the words of the user do not fit',
  'breaks-rule': 'its provider would refuse it',
  'loses-more': 'it loses more facts',
}

/** Every attempt, and why it was refused. */
function renderAttempts({ attempts }: Report, colors: Colors): string {
  const rows = attempts.map(({ name, tailTokens, withoutHead, tokens, refusal }) => {
    const ends = [
      ...(tailTokens === undefined ? [] : [`tail ${renderCount(tailTokens)}`]),
      ...(withoutHead ? ['no head'] : []),
    ]
    return [
      [name, ...ends].join(', '),
      tokens === undefined ? '' : renderCount(tokens),
      refusal === undefined ? 'taken' : REFUSALS[refusal],
    ]
  })
  return renderWide([`${renderPlural(rows.length, 'attempt')}`, right('tokens'), ''], rows, colors)
}
