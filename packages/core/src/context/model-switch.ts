/** A switch of the model: all or nothing. Every path that changes the model goes through here. */
import { auto } from '../engine/ladder.ts'
import { digest } from '../summarizers/digest.ts'
import { adaptHistory, createSwitchNote } from './adapt-history.ts'
import type { CompressionOrder } from './compressor.ts'
import type { ContextCompression } from './context-compression.ts'
import type { LiveState } from './live-state.ts'
import { clearing, findClearedTokens, findSafeTokens, planSwitch, type SwitchPlan } from './plan-switch.ts'
import { renderCount } from './render-count.ts'
import { createSettings, type Settings } from './settings.ts'
import type { SwitchOptions, SwitchPreview, SwitchResult, SwitchVerdict } from './switch.ts'

export async function previewSwitch(live: LiveState, model: string, options: SwitchOptions): Promise<SwitchPreview> {
  const to = findNext(live, model, options)
  if (isSame(live.settings, to)) return stay(live, to, 'same-model')
  if (live.lock.isHeld) return stay(live, to, 'busy')
  return (await plan(live, to)).preview
}

export async function switchModel(
  live: LiveState,
  model: string,
  { signal = new AbortController().signal, ...options }: SwitchOptions & { readonly signal?: AbortSignal },
): Promise<SwitchResult> {
  const to = findNext(live, model, options)
  if (isSame(live.settings, to)) return { type: 'unchanged' }
  if (live.lock.isHeld) {
    return refuse('busy', 'A compression runs. Ask again when it is done.', stay(live, to, 'busy'))
  }
  return await live.lock.hold(() => perform(live, to, signal), signal)
}

async function perform(live: LiveState, to: Settings, signal: AbortSignal): Promise<SwitchResult> {
  const planned = await plan(live, to)
  const { preview } = planned
  if (signal.aborted) return refuse('aborted', 'The switch was cancelled.', preview)
  if (preview.verdict === 'cannot-fit') return refuse('cannot-fit', describeRefusal(preview), preview)
  if (preview.verdict === 'fits') {
    const { conversation } = live.history.transcript
    const adapted = adaptHistory(conversation, live.settings, to)
    const from = live.settings.name
    const tokens = move(live, to, adapted === conversation ? undefined : () => live.history.rewrite(adapted.messages))
    live.listeners.tell('model-switched', { from, to: to.name, tokens })
    return { type: 'switched', preview }
  }
  let last: ContextCompression | undefined
  for (const order of createOrders(live, to, planned)) {
    last = await compressFor(live, to, order, signal)
    const { outcome } = last
    if (outcome.type === 'compressed') {
      live.listeners.tell('model-switched', { from: preview.from, to: to.name, tokens: last.tokensAfter })
      return { type: 'switched', preview, compression: last }
    }
    if (outcome.type === 'vetoed') return refuse('vetoed', outcome.reason, preview)
    if (outcome.type === 'aborted') return refuse('aborted', 'The switch was cancelled.', preview)
    if (outcome.type === 'failed') return refuse('failed', outcome.error.message, preview)
  }
  const refusal = last?.outcome.type === 'cannot-fit' ? last.outcome.refusal : undefined
  return refuse('cannot-fit', describeRefusal({ ...preview, ...(refusal && { refusal }) }), preview)
}

/** From what keeps most to what fits for certain. */
function createOrders(
  live: LiveState,
  to: Settings,
  { preview, targetTokens, budgetTokens }: SwitchPlan,
): CompressionOrder[] {
  const adapt: CompressionOrder['adapt'] = (conversation) => adaptHistory(conversation, live.settings, to)
  const order = (part: Partial<CompressionOrder>) =>
    live.createOrder({
      trigger: 'model-switch',
      budgetTokens,
      targetTokens,
      counter: to.counter,
      tokens: preview.tokens,
      isDemand: true,
      adapt,
      ...part,
    })
  const clearedTokens = Math.min(findClearedTokens(to, live.measure.hiddenTokens), budgetTokens)
  const clear = order({ targetTokens: clearedTokens, strategy: clearing, summarizer: digest() })
  // Paused models are not asked by a switch either: only a person who says `compress` pays for another try.
  const summarizer = live.pause.isOn ? digest() : live.summarizer
  return [
    ...(preview.verdict === 'fits-after-clearing' ? [clear] : []),
    order({ summarizer }),
    order({ strategy: auto, summarizer: digest() }),
  ]
}

/** What the previous model summarized, checked against the window of the next one before anything changes. */
async function compressFor(live: LiveState, to: Settings, order: CompressionOrder, signal: AbortSignal) {
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

/** The point of no return: nothing in it waits. Gives what the next request has. */
function move(live: LiveState, to: Settings, rewrite?: () => void): number {
  const { settings: from, history } = live
  live.settings = to
  history.transcript.obey(to.protocol)
  if (rewrite) rewrite()
  else if (from.model.provider !== to.model.provider) history.forget()
  const note = createSwitchNote(history.transcript.conversation, from.name, to.name)
  if (note.length > 0) history.say(note)
  live.forgetSent()
  return live.settle()
}

async function plan(live: LiveState, to: Settings): Promise<SwitchPlan> {
  const { conversation } = live.history.transcript
  const { cachedTokens, pins, measure } = live
  const { hiddenTokens } = measure
  return await planSwitch({
    conversation,
    from: live.settings,
    to,
    pins,
    recall: live.options.recall,
    cachedTokens,
    hiddenTokens,
  })
}

/** The model there is keeps the window it has, also one that its provider taught. */
function findNext(live: LiveState, model: string, { windowTokens }: SwitchOptions): Settings {
  if (model === live.settings.name && windowTokens === undefined) return live.settings
  return createSettings(model, live.options, windowTokens)
}

function isSame(from: Settings, to: Settings): boolean {
  return from.name === to.name && from.windowTokens === to.windowTokens
}

function stay({ settings, history }: LiveState, to: Settings, verdict: SwitchVerdict): SwitchPreview {
  const tokens = to.counter.countConversation(history.transcript.conversation).upper
  const safeTokens = findSafeTokens(to)
  const { windowTokens } = to
  return {
    from: settings.name,
    to: to.name,
    verdict,
    tokens,
    windowTokens,
    safeTokens,
    tokensAfter: tokens,
    losses: [],
  }
}

type RefusalReason = Extract<SwitchResult, { type: 'refused' }>['reason']

function refuse(reason: RefusalReason, explanation: string, preview: SwitchPreview): SwitchResult {
  return { type: 'refused', reason, explanation, preview }
}

function describeRefusal({ to, safeTokens, tokens, refusal }: SwitchPreview): string {
  const why = refusal ? `; ${refusal.item} alone has ${renderCount(refusal.itemTokens)}` : ''
  return `${renderCount(tokens)} tokens cannot be made to fit the ${renderCount(safeTokens)} that are safe with ${to}${why}.`
}
