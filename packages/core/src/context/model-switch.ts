/**
 * A switch of the model: all or nothing. Its effect on the history is found by a trial that asks no
 * model.
 */

import { findCutPoints } from '../conversation/cut-points.ts'
import { ACKNOWLEDGEMENT } from '../conversation/injected-text.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import { keepPartsOf } from '../conversation/invariants/invariant.ts'
import {
  type Conversation,
  createSyntheticMessage,
  type Message,
  type Part,
} from '../conversation/message.ts'
import { createPause, inSteps } from '../conversation/steps.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import { digest } from '../digest/digest.ts'
import { auto, type Ladder } from '../engine/ladder.ts'
import { countImages } from '../engine/limits.ts'
import { countOverhead } from '../engine/refusal.ts'
import { withoutPins } from '../engine/unpin.ts'
import { type CompressionOrder, compressSparingRequest } from './compressor.ts'
import type {
  ContextCompression,
  SwitchLoss,
  SwitchOptions,
  SwitchPreview,
  SwitchResult,
  SwitchVerdict,
} from './context.ts'
import { renderCount } from './decide.ts'
import type { LiveState } from './live-state.ts'
import { createSettings, type Settings } from './settings.ts'

export async function previewSwitch(
  live: LiveState,
  model: string,
  options: SwitchOptions,
): Promise<SwitchPreview> {
  const to = createNext(live, model, options)
  await loadCounters(live, to)
  if (isSame(live.settings, to)) return stay(live, to, 'same-model')
  if (live.lock.isHeld) return stay(live, to, 'busy')
  return (await planSwitch(live, to)).preview
}

/** Takes the lock before it waits for anything. Calls that arrive meanwhile use the new model. */
export async function switchModel(
  live: LiveState,
  model: string,
  { signal, ...options }: SwitchOptions & { readonly signal?: AbortSignal | undefined },
): Promise<SwitchResult> {
  const to = createNext(live, model, options)
  live.switching?.abort(SUPERSEDED)
  if (isSame(live.settings, to)) return { type: 'unchanged' }
  if (live.lock.isHeld) {
    await loadCounters(live, to)
    return refuse('busy', 'A compression runs. Ask again when it is done.', stay(live, to, 'busy'))
  }
  live.switching = new AbortController()
  const ended = AbortSignal.any([live.switching.signal, ...(signal ? [signal] : [])])
  return await live.lock.hold(() => perform(live, to, ended), ended)
}

const SUPERSEDED = 'A newer switch took its place.'

async function perform(live: LiveState, to: Settings, signal: AbortSignal): Promise<SwitchResult> {
  const cancel = (at: SwitchPreview) =>
    refuse('aborted', signal.reason === SUPERSEDED ? SUPERSEDED : 'The switch was cancelled.', at)
  await loadCounters(live, to)
  const plan = await planSwitch(live, to)
  const { preview } = plan
  if (signal.aborted) return cancel(preview)
  if (preview.verdict === 'cannot-fit')
    return refuse('cannot-fit', describeRefusal(preview), preview)
  if (preview.verdict === 'fits') {
    const { conversation } = live.history.transcript
    const adapted = adaptHistory(conversation, live.settings, to)
    const tokens = move(
      live,
      to,
      adapted === conversation ? undefined : () => live.history.rewrite(adapted.messages),
    )
    live.listeners.tell('model-switched', { from: preview.from, to: to.name, tokens })
    return { type: 'switched', preview }
  }
  let last: ContextCompression | undefined
  for (const order of createOrders(live, to, plan)) {
    last = await compressFor(live, to, order, signal)
    const { outcome } = last
    if (outcome.type === 'compressed') {
      live.listeners.tell('model-switched', {
        from: preview.from,
        to: to.name,
        tokens: last.tokensAfter,
      })
      return { type: 'switched', preview, compression: last }
    }
    if (outcome.type === 'vetoed') return refuse('vetoed', outcome.reason, preview)
    if (outcome.type === 'aborted') return cancel(preview)
    if (outcome.type === 'failed') return refuse('failed', outcome.error.message, preview)
  }
  const refusal = last?.outcome.type === 'cannot-fit' ? last.outcome.refusal : undefined
  return refuse(
    'cannot-fit',
    describeRefusal({ ...preview, refusal: refusal ?? preview.refusal }),
    preview,
  )
}

/** From what keeps most to what fits for certain. */
function createOrders(live: LiveState, to: Settings, plan: SwitchPlan): CompressionOrder[] {
  const { preview, budgetTokens, targetTokens, stretchTokens } = plan
  const order = (part: Partial<CompressionOrder>) =>
    live.createOrder({
      trigger: 'model-switch',
      budgetTokens,
      targetTokens,
      stretchTokens,
      counter: to.counter,
      requestLimits: live.limits.findRoomy(to),
      tokens: preview.tokens,
      isWanted: true,
      adapt: (conversation) => adaptHistory(conversation, live.settings, to),
      ...part,
    })
  // A switch asks no model during a cooldown either. Only a user who calls `compress` pays for
  // another try.
  const summarizer = live.cooldown.isOn ? digest() : live.summarizer
  const clear = { targetTokens: plan.clearedTokens, strategy: clearing, summarizer: digest() }
  return [
    ...(preview.verdict === 'fits-after-clearing' ? [order(clear)] : []),
    order({ summarizer }),
    order({ strategy: auto, summarizer: digest() }),
  ]
}

/**
 * Compresses with the previous model, and checks the result against the next one's window before
 * anything changes.
 */
async function compressFor(
  live: LiveState,
  to: Settings,
  order: CompressionOrder,
  signal: AbortSignal,
) {
  const computed = await live.compressor.compute(order, signal)
  const joined = live.history.join(computed.snapshot, computed.conversation.messages)
  const messages = joined ?? computed.conversation.messages
  const counted = to.counter.countConversation({ ...computed.conversation, messages }).upper
  const tokens = counted + live.measure.hiddenTokens
  if (computed.outcome.type === 'compressed' && tokens > to.windowTokens) {
    return live.compressor.end(computed, { type: 'discarded' })
  }
  return await live.compressor.apply(computed, signal, () => move(live, to))
}

/** The point of no return, without any waiting. Returns the size of the next request. */
function move(live: LiveState, to: Settings, rewrite?: () => void): number {
  const { settings: from, history } = live
  live.settings = to
  history.transcript.obey(to.protocol)
  if (rewrite) rewrite()
  else if (from.model.provider !== to.model.provider) history.forget()
  const note = createSwitchNote(history.transcript.conversation, from.name, to.name)
  if (note.length > 0) history.say(note)
  live.forgetSent()
  return live.remeasure()
}

/** The model there is keeps the window it has, also one that its provider taught. */
function createNext(
  { settings, options }: LiveState,
  model: string,
  { windowTokens }: SwitchOptions,
): Settings {
  const isSameModel = model === settings.name && windowTokens === undefined
  return isSameModel ? settings : createSettings(model, options, windowTokens)
}

async function loadCounters(live: LiveState, to: Settings): Promise<void> {
  for (const { counter } of [live.settings, to]) if (!counter.isLoaded) await counter.load()
  await live.count()
  await inSteps(to.counter.countInSteps(live.history.transcript.messages), createPause())
}

const isSame = (from: Settings, to: Settings): boolean =>
  from.name === to.name && from.windowTokens === to.windowTokens

function stay(
  { settings, history }: LiveState,
  to: Settings,
  verdict: SwitchVerdict,
): SwitchPreview {
  const tokens = to.counter.countConversation(history.transcript.conversation).upper
  const safeTokens = findSafeTokens(to)
  const { windowTokens } = to
  const names = { from: settings.name, to: to.name }
  return { ...names, verdict, tokens, windowTokens, safeTokens, tokensAfter: tokens, losses: [] }
}

type RefusalReason = Extract<SwitchResult, { type: 'refused' }>['reason']

function refuse(reason: RefusalReason, explanation: string, preview: SwitchPreview): SwitchResult {
  return { type: 'refused', reason, explanation, preview }
}

function describeRefusal({ to, safeTokens, tokens, refusal }: SwitchPreview): string {
  const why = refusal ? `; ${refusal.item} alone has ${renderCount(refusal.itemTokens)}` : ''
  return `${renderCount(tokens)} tokens cannot be made to fit the ${renderCount(safeTokens)} that are safe with ${to}${why}.`
}

interface SwitchPlan {
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
}

// Counting for another model is an estimate, and an answer needs space.
const SAFE_SHARE = 0.9
const LEAST_KEPT = 0.05
const MOST_KEPT = 0.3
// Clearing ends well below the threshold, so that the next request does not compress again.
const CLEARED_SHARE = 0.9

/** Only clears. The rest needs no summary. */
const clearing: Ladder = {
  name: auto.name,
  rungs: auto.rungs.filter(({ type }) => type === 'clear'),
}

const findSafeTokens = ({ windowTokens }: Settings): number => Math.floor(SAFE_SHARE * windowTokens)

async function planSwitch(live: LiveState, to: Settings): Promise<SwitchPlan> {
  const { settings: from, pins, unpins } = live
  const { hiddenTokens } = live.measure
  const adapt = () => adaptHistory(live.history.transcript.conversation, from, to)
  await inSteps(to.counter.countInSteps(adapt().messages), createPause())
  // With what came meanwhile.
  const adapted = adapt()
  const counted = to.counter.countConversation(adapted).upper
  const tokens = counted + hiddenTokens
  const safeTokens = findSafeTokens(to)
  const limit = (most: number) => Math.max(Math.min(safeTokens, most) - hiddenTokens, 0)
  const budgetTokens = limit(to.roomTokens)
  const stretchTokens = limit(to.stretchTokens)
  const overheadTokens = countOverhead(adapted, to.counter)
  const targetTokens = findTarget(
    counted,
    overheadTokens,
    budgetTokens,
    Math.max(to.targetTokens - hiddenTokens, 0),
  )
  const belowThreshold = Math.min(safeTokens, Math.floor(CLEARED_SHARE * to.thresholdTokens))
  const clearedTokens = Math.min(Math.max(belowThreshold - hiddenTokens, 0), budgetTokens)
  const sizes = { budgetTokens, targetTokens, clearedTokens, stretchTokens }
  const known = { from: from.name, to: to.name, tokens, windowTokens: to.windowTokens, safeTokens }
  const unusable = findLosses(live, to)
  const plan = (
    verdict: SwitchVerdict,
    tokensAfter: number,
    result = adapted,
    refusal?: SwitchPreview['refusal'],
  ): SwitchPlan => {
    const losses = [...findChanges(adapted, result, to), ...unusable]
    return { ...sizes, preview: { ...known, losses, verdict, tokensAfter, refusal } }
  }
  const attempt = async (strategy: Ladder, aimTokens: number) => {
    const options = {
      counter: to.counter,
      strategy,
      pins,
      recall: live.options.recall,
      summarizer: digest(),
    }
    const given = withoutPins(adapted, [...unpins])
    return await compressSparingRequest(given, {
      ...options,
      budgetTokens,
      stretchTokens,
      targetTokens: aimTokens,
    })
  }
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
  return plan(
    'cannot-fit',
    tokens,
    adapted,
    outcome.type === 'cannot-fit' ? outcome.refusal : undefined,
  )
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
function adaptHistory(conversation: Conversation, from: Settings, to: Settings): Conversation {
  const isForeign = from.model.provider !== to.model.provider
  const own = isForeign ? keepPartsOf(conversation, (part) => !isSigned(part)) : conversation
  if (own === conversation && to.protocol === conversation.protocol) return conversation
  return repairInvariants({ ...own, protocol: to.protocol })
}

const isSigned = (part: Part): boolean => part.type === 'reasoning' && part.signatureLength > 0

/**
 * The note of a switch, only after an answer: anywhere else two messages of the user would follow
 * each other.
 */
function createSwitchNote(
  { messages }: Conversation,
  from: string,
  to: string,
): readonly Message[] {
  const last = messages.findLast(({ role }) => role !== 'system')
  if (
    last?.role !== 'assistant' ||
    from === to ||
    findCutPoints(messages).pendingStart !== undefined
  )
    return []
  const note = createSyntheticMessage('user', `[The model was switched from ${from} to ${to}.]`)
  return [note, createSyntheticMessage('assistant', ACKNOWLEDGEMENT)]
}
