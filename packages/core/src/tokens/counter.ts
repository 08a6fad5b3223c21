import { aText, checkValue, objectOf } from '../conversation/check-options.ts'
import { findCompaction } from '../conversation/compaction.ts'
import {
  type Conversation,
  type MediaPart,
  type Message,
  type Part,
  renderInput,
  type ToolResultPart,
} from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { canonicalModelId } from '../models/find-model.ts'
import type { Encoding, Model } from '../models/model.ts'
import type { EncodingName } from './encodings/encoding.ts'
import {
  addCounts,
  countWithoutVocabulary,
  estimateTokens,
  exactly,
  type TokenCount,
} from './estimate.ts'
import { findEncoding } from './find-encoding.ts'
import { loadEncoding } from './load-encoding.ts'

/** Counts for one model. The same counter serves triggers, fit, reports and display. */
export interface TokenCounter {
  readonly model: Model
  /**
   * False until the vocabulary is loaded. Until then, counts use only characters and are wider
   * intervals.
   */
  readonly isLoaded: boolean
  /**
   * Loads the vocabulary. Code that decides by a count awaits it, so that no result depends on an
   * earlier load.
   */
  load(): Promise<void>
  countText(text: string): TokenCount
  /** Memoised by identity. */
  countPart(part: Part): TokenCount
  /** Includes the overhead of a message. Memoized by identity. */
  countMessage(message: Message): TokenCount
  /** Tool schemas, which no edit can free. Memoized by the identity of their list. */
  countFixed(conversation: Conversation): TokenCount
  countConversation(conversation: Conversation): TokenCount
  /**
   * Counts what was not counted yet, with a step after each message and within long texts: it is
   * remembered.
   */
  countInSteps(messages: Iterable<Message>): Steps<void>
}

/** A counter with its vocabulary. See `createTokenCounter`. */
export async function loadTokenCounter(model: Model): Promise<TokenCounter> {
  const counter = createTokenCounter(model)
  await counter.load()
  return counter
}

const aModel = objectOf({ encoding: aText }, ['encoding'])

export interface CounterOptions {
  /**
   * Counts by characters and never loads a vocabulary, for a host that cannot carry one. The
   * intervals are wider: about 13% in both directions.
   */
  readonly byCharacters?: boolean
}

/**
 * Exact for OpenAI's models, an interval for all others. Remembers every message it has counted.
 */
export function createTokenCounter(
  model: Model,
  { byCharacters = false }: CounterOptions = {},
): TokenCounter {
  checkValue('Creating a counter', 'model', model, aModel)
  const vocabulary: EncodingName = model.encoding === 'cl100k_base' ? model.encoding : 'o200k_base'
  const find = () => (byCharacters ? undefined : findEncoding(vocabulary))
  const isLoaded = () => byCharacters || find() !== undefined
  const remember = <Counted extends object>(count: (counted: Counted) => TokenCount) =>
    rememberOnce(count, isLoaded)
  // The count of a long text, which was made in steps.
  let ahead: { readonly text: string; readonly counted: TokenCount } | undefined
  const countText = (text: string): TokenCount => {
    if (text === ahead?.text) return estimateTokens(ahead.counted, text, model.encoding)
    const encoding = find()
    const counted = encoding ? exactly(encoding.count(text)) : countWithoutVocabulary(text)
    return estimateTokens(counted, text, model.encoding)
  }
  const overhead = OVERHEADS[model.encoding]

  const countPart = remember((part: Part): TokenCount => {
    switch (part.type) {
      case 'text':
      case 'opaque':
        return countText(readCounted(part))
      case 'reasoning':
        return atLeast(countText(readCounted(part)), part.signatureLength * overhead.signature)
      case 'tool-call':
        return addCounts(countText(readCounted(part)), exactly(overhead.call))
      case 'tool-result':
        return part.output.map(countPart).reduce(addCounts, exactly(overhead.result))
      case 'image':
        return exactly(countImageTokens(part, model))
      case 'file':
        return countFileTokens(part, model)
    }
  })
  const countMessage = remember((message: Message) =>
    message.parts.map(countPart).reduce(addCounts, exactly(overhead.message)),
  )
  const countTools = remember((tools: Conversation['tools']) =>
    tools.map(countText).reduce(addCounts, exactly(0)),
  )
  const countFixed = ({ tools }: Conversation) => countTools(tools)
  const countConversation = (conversation: Conversation): TokenCount => {
    const { messages, protocol } = conversation
    let { lower, upper } = countFixed(conversation)
    // Anthropic ignores everything before its own compaction. For OpenAI this is not certain.
    const forgottenEnd = protocol === 'anthropic-messages' ? findCompaction(messages) : 0
    // A plain loop: this runs after every message that is appended.
    for (const [index, message] of messages.entries()) {
      if (index < forgottenEnd && message.role !== 'system') continue
      const count = countMessage(message)
      lower += count.lower
      upper += count.upper
    }
    return { lower, upper }
  }
  function* countPartInSteps(part: Part): Steps<void> {
    if (part.type === 'tool-result') {
      for (const output of part.output) yield* countPartInSteps(output)
      return
    }
    const text = readCounted(part)
    const encoding = find()
    if (!encoding || text.length < LONG_TEXT) return
    const counted = exactly(yield* encoding.countInSteps(text))
    ahead = { text, counted }
    countPart(part)
    ahead = undefined
    yield
  }
  function* countInSteps(messages: Iterable<Message>): Steps<void> {
    for (const message of messages) {
      if (!countMessage.isKnown(message))
        for (const part of message.parts) yield* countPartInSteps(part)
      countMessage(message)
      yield
    }
  }
  const load = async (): Promise<void> => {
    if (!byCharacters) await loadEncoding(vocabulary)
  }
  return {
    model,
    get isLoaded() {
      return isLoaded()
    },
    load,
    countText,
    countPart,
    countMessage,
    countFixed,
    countConversation,
    countInSteps,
  }
}

// In UTF-16 units: what takes a few milliseconds.
const LONG_TEXT = 1 << 17

function readCounted(part: Exclude<Part, ToolResultPart>): string {
  switch (part.type) {
    case 'text':
    case 'opaque':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `${part.name} ${renderInput(part.input)}`
    default:
      return ''
  }
}

/** Counts an object once, and again after the vocabulary is loaded. */
function rememberOnce<Counted extends object>(
  count: (counted: Counted) => TokenCount,
  isLoaded: () => boolean,
) {
  let memo = new WeakMap<Counted, TokenCount>()
  let isExact = isLoaded()
  const find = (counted: Counted) => {
    if (!isExact && isLoaded()) {
      isExact = true
      memo = new WeakMap()
    }
    return memo.get(counted)
  }
  const remember = (counted: Counted): TokenCount => {
    const known = find(counted) ?? count(counted)
    memo.set(counted, known)
    return known
  }
  return Object.assign(remember, { isKnown: (counted: Counted) => find(counted) !== undefined })
}

type MeasuredImage = Pick<MediaPart, 'width' | 'height' | 'bytes'>

type PixelSize = Required<Omit<MeasuredImage, 'bytes'>>

type ImageRule = (size: PixelSize) => number

// An image of unknown size counts as a large screenshot. Smaller files cannot contain that many
// pixels.
const ASSUMED_SIDE = 2_048
const MOST_PIXELS_PER_BYTE = 100
const LONGEST_SIDE = 65_535

/**
 * Tokens of an image in a prompt at the provider's default detail. The sources are in
 * docs/tokens.md#images.
 */
export function countImageTokens(image: MeasuredImage, model: Model): number {
  return Math.max(1, Math.ceil(findRule(model)(sizeOf(image))))
}

function sizeOf({ width, height, bytes }: MeasuredImage): PixelSize {
  if (width !== undefined && height !== undefined && width > 0 && height > 0) {
    return { width: Math.min(width, LONGEST_SIDE), height: Math.min(height, LONGEST_SIDE) }
  }
  const side =
    bytes > 0
      ? Math.min(ASSUMED_SIDE, Math.ceil(Math.sqrt(bytes * MOST_PIXELS_PER_BYTE)))
      : ASSUMED_SIDE
  return { width: side, height: side }
}

function findRule(model: Model): ImageRule {
  const id = canonicalModelId(model.id)
  const isOf = ([pattern]: (typeof OPENAI_RULES)[number]) => pattern.test(id)
  switch (model.provider) {
    case 'anthropic':
      return model.encoding === 'claude' ? claude(1_568, 1_568) : claude(2_576, 4_784)
    case 'openai':
      return OPENAI_RULES.find(isOf)?.[1] ?? newestOpenAi
    case 'google':
      return TILED_GEMINI.test(id) ? countGeminiTiles : () => 1_120
    case 'other':
      // Open vision models use one token for a patch of 28 pixels. Few servers allow more than
      // this.
      return claude(2_576, 4_784)
  }
}

/** Patches of 28 pixels, after the image is made to fit both limits. */
function claude(longestSide: number, mostTokens: number): ImageRule {
  return (size) => Math.min(mostTokens, countPatches(fitWithin(size, longestSide), 28))
}

const OPENAI_RULES: readonly (readonly [id: RegExp, rule: ImageRule])[] = [
  [/^gpt-4o-mini/, tiles(2_833, 5_667)],
  [/^gpt-4\.1-mini/, patches(1_536, 2_048, 1.62)],
  [/^gpt-4\.1-nano/, patches(1_536, 2_048, 2.46)],
  [/^o4-mini/, patches(1_536, 2_048, 1.72)],
  [/^(?:gpt-4|chatgpt-4)/, tiles(85, 170)],
  [/^o\d/, tiles(75, 150)],
  [/^gpt-5(?:\.4)?-mini/, patches(1_536, 2_048, 1.62)],
  [/^gpt-5(?:\.4)?-nano/, patches(1_536, 2_048, 2.46)],
  [/^gpt-5\.[123]|codex/, patches(1_536, 2_048, 1.2)],
  [/^gpt-5(?:-|$)/, tiles(70, 140)],
  [/^gpt-5\.4/, patches(2_500, 2_048, 1.2)],
  [/^gpt-5\.5/, patches(10_000, 6_000, 1.2)],
]
/** Since gpt-5.6 an image keeps its size, and an image of more than 30,000 patches is refused. */
const newestOpenAi = patches(30_000, LONGEST_SIDE, 1.2)

/**
 * Patches of 32 pixels, after the image is made to fit both limits, times what the model makes of
 * one.
 */
function patches(mostPatches: number, longestSide: number, tokensPerPatch: number): ImageRule {
  return (size) =>
    Math.min(mostPatches, countPatches(fitWithin(size, longestSide), 32)) * tokensPerPatch
}

/** Tiles of 512 pixels, after the image is made to fit 2 048 × 2 048 and its short side 768. */
function tiles(base: number, perTile: number): ImageRule {
  return (size) => {
    const fitted = fitWithin(size, 2_048)
    const scale = Math.min(1, 768 / Math.min(fitted.width, fitted.height))
    return (
      base +
      perTile * countPatches({ width: fitted.width * scale, height: fitted.height * scale }, 512)
    )
  }
}

const TILED_GEMINI = /^gemini-(?:1|2|pro|flash)/

/**
 * Up to Gemini 2.5: 258 tokens for a small image, or for each tile of two thirds of its short side.
 */
function countGeminiTiles(original: PixelSize): number {
  if (original.width <= 384 && original.height <= 384) return 258
  const size = fitWithin(original, 3_072)
  const unit = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)))
  return 258 * countPatches(size, unit)
}

function fitWithin({ width, height }: PixelSize, longestSide: number): PixelSize {
  const scale = Math.min(1, longestSide / Math.max(width, height))
  return { width: width * scale, height: height * scale }
}

function countPatches({ width, height }: PixelSize, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side)
}

/**
 * Tokens that a provider adds to the text, measured on recorded sessions (docs/tokens.md#overhead).
 */
interface Overhead {
  readonly message: number
  readonly call: number
  readonly result: number
  /**
   * Per character of a signature. A signed part counts at least this, even if its text is hidden.
   */
  readonly signature: number
}

const OPENAI_OVERHEAD: Overhead = { message: 4, call: 12, result: 10, signature: 0.25 }

const OVERHEADS: Readonly<Record<Encoding, Overhead>> = {
  claude: { message: 4, call: 60, result: 20, signature: 0.22 },
  'claude-2026': { message: 4, call: 75, result: 16, signature: 0.29 },
  o200k_base: OPENAI_OVERHEAD,
  cl100k_base: OPENAI_OVERHEAD,
  gemini: OPENAI_OVERHEAD,
  unknown: OPENAI_OVERHEAD,
}

function atLeast({ lower, upper }: TokenCount, tokens: number): TokenCount {
  return { lower, upper: Math.max(upper, Math.ceil(tokens)) }
}

// For a file that is not a PDF. Its cost at the provider is unknown.
const TOKENS_PER_FILE_BYTE = 0.03
// A page of text with its fonts, if a PDF does not record its number of pages.
const BYTES_PER_PAGE = 100_000

/**
 * A PDF by its pages, each as its text and an image. The sources are in docs/tokens.md#documents.
 */
function countFileTokens({ mediaType, bytes, pages }: MediaPart, model: Model): TokenCount {
  if (pages === undefined && mediaType !== 'application/pdf') {
    return { lower: 0, upper: Math.ceil(bytes * TOKENS_PER_FILE_BYTE) }
  }
  const { lower, upper } = findPageTokens(model)
  const guessed = Math.max(1, Math.ceil(bytes / BYTES_PER_PAGE))
  return { lower: lower * (pages ?? 1), upper: upper * (pages ?? guessed) }
}

function findPageTokens({ provider, id }: Model): TokenCount {
  if (provider !== 'google') return { lower: 1_500, upper: 3_000 }
  return TILED_GEMINI.test(canonicalModelId(id)) ? exactly(258) : { lower: 560, upper: 1_120 }
}
