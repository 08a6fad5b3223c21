/** What a switch of the model would do to a history, by a trial that asks no model. */
import type { Conversation } from '../conversation/message.ts'
import type { RecallPath } from '../conversation/recall-path.ts'
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
  /** What a summary aims at; never above what is safe. */
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
  const room = Math.max(safeTokens - hiddenTokens, 0)
  const overheadTokens = countOverhead(adapted, to.counter)
  const budgetTokens = findBudget(counted, overheadTokens, room, Math.max(to.targetTokens - hiddenTokens, 0))
  const known = {
    from: from.name,
    to: to.name,
    tokens,
    windowTokens: to.windowTokens,
    safeTokens,
    losses: findLosses(input),
  }
  const plan = (preview: Pick<SwitchPreview, 'verdict' | 'tokensAfter' | 'refusal'>): SwitchPlan => ({
    preview: { ...known, ...preview },
    budgetTokens,
  })
  if (tokens <= safeTokens) return plan({ verdict: 'fits', tokensAfter: tokens })
  const cleared = await attempt(adapted, input, clearing, findClearedTokens(to, hiddenTokens))
  if (cleared.outcome.type === 'compressed') {
    return plan({ verdict: 'fits-after-clearing', tokensAfter: cleared.report.after.tokens + hiddenTokens })
  }
  let summarized = await attempt(adapted, input, auto, budgetTokens)
  if (summarized.outcome.type !== 'compressed') summarized = await attempt(adapted, input, auto, room)
  const { outcome, report } = summarized
  if (outcome.type === 'compressed') {
    return plan({ verdict: 'fits-after-summary', tokensAfter: report.after.tokens + hiddenTokens })
  }
  return plan({
    verdict: 'cannot-fit',
    tokensAfter: tokens,
    ...(outcome.type === 'cannot-fit' && { refusal: outcome.refusal }),
  })
}

async function attempt(conversation: Conversation, input: SwitchInput, strategy: Ladder, budgetTokens: number) {
  const { to, pins, recall, signal } = input
  return await compressConversation(conversation, {
    counter: to.counter,
    strategy,
    budgetTokens,
    pins,
    ...(recall && { recall }),
    summarizer: digest(),
    ...(signal && { signal }),
  })
}

/** Small enough that the first request to the new model does not compress once more. */
function findBudget(tokens: number, overheadTokens: number, safeTokens: number, targetTokens: number): number {
  const share = (safeTokens - overheadTokens) / Math.max(tokens, 1)
  const kept = Math.min(Math.max(share, LEAST_KEPT), MOST_KEPT) * tokens
  const least = overheadTokens + LEAST_KEPT * tokens
  return Math.floor(Math.min(overheadTokens + kept, Math.max(targetTokens, least), safeTokens))
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
