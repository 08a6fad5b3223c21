/**
 * A switch of the model: all or nothing. Its effect on the history is found by a trial that asks no
 * model.
 */

import { findCutPoints } from '../conversation/cut-points.ts'
import { ACKNOWLEDGEMENT } from '../conversation/injected-text.ts'
import { type Conversation, createSyntheticMessage, type Message } from '../conversation/message.ts'
import { createPause, inSteps } from '../conversation/steps.ts'
import { digest } from '../digest/digest.ts'
import { auto } from '../engine/ladder.ts'
import type { Refusal } from '../engine/refusal.ts'
import { renderCount } from '../text/index.ts'
import type { CompressionOrder } from './compressor.ts'
import type { SwitchOptions, SwitchOutcome, SwitchPreview, SwitchResult } from './context.ts'
import type { LiveState } from './live-state.ts'
import {
  adaptHistory,
  clearing,
  findSafeTokens,
  planSwitch,
  type SwitchPlan,
} from './plan-switch.ts'
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
  const isUnchanged = isSame(live.settings, to)
  if (isUnchanged || live.lock.isHeld) {
    await loadCounters(live, to)
    return isUnchanged
      ? end({ type: 'unchanged', reason: 'same-model' }, stay(live, to, 'same-model'))
      : end({ type: 'busy' }, stay(live, to, 'busy'))
  }
  live.switching = new AbortController()
  const ended = AbortSignal.any([live.switching.signal, ...(signal ? [signal] : [])])
  return await live.lock.hold(() => perform(live, to, ended), ended)
}

const SUPERSEDED = 'A newer switch took its place.'

async function perform(live: LiveState, to: Settings, signal: AbortSignal): Promise<SwitchResult> {
  await loadCounters(live, to)
  const plan = await planSwitch(live, to)
  const { preview } = plan
  if (signal.aborted) return end({ type: 'aborted' }, preview, signal)
  if (preview.verdict === 'cannot-fit')
    return end({ type: 'cannot-fit', refusal: preview.refusal }, preview)
  if (preview.verdict === 'fits') {
    const { conversation } = live.history.transcript
    const adapted = adaptHistory(conversation, live.settings, to)
    const tokens = move(
      live,
      to,
      adapted === conversation ? undefined : () => live.history.rewrite(adapted.messages),
    )
    live.listeners.tell('model-switched', { from: preview.from, to: to.name, tokens })
    return end({ type: 'switched' }, preview)
  }
  let refusal: Refusal | undefined
  for (const order of createOrders(live, to, plan)) {
    const compression = await compressFor(live, to, order, signal)
    const { outcome, tokensAfter: tokens } = compression
    if (outcome.type === 'compressed') {
      live.listeners.tell('model-switched', { from: preview.from, to: to.name, tokens })
      return { ...end({ type: 'switched' }, preview), compression }
    }
    if (outcome.type === 'vetoed' || outcome.type === 'aborted' || outcome.type === 'failed')
      return end(outcome, preview, signal)
    refusal = outcome.type === 'cannot-fit' ? outcome.refusal : undefined
  }
  return end({ type: 'cannot-fit', refusal: refusal ?? plan.refuse() }, preview)
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
  verdict: 'same-model' | 'busy',
): SwitchPreview {
  const tokens = to.counter.countConversation(history.transcript.conversation).upper
  const safeTokens = findSafeTokens(to)
  const { windowTokens } = to
  const names = { from: settings.name, to: to.name }
  return { ...names, verdict, tokens, windowTokens, safeTokens, tokensAfter: tokens, losses: [] }
}

function end(outcome: SwitchOutcome, preview: SwitchPreview, signal?: AbortSignal): SwitchResult {
  return { outcome, explanation: explain(outcome, preview, signal), preview }
}

function explain(
  outcome: SwitchOutcome,
  { to, safeTokens, tokens }: SwitchPreview,
  signal?: AbortSignal,
): string {
  switch (outcome.type) {
    case 'switched':
    case 'unchanged':
      return `${to} is in use.`
    case 'busy':
      return 'A compression runs.'
    case 'vetoed':
      return outcome.reason
    case 'failed':
      return outcome.error.message
    case 'aborted':
      return signal?.reason === SUPERSEDED ? SUPERSEDED : 'The switch was cancelled.'
    case 'cannot-fit': {
      const { item, itemTokens } = outcome.refusal
      return `${renderCount(tokens)} tokens do not fit the ${renderCount(safeTokens)} that are safe with ${to}; ${item} alone has ${renderCount(itemTokens)}.`
    }
  }
}

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
