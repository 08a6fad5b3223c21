/** The effect of another model on the history, found by a trial that asks no model. */

import { repairInvariants } from '../conversation/invariants/index.ts'
import { keepPartsOf } from '../conversation/invariants/invariant.ts'
import type { Conversation, Message, Part } from '../conversation/message.ts'
import { createPause, inSteps } from '../conversation/steps.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import { digest } from '../digest/digest.ts'
import { auto, type Ladder } from '../engine/ladder.ts'
import { countImages } from '../engine/limits.ts'
import { countOverhead, createRefusal, type Refusal } from '../engine/refusal.ts'
import { withoutPins } from '../engine/unpin.ts'
import { renderCount } from '../text/index.ts'
import { compressSparingRequest } from './compressor.ts'
import type { SwitchLoss, SwitchPreview, SwitchVerdict } from './context.ts'
import type { LiveState } from './live-state.ts'
import type { Settings } from './settings.ts'

export interface SwitchPlan {
  readonly preview: SwitchPreview
  /**
   * The most that a summary may leave, the size that it aims at, and the size that clearing aims
   * at.
   */
  readonly budgetTokens: number
  readonly targetTokens: number
  readonly clearedTokens: number
  /** The most that a last request may leave which stays whole. */
  readonly stretchTokens: number
  /** For a compression that failed for another reason than one large item. */
  refuse(): Refusal
}

// Counting for another model is an estimate, and an answer needs space.
const SAFE_SHARE = 0.9

const LEAST_KEPT = 0.05

const MOST_KEPT = 0.3

// Clearing ends well below the threshold, so that the next request does not compress again.
const CLEARED_SHARE = 0.9

/** Only clears. The rest needs no summary. */
export const clearing: Ladder = {
  name: auto.name,
  rungs: auto.rungs.filter(({ type }) => type === 'clear'),
}

export const findSafeTokens = ({ windowTokens }: Settings): number =>
  Math.floor(SAFE_SHARE * windowTokens)

export async function planSwitch(live: LiveState, to: Settings): Promise<SwitchPlan> {
  const { settings: from, pins, unpins } = live
  const { hiddenTokens } = live.measure
  const adapt = () => adaptHistory(live.history.transcript.conversation, from, to)
  await inSteps(to.counter.countInSteps(adapt().messages), createPause())
  // With what came meanwhile.
  const adapted = adapt()
  const counted = to.counter.countConversation(adapted).upper
  const tokens = counted + hiddenTokens
  const safeTokens = findSafeTokens(to)
  const sizes = findSizes(adapted, counted, hiddenTokens, to)
  const { budgetTokens, targetTokens, clearedTokens, stretchTokens } = sizes
  const known = { from: from.name, to: to.name, tokens, windowTokens: to.windowTokens, safeTokens }
  const unusable = findLosses(live, to)
  const refuse = () => createRefusal(adapted, adapted, to.counter, { tokens: budgetTokens })
  const plan = (
    verdict: Exclude<SwitchVerdict, 'cannot-fit'>,
    tokensAfter: number,
    result = adapted,
  ): SwitchPlan => {
    const losses = [...findChanges(adapted, result, to), ...unusable]
    return { ...sizes, refuse, preview: { ...known, losses, verdict, tokensAfter } }
  }
  const attempt = async (strategy: Ladder, aimTokens: number) =>
    await compressSparingRequest(withoutPins(adapted, [...unpins]), {
      counter: to.counter,
      strategy,
      pins,
      recall: live.options.recall,
      summarizer: digest(),
      budgetTokens,
      stretchTokens,
      targetTokens: aimTokens,
    })
  if (tokens <= safeTokens) return plan('fits', tokens)
  const cleared = await attempt(clearing, clearedTokens)
  if (cleared.outcome.type === 'compressed' && cleared.report.after.tokens <= clearedTokens) {
    return plan(
      'fits-after-clearing',
      cleared.report.after.tokens + hiddenTokens,
      cleared.conversation,
    )
  }
  const { outcome, report, conversation } = await attempt(auto, targetTokens)
  if (outcome.type === 'compressed') {
    return plan('fits-after-summary', report.after.tokens + hiddenTokens, conversation)
  }
  const refusal = outcome.type === 'cannot-fit' ? outcome.refusal : refuse()
  const preview = { ...known, losses: unusable, tokensAfter: tokens } as const
  return { ...sizes, refuse, preview: { ...preview, verdict: 'cannot-fit', refusal } }
}

function findSizes(
  adapted: Conversation,
  counted: number,
  hiddenTokens: number,
  to: Settings,
): Omit<SwitchPlan, 'preview' | 'refuse'> {
  const safeTokens = findSafeTokens(to)
  const limit = (most: number) => Math.max(Math.min(safeTokens, most) - hiddenTokens, 0)
  const budgetTokens = limit(to.roomTokens)
  return {
    budgetTokens,
    targetTokens: findTarget(
      counted,
      countOverhead(adapted, to.counter),
      budgetTokens,
      Math.max(to.targetTokens - hiddenTokens, 0),
    ),
    clearedTokens: Math.min(limit(Math.floor(CLEARED_SHARE * to.thresholdTokens)), budgetTokens),
    stretchTokens: limit(to.stretchTokens),
  }
}

/** Small enough that the first request to the new model does not compress again. */
function findTarget(
  tokens: number,
  overheadTokens: number,
  safeTokens: number,
  targetTokens: number,
): number {
  const share = (safeTokens - overheadTokens) / Math.max(tokens, 1)
  const kept = Math.min(Math.max(share, LEAST_KEPT), MOST_KEPT) * tokens
  const least = overheadTokens + LEAST_KEPT * tokens
  return Math.floor(Math.min(overheadTokens + kept, Math.max(targetTokens, least), safeTokens))
}

/** Lists the losses of a trial: messages that it has not kept verbatim. */
function findChanges(before: Conversation, after: Conversation, to: Settings): SwitchLoss[] {
  if (before === after) return []
  const kept = new Set(after.messages)
  // A message that was changed has the same records.
  const changed = new Map(
    after.messages.flatMap((message) => (message.records ? [[message.records, message]] : [])),
  )
  const request = findLastUserRequest(before.messages)
  const losses: SwitchLoss[] = []
  let removed = 0
  let shortened = 0
  before.messages.forEach((message, index) => {
    if (kept.has(message)) return
    const left = message.records && changed.get(message.records)
    if (index === request) {
      const count = (one: Message | undefined) => (one ? to.counter.countMessage(one).upper : 0)
      const amount = count(message) - count(left)
      const explanation = `The last request is cut by ${renderCount(amount)} of ${renderCount(count(message))} tokens: it does not fit whole.`
      losses.push({ of: 'request', amount, explanation })
    } else if (left) shortened++
    else removed++
  })
  const of = (amount: number) =>
    `${renderCount(amount)} of ${renderCount(before.messages.length)} messages`
  if (removed > 0) {
    const known = new Set(before.messages)
    const isSummarized = after.messages.some((message) => isSummary(message) && !known.has(message))
    const explanation = `${of(removed)} are ${isSummarized ? 'replaced by a summary' : 'left out'}.`
    losses.push({ of: 'messages', amount: removed, explanation })
  }
  const explanation = `${of(shortened)} lose tool output, images or reasoning.`
  if (shortened > 0) losses.push({ of: 'parts', amount: shortened, explanation })
  return losses
}

/** Lists what the new model cannot use, whatever is kept. */
function findLosses(
  { history, settings: from, cachedTokens }: LiveState,
  to: Settings,
): SwitchLoss[] {
  const { messages } = history.transcript.conversation
  const losses: SwitchLoss[] = []
  const images = messages.reduce((sum, message) => sum + countImages(message), 0)
  if (images > 0 && to.model.provider === 'other') {
    const explanation = `${to.name} may not take images, and the history has ${images}: the catalogue does not tell.`
    losses.push({ of: 'images', amount: images, explanation })
  }
  const signed = messages.reduce((sum, { parts }) => sum + parts.filter(isSigned).length, 0)
  if (signed > 0 && from.model.provider !== to.model.provider) {
    const explanation = `${signed} signed thoughts of ${from.name} are left out: no other provider takes them.`
    losses.push({ of: 'reasoning', amount: signed, explanation })
  }
  if (cachedTokens > 0) {
    const explanation = `${renderCount(cachedTokens)} tokens that ${from.name} holds in its cache are sent to ${to.name} in full.`
    losses.push({ of: 'cache', amount: cachedTokens, explanation })
  }
  return losses
}

/**
 * The history as another model may be sent it. A signature holds for the provider that gave it, and
 * for no other.
 */
export function adaptHistory(
  conversation: Conversation,
  from: Settings,
  to: Settings,
): Conversation {
  const isForeign = from.model.provider !== to.model.provider
  const own = isForeign ? keepPartsOf(conversation, (part) => !isSigned(part)) : conversation
  if (own === conversation && to.protocol === conversation.protocol) return conversation
  return repairInvariants({ ...own, protocol: to.protocol })
}

const isSigned = (part: Part): boolean => part.type === 'reasoning' && part.signatureLength > 0
