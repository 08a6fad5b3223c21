/** What a switch of the model would do to a history, by a trial that asks no model. */
import type { Conversation, Message } from '../conversation/message.ts'
import type { RecallPath } from '../conversation/recall-path.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import { compressConversation } from '../engine/compress-conversation.ts'
import { auto, type Ladder } from '../engine/ladder.ts'
import { countImages } from '../engine/limits.ts'
import { countOverhead } from '../engine/refusal.ts'
import { digest } from '../summarizers/digest.ts'
import { adaptHistory, isSigned } from './adapt-history.ts'
import { renderCount } from './render-count.ts'
import type { Settings } from './settings.ts'
import type { SwitchLoss, SwitchPreview } from './switch.ts'

export interface SwitchInput {
  readonly conversation: Conversation
  readonly from: Settings
  readonly to: Settings
  readonly pins: readonly string[]
  readonly recall?: RecallPath | undefined
  /** What the provider of the current model holds of the history. */
  readonly cachedTokens: number
  /** What the provider counts beside the history, such as a system prompt that the host adds. */
  readonly hiddenTokens: number
  readonly signal?: AbortSignal
}

export interface SwitchPlan {
  readonly preview: SwitchPreview
  /** The size that a summary aims at, and the most that it may leave. */
  readonly targetTokens: number
  readonly budgetTokens: number
}

// Counting for another model is an estimate, and an answer needs room.
const SAFE_SHARE = 0.9
const LEAST_KEPT = 0.05
const MOST_KEPT = 0.3
// What is cleared ends well below the threshold: the next request shall not compress once more.
const CLEARED_SHARE = 0.9

/** Clears and nothing else: what is left needs no summary. */
export const clearing: Ladder = { name: auto.name, rungs: auto.rungs.filter(({ type }) => type === 'clear') }

export function findSafeTokens({ windowTokens }: Settings): number {
  return Math.floor(SAFE_SHARE * windowTokens)
}

/** What clearing aims at, beside what the provider counts on top. */
export function findClearedTokens(to: Settings, hiddenTokens: number): number {
  const tokens = Math.min(findSafeTokens(to), Math.floor(CLEARED_SHARE * to.thresholdTokens))
  return Math.max(tokens - hiddenTokens, 0)
}

export async function planSwitch(input: SwitchInput): Promise<SwitchPlan> {
  const { from, to, hiddenTokens } = input
  const adapted = adaptHistory(input.conversation, from, to)
  const counted = to.counter.countConversation(adapted).upper
  const tokens = counted + hiddenTokens
  const safeTokens = findSafeTokens(to)
  const budgetTokens = Math.max(Math.min(safeTokens, to.roomTokens) - hiddenTokens, 0)
  const overheadTokens = countOverhead(adapted, to.counter)
  const targetTokens = findTarget(counted, overheadTokens, budgetTokens, Math.max(to.targetTokens - hiddenTokens, 0))
  const known = { from: from.name, to: to.name, tokens, windowTokens: to.windowTokens, safeTokens }
  const plan = (
    preview: Pick<SwitchPreview, 'verdict' | 'tokensAfter' | 'refusal'>,
    result?: Conversation,
  ): SwitchPlan => ({
    preview: { ...known, losses: [...findChanges(adapted, result ?? adapted, to), ...findLosses(input)], ...preview },
    targetTokens,
    budgetTokens,
  })
  if (tokens <= safeTokens) return plan({ verdict: 'fits', tokensAfter: tokens })
  const clearedTokens = Math.min(findClearedTokens(to, hiddenTokens), budgetTokens)
  const cleared = await attempt(adapted, input, clearing, { budgetTokens, targetTokens: clearedTokens })
  if (cleared.outcome.type === 'compressed' && cleared.report.after.tokens <= clearedTokens) {
    const tokensAfter = cleared.report.after.tokens + hiddenTokens
    return plan({ verdict: 'fits-after-clearing', tokensAfter }, cleared.conversation)
  }
  const { outcome, report, conversation } = await attempt(adapted, input, auto, { budgetTokens, targetTokens })
  if (outcome.type === 'compressed') {
    const tokensAfter = report.after.tokens + hiddenTokens
    return plan({ verdict: 'fits-after-summary', tokensAfter }, conversation)
  }
  return plan({
    verdict: 'cannot-fit',
    tokensAfter: tokens,
    ...(outcome.type === 'cannot-fit' && { refusal: outcome.refusal }),
  })
}

async function attempt(
  conversation: Conversation,
  input: SwitchInput,
  strategy: Ladder,
  budget: Pick<SwitchPlan, 'budgetTokens' | 'targetTokens'>,
) {
  const { to, pins, recall, signal } = input
  return await compressConversation(conversation, {
    counter: to.counter,
    strategy,
    ...budget,
    pins,
    ...(recall && { recall }),
    summarizer: digest(),
    ...(signal && { signal }),
  })
}

/** Small enough that the first request to the new model does not compress once more. */
function findTarget(tokens: number, overheadTokens: number, safeTokens: number, targetTokens: number): number {
  const share = (safeTokens - overheadTokens) / Math.max(tokens, 1)
  const kept = Math.min(Math.max(share, LEAST_KEPT), MOST_KEPT) * tokens
  const least = overheadTokens + LEAST_KEPT * tokens
  return Math.floor(Math.min(overheadTokens + kept, Math.max(targetTokens, least), safeTokens))
}

/** Lists the losses of a trial: messages that it has not kept word for word. */
function findChanges(before: Conversation, after: Conversation, to: Settings): SwitchLoss[] {
  if (before === after) return []
  const kept = new Set(after.messages)
  // A message that was changed stands for the same records.
  const changed = new Map(after.messages.flatMap((message) => (message.records ? [[message.records, message]] : [])))
  const request = findLastUserRequest(before.messages)
  const losses: SwitchLoss[] = []
  let removed = 0
  let shortened = 0
  before.messages.forEach((message, index) => {
    if (kept.has(message)) return
    const left = message.records && changed.get(message.records)
    if (index !== request) {
      if (left) shortened++
      else removed++
      return
    }
    const count = (part: Message | undefined) => (part ? to.counter.countMessage(part).upper : 0)
    const amount = count(message) - count(left)
    const explanation = `The last request is cut by ${renderCount(amount)} of ${renderCount(count(message))} tokens: it does not fit whole.`
    losses.push({ of: 'request', amount, explanation })
  })
  const of = (amount: number) => `${renderCount(amount)} of ${renderCount(before.messages.length)} messages`
  if (removed > 0) {
    const known = new Set(before.messages)
    const isSummarized = after.messages.some((message) => isSummary(message) && !known.has(message))
    const explanation = `${of(removed)} are ${isSummarized ? 'replaced by a summary' : 'left out'}.`
    losses.push({ of: 'messages', amount: removed, explanation })
  }
  if (shortened > 0) {
    losses.push({
      of: 'parts',
      amount: shortened,
      explanation: `${of(shortened)} lose tool output, images or reasoning.`,
    })
  }
  return losses
}

function findLosses({ conversation: { messages }, from, to, cachedTokens }: SwitchInput): SwitchLoss[] {
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
