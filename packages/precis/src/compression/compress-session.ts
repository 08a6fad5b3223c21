/**
 * Compresses a stored session into a new one.
 *
 *   load ─► convert ─► compress ─► keep the original ─► write
 */

import { setImmediate } from 'node:timers/promises'
import {
  auto,
  type Compression,
  type Conversation,
  compressConversation,
  digest,
  findModel,
  type Outcome,
  type RecallPath,
  type Report,
  type Summarizer,
} from '@precis/core'
import { cleanPin, findLimitsOf, listPins, withoutPins, withoutRecall } from '@precis/core/engine'
import type { NewSession } from '@precis/core/formats'
import type { ContextWindow } from '@precis/core/models'
import { loadTokenCounter } from '@precis/core/tokens'
import type { Agent } from '../agents/shared/agent.ts'
import { strategyChoices } from '../configuration/choices.ts'
import { CompressionError } from '../files/errors.ts'
import { findRecallPath } from '../installation/recall-tool.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { findRecordedContext, type RecordedContext } from '../sessions/recorded-context.ts'
import { neutralizeLine, renderCount } from '../terminal/render.ts'
import { type Conversion, convertSession } from './convert-session.ts'
import {
  chooseDestination,
  createNewSession,
  type DestinationOptions,
  readBack,
} from './destination.ts'
import { hashParsed, keepOriginal, writeKept } from './keep-original.ts'
import type { Destination, Kept, NewResult, Ports } from './ports.ts'
import { restoreSummary } from './restore-summary.ts'
import { type CompressionSettings, renderSettings } from './settings.ts'
import { describeTarget, findTarget, type Target } from './target.ts'

export interface CompressRequest {
  readonly settings: CompressionSettings
  /** The agent that continues. By default the session's own. */
  readonly to?: Agent
  /** The place of the result, or the options that choose it. */
  readonly destination: Destination | DestinationOptions
  /** Names for the new session. Created by default. */
  readonly newSession?: NewSession
  /**
   * How the model that continues searches removed text. By default its agent's own way, if an
   * archive keeps the text.
   */
  readonly recall?: RecallPath
  /** Whether the original is kept. By default it is if the ports have an archive. */
  readonly isKept?: boolean
}

export interface CompressPorts extends Ports {
  readonly summarizer: Summarizer
}

/**
 * `unchanged` and results of no use are results too. A refused result is neither written nor kept.
 */
export type CompressedSession = RefusedCompression | DoneCompression

export interface RefusedCompression {
  readonly type: 'refused'
  readonly why:
    | CannotFit
    | SummaryFailed
    | WindowFilled
    | { readonly type: 'too-small'; readonly tokens: number }
}

type SummaryFailed = Extract<Outcome, { type: 'summary-failed' }>

/** No space is left for a conversation. */
interface WindowFilled extends ContextWindow {
  readonly type: 'window-filled'
  readonly notInFileTokens: number
}

interface CannotFit extends Extract<Outcome, { type: 'cannot-fit' }> {
  readonly target: Target
  readonly beforeTokens: number
}

export interface DoneCompression extends NewResult {
  readonly type: 'done'
  readonly outcome: Exclude<Outcome, { type: 'cannot-fit' | 'summary-failed' }>
  readonly target: Target
  /** Tokens of the earlier session. Undefined if another agent continues. */
  readonly recorded: RecordedContext | undefined
  readonly conversation: Conversation
  readonly report: Report
  /** The conversion from another format. Undefined if the format stayed the same. */
  readonly conversion: Conversion | undefined
  /** Size of the result, written or not. */
  readonly bytes: number
  /** In the archive. Undefined if keeping the original was not requested. */
  readonly kept: Kept | undefined
}

/** What a compression works on, and how large its result may be. */
export async function measureCompression(
  source: LoadedSession,
  { settings, to }: Pick<CompressRequest, 'settings' | 'to'>,
) {
  const conversion = convertSession(source, to)
  const given = conversion?.session ?? source
  const session = endPins(given, settings)
  const counter = await loadTokenCounter(
    findModel(settings.model ?? session.conversation.model ?? ''),
  )
  const recorded = conversion ? undefined : findRecordedContext(source, counter)
  const { conversation } = session
  const target = findTarget(settings, conversation, counter, recorded?.notInFileTokens)
  return { conversion, given, session, counter, recorded, target }
}

type MeasuredSession = Awaited<ReturnType<typeof measureCompression>>

// How much of a compression is done when a step begins.
const STEPS = { measure: 0.2, plan: 0.45, summarize: 0.5, check: 0.8 }

/** An unchanged conversation is only written to a requested place or for a requested agent. */
export async function compressSession(
  loaded: LoadedSession,
  request: CompressRequest,
  ports: CompressPorts,
): Promise<CompressedSession> {
  const { settings } = request
  const parsedHash = hashParsed(loaded)
  const source = await restoreSummary(loaded, ports.archive)
  const measured = await measureCompression(source, request)
  const { conversion, given, session, recorded, target } = measured
  const asked =
    'type' in request.destination
      ? request.destination
      : chooseDestination(session, request.destination)
  const recall =
    request.recall ??
    (ports.archive && (await findRecallPath(source.document.source, session.agent)))
  const early = findEarlyRefusal(measured, settings)
  if (early) return { type: 'refused', why: early }
  const compression = await compressMeasured(measured, { ...request, recall }, ports)
  const { outcome } = compression
  if (outcome.type === 'summary-failed') return { type: 'refused', why: outcome }
  if (outcome.type === 'cannot-fit') {
    const beforeTokens = compression.report.before.tokens
    return { type: 'refused', why: { ...outcome, target, beforeTokens } }
  }
  // The engine blocks the process. An interruption takes effect here, before anything is written.
  await setImmediate()
  ports.progress('writing', 0.9)
  const isChanged = outcome.type === 'compressed' || conversion !== undefined || session !== given
  const destination: Destination =
    !isChanged && asked.type === 'agent' ? { type: 'nowhere' } : asked
  const newSession = isChanged
    ? (request.newSession ?? createNewSession(session, destination))
    : undefined
  const result = { session, newSession, destination }
  const kept = isChanged
    ? await keepOriginal(
        source,
        parsedHash,
        { ...result, ...describeKept(compression, measured, settings) },
        ports,
      )
    : undefined
  // What was not kept cannot be recalled.
  const made = kept && 'problem' in kept ? withoutRecall(compression) : compression
  const { conversation, report } = isChanged ? countWritten(made, measured, newSession) : made
  const bytes =
    isChanged || destination.type !== 'nowhere'
      ? await writeKept(kept, { ...result, conversation, report }, ports)
      : session.document.source.byteLength
  return {
    type: 'done',
    ...result,
    outcome,
    target,
    recorded,
    conversation,
    report,
    conversion,
    bytes,
    kept,
  }
}

/** Why there is nothing to try. */
function findEarlyRefusal(
  { session, counter, recorded }: MeasuredSession,
  { largerThanTokens, windowTokens = Infinity }: CompressionSettings,
): RefusedCompression['why'] | undefined {
  if (largerThanTokens !== undefined) {
    const { upper: tokens } = counter.countConversation(session.conversation)
    if (tokens <= largerThanTokens) return { type: 'too-small', tokens }
  }
  const { notInFileTokens } = recorded ?? {}
  return notInFileTokens !== undefined && notInFileTokens >= windowTokens
    ? { type: 'window-filled', windowTokens, notInFileTokens }
    : undefined
}

function compressMeasured(
  { session, counter, target }: MeasuredSession,
  { settings, recall, isKept }: Pick<CompressRequest, 'settings' | 'recall' | 'isKept'>,
  ports: CompressPorts,
): Promise<Compression> {
  return compressConversation(session.conversation, {
    ...settings,
    counter,
    strategy: strategyChoices[settings.strategy] ?? auto,
    summarizer: ports.summarizer,
    budgetTokens: target.tokens,
    requestLimits: findLimitsOf(session.conversation, counter.model, settings.windowTokens),
    recall,
    isKept: isKept ?? ports.archive !== undefined,
    onProgress: (step, done = 0, total = 0) =>
      ports.progress(total > 1 ? `${step} ${done} of ${total}` : step, STEPS[step]),
  })
}

/** Its sizes are those of the file. */
function countWritten(
  { conversation, report }: Compression,
  { session, counter }: MeasuredSession,
  newSession: NewSession | undefined,
): Omit<Compression, 'outcome'> {
  const written = readBack(session, conversation, newSession)
  const { upper: tokens } = counter.countConversation(written)
  const after = { messages: written.messages.length, tokens }
  return { conversation, report: { ...report, after } }
}

/** What the archive keeps of a compression next to the original. */
function describeKept(
  { conversation, report }: Compression,
  { conversion, target, recorded }: MeasuredSession,
  settings: CompressionSettings,
) {
  return {
    command: 'compress' as const,
    conversation: conversion?.traceToSource(conversation) ?? conversation,
    // `--all` would not make a result for another agent.
    report: {
      ...report,
      budget: describeTarget(target),
      notInFileTokens: recorded?.notInFileTokens,
      ...(!conversion && { settings: renderSettings(settings) }),
    },
  }
}

const LONGEST_PIN = 200

/**
 * The session, with ended pins removed from its summaries. Throws for a text that is not a pin of
 * it, or that is to be pinned as well.
 */
function endPins(
  session: LoadedSession,
  { pins = [], unpins = [] }: CompressionSettings,
): LoadedSession {
  if (unpins.length === 0) return session
  const name = session.document.path ?? 'standard input'
  const known = listPins(session.conversation)
  for (const text of unpins) {
    const pin = cleanPin(text)
    if (pins.some((other) => cleanPin(other) === pin)) {
      throw new CompressionError(
        'wrong-usage',
        `Compressing "${name}": give "${text}" to --pin or to --unpin, not both.`,
      )
    }
    if (known.includes(pin)) continue
    const quote = (one: string) =>
      `"${neutralizeLine(one.length > LONGEST_PIN ? `${one.slice(0, LONGEST_PIN)}…` : one)}"`
    const list = known.length === 0 ? 'It has none.' : `It has ${known.map(quote).join(', ')}.`
    throw new CompressionError(
      'wrong-usage',
      `Compressing "${name}": ${quote(text)} is no pin of it. ${list}`,
      {
        pins: known,
      },
    )
  }
  return { ...session, conversation: withoutPins(session.conversation, unpins) }
}

/** Why there is no result, as an error. */
export function explainRefusal(name: string, why: RefusedCompression['why']): CompressionError {
  switch (why.type) {
    case 'cannot-fit': {
      const { obstacle, enough } = describeCannotFit(why)
      return new CompressionError(
        'cannot-fit',
        `Compressing "${name}": ${obstacle}. Nothing was written. ${enough === undefined ? 'Take it out.' : `Give a --budget of ${enough} or more.`}`,
        { refusal: why.refusal },
      )
    }
    case 'window-filled':
      return new CompressionError(
        'cannot-fit',
        `Compressing "${name}": ${describeFilled(why)}. Nothing was written.`,
      )
    case 'summary-failed': {
      const { summarizer, problems } = why
      const because = problems.length > 0 ? `: ${problems.join(' ')}` : '.'
      return new CompressionError(
        'summary-failed',
        `Compressing "${name}": ${summarizer} gave no summary that can be used${because} Nothing was written. Give --summarizer ${digest().name}, or --strategy auto, which does without.`,
        { summarizer, problems },
      )
    }
    case 'too-small':
      throw new TypeError(
        `Compressing "${name}": it has ${why.tokens} tokens, and nobody asked for larger ones only.`,
      )
  }
}

export function describeFilled({ windowTokens, notInFileTokens }: WindowFilled): string {
  return `a window of ${renderCount(windowTokens)} tokens has no room for it: system prompt and tools, which are not in the file, have ${renderCount(notInFileTokens)} already`
}

/**
 * A refusal in the numbers of the report: what is in the way, and the budget that is enough.
 * Undefined if no budget is.
 */
export function describeCannotFit({ refusal, target, beforeTokens }: CannotFit) {
  const { limit, item, itemTokens, smallestTokens } = refusal
  if (limit !== 'tokens') {
    const what = limit === 'bytes' ? 'bytes' : 'images or pages'
    const obstacle = `what has to stay has more ${what} than its provider takes in one request, most of them in ${item}`
    return { obstacle, enough: undefined }
  }
  const source = target.source === undefined ? '' : ` (${target.source})`
  const share = Math.ceil((smallestTokens / Math.max(beforeTokens, 1)) * 100)
  return {
    obstacle: `it cannot fit ${renderCount(target.tokens)} tokens${source}; the largest item that has to stay is ${item} with ${renderCount(itemTokens)}`,
    enough: share > 100 ? String(smallestTokens) : `${smallestTokens} (${share}%)`,
  }
}
