/**
 * One turn in the account of a session, against the same turn without the gateway:
 *
 *   without us   [ prompt, counted by the provider ][ removed ]   cached: the turn before
 *   with us      [ prompt, counted by the provider ]              cached: what the provider reports
 */

import type { Model, Usage } from '@precis/core'
import { type BilledTokens, billPrompt, type Pricing, priceTokens } from '@precis/core/engine'
import type { ActRecord, AskedWindow, PassReason } from './gateway.ts'
import type { AccountedAct, ModelAccount } from './session-account.ts'

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

export interface AccountStep {
  readonly account: ModelAccount
  readonly lostTokens: number
}

/** A turn that the upstream counted. */
export function addTurn(
  before: ModelAccount,
  usage: Usage,
  model: Model,
  event: AccountEvent,
): AccountStep {
  const compaction = bill(usage.compaction ?? NO_USAGE, event.isLongLived)
  const answered = bill(usage, event.isLongLived)
  const billed: BilledTokens = {
    input: answered.input + compaction.input,
    cachedInput: answered.cachedInput + compaction.cachedInput,
    cacheWrite: answered.cacheWrite + compaction.cacheWrite,
    cacheWriteLong: answered.cacheWriteLong + compaction.cacheWriteLong,
    output: answered.output + compaction.output,
  }
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
      outputTokens: before.timed.outputTokens + (isTimed ? usage.outputTokens : 0),
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

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 }
const NOTHING = bill(NO_USAGE, false)

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
export function findHeldTokens(
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
