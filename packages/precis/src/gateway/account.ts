/**
 * What one session cost, and what the actions of the gateway cost and saved in it. It only
 * calculates, one event after another.
 *
 *   without us   [ prompt, counted by the provider ][ removed ]   cached: the turn before
 *   with us      [ prompt, counted by the provider ]              cached: what the provider reports
 *
 * Nothing is estimated without a measurement. A model without prices has no dollars, and a model
 * without timed answers has no seconds.
 */

import { findModel, type Model } from '@precis/core'
import type { Usage } from '@precis/core/context'
import {
  type BilledTokens,
  billPrompt,
  countModelSummary,
  type Pricing,
  priceTokens,
} from '@precis/core/engine'
import type { ActRecord, AskedWindow, PassReason } from './gateway.ts'
import {
  type AccountedAct,
  type CompactionAccount,
  createAccount,
  createModelAccount,
  type ModelAccount,
  type SessionAccount,
} from './session-account.ts'

/** One request of a session and how it was answered. */
export interface AccountEvent extends AskedWindow {
  /** When the answer ended, in milliseconds since 1970. */
  readonly time: number
  readonly agent: string | undefined
  /** The model of the action, if there was one. */
  readonly model: string
  readonly status: number
  /** As the upstream reported it. Undefined if it did not, or was not asked. */
  readonly usage: Usage | undefined
  /** Whether the request pays for the cache's longest lifetime. */
  readonly isLongLived: boolean
  readonly milliseconds: number
  readonly firstByteMilliseconds: number | undefined
  /**
   * The result of an action. `replace` also means that the request was sent as short as the ones
   * before it.
   */
  readonly done?: { readonly type: AccountedAct['type']; readonly record: ActRecord }
  readonly pass?: { readonly reason: PassReason; readonly problem?: string | undefined }
}

const MOST_ENTRIES = 50
const MOST_MODELS = 20
const OTHER_MODELS = 'other models'

/**
 * The account with one more event. Sums do not depend on the order of events, but comparisons of
 * turns do.
 */
export function addEvent(account: SessionAccount | undefined, event: AccountEvent): SessionAccount {
  const before = account ?? createAccount(event.time)
  const { done } = event
  const name = chooseName(before, event.model)
  const known =
    (Object.hasOwn(before.models, name) ? before.models[name] : undefined) ?? createModelAccount()
  const model = findModel(event.model)
  const hasAsked = done === undefined || done.type === 'replace'
  const turn = hasAsked && event.usage ? addTurn(known, event.usage, model, event) : undefined
  const compaction =
    done?.type === 'answer' ? findCompaction(known, done.record, model, event) : undefined
  const isEntry =
    done && (done.type !== 'replace' || done.record.tokensAfter < done.record.tokensBefore)
  return {
    agent: event.agent ?? before.agent,
    began: Math.min(before.began, event.time),
    used: Math.max(before.used, event.time),
    requests: before.requests + (hasAsked ? 1 : 0),
    errors: before.errors + (hasAsked && event.status >= 400 ? 1 : 0),
    models: turn ? { ...before.models, [name]: turn.account } : before.models,
    compactions:
      done && compaction
        ? addCompaction(before.compactions, compaction, done.record)
        : before.compactions,
    refusals: before.refusals + (done?.type === 'refuse' ? 1 : 0),
    acts: isEntry
      ? keepNewest(before.acts, describeAct(done, turn?.lostTokens ?? 0, compaction))
      : before.acts,
    passes: event.pass ? addPass(before.passes, event.pass.reason) : before.passes,
    passed:
      event.pass && event.pass.reason !== 'fits'
        ? keepNewest(before.passed, { time: event.time, ...event.pass })
        : before.passed,
  }
}

/** Limits the names, because a client may name any number of models. */
function chooseName({ models }: SessionAccount, name: string): string {
  return Object.hasOwn(models, name) || Object.keys(models).length < MOST_MODELS
    ? name
    : OTHER_MODELS
}

function keepNewest<Entry extends { readonly time: number }>(
  entries: readonly Entry[],
  entry: Entry,
): Entry[] {
  return [...entries, entry].sort((left, right) => right.time - left.time).slice(0, MOST_ENTRIES)
}

const addPass = (passes: SessionAccount['passes'], reason: PassReason) =>
  reason === 'fits' ? passes : { ...passes, [reason]: (passes[reason] ?? 0) + 1 }

interface AccountStep {
  readonly account: ModelAccount
  readonly lostTokens: number
}

/** A turn that the upstream counted. */
function addTurn(
  before: ModelAccount,
  usage: Usage,
  model: Model,
  event: AccountEvent,
): AccountStep {
  const billed = bill(usage, event.isLongLived)
  const prices = model.pricesPerMillionTokens
  const effect = compareWithout(before, usage, model, event)
  const isTimed = isMeasured(event, usage)
  const first = isTimed ? (event.firstByteMilliseconds ?? 0) : 0
  const isNewest = before.last === undefined || event.time >= before.last.time
  const account: ModelAccount = {
    requests: before.requests + 1,
    input: before.input + billed.input,
    cachedInput: before.cachedInput + billed.cachedInput,
    cacheWrite: before.cacheWrite + billed.cacheWrite + billed.cacheWriteLong,
    output: before.output + billed.output,
    ...(prices && { dollars: (before.dollars ?? 0) + priceTokens(billed, prices) }),
    timed: {
      answers: before.timed.answers + (isTimed ? 1 : 0),
      firstByteMilliseconds: before.timed.firstByteMilliseconds + first,
      outputTokens: before.timed.outputTokens + (isTimed ? billed.output : 0),
      outputMilliseconds:
        before.timed.outputMilliseconds + (isTimed ? event.milliseconds - first : 0),
    },
    last: isNewest
      ? {
          time: event.time,
          promptTokens: usage.inputTokens,
          outputTokens: usage.outputTokens,
          caches: caches(usage, model),
          ...(event.windowTokens !== undefined && { windowTokens: event.windowTokens }),
        }
      : before.last,
    removed: isNewest ? effect.removed : before.removed,
    lost: {
      tokens: before.lost.tokens + effect.lostTokens,
      dollars: before.lost.dollars + effect.lostDollars,
    },
    saved: {
      turns: before.saved.turns + (effect.isSaving ? 1 : 0),
      tokens: before.saved.tokens + (effect.isSaving ? effect.removed.tokens : 0),
      dollars: before.saved.dollars + effect.savedDollars,
    },
    fittedTurns: before.fittedTurns + (effect.removed.tokens > 0 && !effect.isSaving ? 1 : 0),
  }
  return { account, lostTokens: effect.lostTokens }
}

function bill(usage: Usage, isLongLived: boolean): BilledTokens {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage
  return {
    input: Math.max(inputTokens - cachedInputTokens - cacheWriteTokens, 0),
    cachedInput: cachedInputTokens,
    cacheWrite: isLongLived ? 0 : cacheWriteTokens,
    cacheWriteLong: isLongLived ? cacheWriteTokens : 0,
    output: outputTokens,
  }
}

// An answer of fewer tokens, or in one piece, does not show the speed of a model.
const LEAST_TIMED_TOKENS = 20
const LEAST_TIMED_MS = 200

function isMeasured(
  { status, milliseconds, firstByteMilliseconds }: AccountEvent,
  { outputTokens }: Usage,
): boolean {
  if (status >= 400 || firstByteMilliseconds === undefined) return false
  return (
    outputTokens >= LEAST_TIMED_TOKENS && milliseconds - firstByteMilliseconds >= LEAST_TIMED_MS
  )
}

/**
 * Whether the provider caches the beginnings of this client's prompts: automatically, or because
 * they are marked.
 */
function caches({ cachedInputTokens = 0, cacheWriteTokens = 0 }: Usage, { cache }: Model): boolean {
  return cache !== undefined && (cache.automatic || cachedInputTokens + cacheWriteTokens > 0)
}

/** How much of a prompt is still in the provider's cache, according to its rules. */
function findHeldTokens(
  { last }: ModelAccount,
  { cache }: Model,
  { time, isLongLived }: AccountEvent,
): number {
  const lifetimes = cache?.lifetimesSeconds ?? []
  const seconds = (isLongLived ? lifetimes.at(-1) : lifetimes[0]) ?? 0
  return last?.caches && time - last.time <= seconds * 1000 ? last.promptTokens : 0
}

interface Effect {
  readonly removed: ModelAccount['removed']
  readonly lostTokens: number
  readonly lostDollars: number
  readonly savedDollars: number
  /**
   * False if the longer request would have been refused, because an impossible request costs
   * nothing.
   */
  readonly isSaving: boolean
}

const NOTHING: BilledTokens = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWriteLong: 0,
  output: 0,
}

/** What a turn saved, and what it wrote again, because the gateway shortened its request. */
function compareWithout(
  before: ModelAccount,
  usage: Usage,
  model: Model,
  event: AccountEvent,
): Effect {
  const removed = findRemoved(before, usage, event)
  if (removed.tokens === 0)
    return { removed, lostTokens: 0, lostDollars: 0, savedDollars: 0, isSaving: false }
  const { inputTokens, cachedInputTokens = 0 } = usage
  const without = inputTokens + removed.tokens
  const heldTokens = findHeldTokens(before, model, event)
  const held = heldTokens === 0 ? 0 : Math.min(heldTokens + before.removed.tokens, without)
  const lostTokens = Math.max(inputTokens - cachedInputTokens - (without - held), 0)
  const windowTokens = event.windowTokens ?? (model.known ? model.contextWindowTokens : Infinity)
  const isSaving = removed.act === 'save' && without <= windowTokens
  const prices = model.pricesPerMillionTokens
  if (!prices) return { removed, lostTokens, lostDollars: 0, savedDollars: 0, isSaving }
  const { isLongLived } = event
  const written = priceTokens(
    { ...NOTHING, [isLongLived ? 'cacheWriteLong' : 'cacheWrite']: lostTokens },
    prices,
  )
  const lostDollars = written - priceTokens({ ...NOTHING, cachedInput: lostTokens }, prices)
  const pricing: Pricing = {
    prices,
    cache: caches(usage, model) ? model.cache : undefined,
    isLongLived,
  }
  const paid = priceTokens({ ...bill(usage, isLongLived), output: 0 }, prices)
  const spared = priceTokens(billPrompt(without, held, pricing), prices) - paid
  return {
    removed,
    lostTokens,
    lostDollars,
    savedDollars: isSaving ? spared + lostDollars : 0,
    isSaving,
  }
}

/** All tokens that this request lacks, as its provider counts them. */
function findRemoved(
  before: ModelAccount,
  usage: Usage,
  { done }: AccountEvent,
): ModelAccount['removed'] {
  if (done?.type !== 'replace' || !isShortening(done.record)) return { tokens: 0, act: 'save' }
  const { act, tokensBefore, tokensAfter } = done.record
  const scale = tokensAfter > 0 ? usage.inputTokens / tokensAfter : 0
  const added = Math.max(tokensBefore - tokensAfter, 0) * scale
  return {
    tokens: before.removed.tokens + Math.round(added),
    act:
      act === 'guard' || (before.removed.tokens > 0 && before.removed.act === 'guard')
        ? 'guard'
        : 'save',
  }
}

const isShortening = ({ act }: ActRecord) => act === 'guard' || act === 'save'

interface AnsweredCompaction {
  /** What the model's own compaction would have cost, in US dollars, and taken, in milliseconds. */
  readonly dollars: number | undefined
  readonly milliseconds: number | undefined
}

/** The model's own compaction: the history read again, and a summary of the usual size. */
function findCompaction(
  known: ModelAccount,
  record: ActRecord,
  model: Model,
  event: AccountEvent,
): AnsweredCompaction {
  const { last, timed } = known
  // The provider's own count of the turn before is more accurate than ours, which is an upper
  // bound.
  const tokens = last
    ? Math.min(record.tokensBefore, last.promptTokens + last.outputTokens)
    : record.tokensBefore
  const summaryTokens = countModelSummary(tokens, model)
  const prices = model.pricesPerMillionTokens
  const pricing = prices && {
    prices,
    cache: last?.caches ? model.cache : undefined,
    isLongLived: event.isLongLived,
  }
  const read = pricing && billPrompt(tokens, findHeldTokens(known, model, event), pricing)
  return {
    dollars: read && prices && priceTokens({ ...read, output: summaryTokens }, prices),
    milliseconds:
      timed.answers > 0
        ? timed.firstByteMilliseconds / timed.answers +
          (summaryTokens * timed.outputMilliseconds) / timed.outputTokens
        : undefined,
  }
}

function addCompaction(
  before: CompactionAccount,
  { dollars, milliseconds }: AnsweredCompaction,
  { tokensBefore, tokensAfter, milliseconds: ownMilliseconds }: ActRecord,
): CompactionAccount {
  return {
    count: before.count + 1,
    inputTokens: before.inputTokens + tokensBefore,
    outputTokens: before.outputTokens + tokensAfter,
    milliseconds: before.milliseconds + ownMilliseconds,
    priced: before.priced + (dollars === undefined ? 0 : 1),
    dollars: before.dollars + (dollars ?? 0),
    timed: before.timed + (milliseconds === undefined ? 0 : 1),
    savedMilliseconds:
      before.savedMilliseconds + (milliseconds === undefined ? 0 : milliseconds - ownMilliseconds),
  }
}

function describeAct(
  { type, record }: NonNullable<AccountEvent['done']>,
  lostTokens: number,
  compaction: AnsweredCompaction | undefined,
): AccountedAct {
  const { milliseconds } = compaction ?? {}
  return {
    ...record,
    type,
    ...(lostTokens > 0 && { lostTokens }),
    ...(compaction?.dollars !== undefined && { modelDollars: compaction.dollars }),
    ...(milliseconds !== undefined && { modelMilliseconds: milliseconds }),
  }
}
