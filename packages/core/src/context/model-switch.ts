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
import { renderCount } from '../text/index.ts'
import type { ContextCompression } from './compressions.ts'
import type { CompressionOrder } from './compressor.ts'
import type { SwitchOptions, SwitchPreview, SwitchResult, SwitchVerdict } from './context.ts'
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
