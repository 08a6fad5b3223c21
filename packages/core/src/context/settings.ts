import type { Protocol } from '../conversation/message.ts'
import { type RequestFormat, requestFormats } from '../formats/request-formats.ts'
import { isMessageFormat } from '../formats/shared/message-format.ts'
import { findModel } from '../models/find-model.ts'
import type { ContextWindow, Model, Provider } from '../models/model.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import type { ContextOptions, Spend, Usage } from './context.ts'

export interface LiveOptions<Native extends object = object> extends ContextOptions<Native> {
  /** The longest answer that a host asks for: kept free, up to half of any window. */
  readonly answerTokens?: number | undefined
  /** What the first of its messages replace, if they are the result of an earlier compression. */
  readonly replaced?: readonly Native[] | undefined
  readonly sentBefore?: SentBefore | undefined
}

/** The latest request of a history that another process sent. */
export interface SentBefore {
  /** When it was answered, in milliseconds of the clock. */
  readonly at: number
  /** As the provider reported it. */
  readonly usage: Usage
}

/** Everything that follows from a model, and that a switch changes. */
export interface Settings extends ContextWindow {
  readonly name: string
  readonly model: Model
  readonly counter: TokenCounter
  readonly protocol: Protocol
  readonly reserveTokens: number
  /** The window less the reserve: the most that a compression leaves. */
  readonly roomTokens: number
  /**
   * The largest size if the last request would otherwise be cut. A default reserve shrinks for it,
   * down to a short answer. A reserve set by the host does not.
   */
  readonly stretchTokens: number
  readonly thresholdTokens: number
  readonly targetTokens: number
}

const THRESHOLD = 0.8
// Up to here a window is small, and every plan uses it to the threshold.
const SMALL_WINDOW = 64_000

/**
 * The share of the rest of a larger window that is used, and the share of the threshold that a
 * compression leaves of it (docs/evaluation.md#what-a-window-costs).
 */
const SPENDS = {
  least: [0.2, 0.25],
  balanced: [0.36, 0.5],
  'most-context': [THRESHOLD, 0.5],
} as const satisfies Readonly<Record<Spend, object>>

/** Every plan of what a long history may cost, from least to most. */
export const spends = Object.keys(SPENDS) as readonly Spend[]

const MOST_RESERVE_TOKENS = 65_536
const MOST_RESERVE_SHARE = 1 / 5
const MOST_ANSWER_SHARE = 1 / 2
// A compression has to end well below the start of the next one. Otherwise every few messages cause
// one.
const MOST_TARGET_OF_THRESHOLD = 0.75
const LEAST_ANSWER_SHARE = 0.05

/**
 * Throws `RangeError` for impossible numbers. `windowTokens` overrides the known window of the
 * model.
 */
export function createSettings(
  name: string,
  options: LiveOptions,
  windowTokens?: number,
): Settings {
  const model = findModel(name)
  const ofHost = name === options.model ? options.windowTokens : undefined
  const counter = createTokenCounter(model)
  const protocol = findProtocol(options.format ?? findRequestFormat(options.model), model.provider)
  const window = measureWindow(model, options, windowTokens ?? ofHost ?? model.contextWindowTokens)
  return { name, model, counter, protocol, ...window }
}

/** The same with a smaller window, as a provider reported it. */
export function withWindow(
  settings: Settings,
  options: LiveOptions,
  windowTokens: number,
): Settings {
  return { ...settings, ...measureWindow(settings.model, options, windowTokens) }
}

function measureWindow(model: Model, options: LiveOptions, windowTokens: number) {
  const { target, answerTokens } = options
  const [restShare, leftShare] = SPENDS[options.spend ?? 'balanced']
  const small = Math.min(windowTokens, SMALL_WINDOW)
  const planned = THRESHOLD * small + restShare * (windowTokens - small)
  const usual = Math.min(
    model.outputLimitTokens,
    MOST_RESERVE_TOKENS,
    Math.floor(windowTokens * MOST_RESERVE_SHARE),
  )
  const wanted = Math.min(answerTokens ?? usual, Math.floor(windowTokens * MOST_ANSWER_SHARE))
  const given = options.reserveTokens ?? wanted
  // A reserve that fits the window the host knows may be more than all of another one.
  const reserveTokens = given < windowTokens ? given : wanted
  const roomTokens = windowTokens - reserveTokens
  const isReserveGiven = reserveTokens === options.reserveTokens || answerTokens !== undefined
  const stretchTokens = isReserveGiven
    ? roomTokens
    : Math.max(roomTokens, windowTokens * (1 - LEAST_ANSWER_SHARE))
  // A target of the host wins over the plan: its threshold follows, up to the usual one.
  const targeted = Math.ceil(((target ?? 0) * roomTokens) / MOST_TARGET_OF_THRESHOLD)
  const usualThreshold = Math.max(planned, Math.min(targeted, THRESHOLD * windowTokens))
  const begin = options.threshold === undefined ? usualThreshold : options.threshold * windowTokens
  const thresholdTokens = Math.floor(Math.min(begin, roomTokens))
  // By default it follows the threshold: a compression always frees the same share of it.
  const usualTarget =
    (leftShare * roomTokens * thresholdTokens) / Math.min(THRESHOLD * windowTokens, roomTokens)
  const aim = target === undefined ? usualTarget : target * roomTokens
  const targetTokens = Math.floor(Math.min(aim, thresholdTokens * MOST_TARGET_OF_THRESHOLD))
  return { windowTokens, reserveTokens, roomTokens, stretchTokens, thresholdTokens, targetTokens }
}

/**
 * Throws `RangeError` on a reserve that is the whole window, and on a target so near to the
 * threshold that compressions would follow each other closely.
 */
export function assertApart(options: ContextOptions, settings: Settings): void {
  const { target, reserveTokens = 0, windowTokens = Number.POSITIVE_INFINITY } = options
  if (reserveTokens >= windowTokens)
    throw new RangeError(
      `Creating a context with reserveTokens ${reserveTokens} of a window of ${windowTokens}: leave room for the prompt.`,
    )
  const { roomTokens, thresholdTokens } = settings
  if (target === undefined || target * roomTokens <= thresholdTokens * MOST_TARGET_OF_THRESHOLD)
    return
  const [end, begin] = [target * roomTokens, thresholdTokens].map((tokens) =>
    Math.floor(tokens).toLocaleString('en-US'),
  )
  const most = Math.floor((100 * thresholdTokens * MOST_TARGET_OF_THRESHOLD) / roomTokens) / 100
  throw new RangeError(
    `Creating a context with target ${target}: a compression ends at ${end} tokens and the next one begins at ${begin}. Give a target of at most ${most}, or none.`,
  )
}

const FORMATS: Readonly<Record<Provider, RequestFormat & Protocol>> = {
  anthropic: 'anthropic-messages',
  google: 'gemini-contents',
  // Every other server takes this one.
  openai: 'openai-chat',
  other: 'openai-chat',
}

/** The shape of messages that the API of a model's provider takes. */
export const findRequestFormat = (model: string): RequestFormat =>
  FORMATS[findModel(model).provider]

/** A format of one provider keeps its rules for every model. The other formats follow the model. */
function findProtocol(format: RequestFormat, provider: Provider): Protocol {
  const own = Object.values(FORMATS).find((name) => name === format)
  if (own !== undefined) return own
  if (format === 'openai-responses') return format
  const { [format]: found } = requestFormats
  const usual = isMessageFormat(found) ? found.codec.protocol : 'openai-chat'
  return provider === 'anthropic' || provider === 'google' ? FORMATS[provider] : usual
}
