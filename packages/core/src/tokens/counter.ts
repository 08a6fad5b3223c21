import { type Conversation, type MediaPart, type Message, type Part, renderInput } from '../conversation/message.ts'
import { canonicalModelId } from '../models/find-model.ts'
import type { Encoding, Model } from '../models/model.ts'
import { getEncoding } from './encodings/encoding.ts'

/** Counts for one model. The same counter serves triggers, fit, reports and display. */
export interface TokenCounter {
  readonly model: Model
  countText(text: string): TokenCount
  /** Memoised by identity. */
  countPart(part: Part): TokenCount
  /** With the overhead of a message; memoised by identity. */
  countMessage(message: Message): TokenCount
  /** Tool schemas: what no edit can free; memoised by the identity of their list. */
  countFixed(conversation: Conversation): TokenCount
  countConversation(conversation: Conversation): TokenCount
}

/** Exact for OpenAI's models, an interval for all others. Remembers every message it has counted. */
export function createTokenCounter(model: Model): TokenCounter {
  const countText = createTextCounter(model)
  const overhead = OVERHEADS[model.encoding]

  const countPart = remember((part: Part): TokenCount => {
    switch (part.type) {
      case 'text':
      case 'opaque':
        return countText(part.text)
      case 'reasoning':
        return atLeast(countText(part.text), part.signatureLength * overhead.signature)
      case 'tool-call':
        return addCounts(countText(`${part.name} ${renderInput(part.input)}`), exactly(overhead.call))
      case 'tool-result':
        return part.output.map(countPart).reduce(addCounts, exactly(overhead.result))
      case 'image':
        return exactly(countImageTokens(part, model))
      case 'file':
        return { lower: 0, upper: Math.ceil(part.bytes * TOKENS_PER_FILE_BYTE) }
    }
  })
  const countMessage = remember((message: Message) =>
    message.parts.map(countPart).reduce(addCounts, exactly(overhead.message)),
  )
  const countTools = remember((tools: Conversation['tools']) => tools.map(countText).reduce(addCounts, exactly(0)))
  const countFixed = ({ tools }: Conversation) => countTools(tools)
  const countConversation = (conversation: Conversation): TokenCount => {
    let { lower, upper } = countFixed(conversation)
    // A plain loop: this runs after every message that is appended.
    for (const message of conversation.messages) {
      const count = countMessage(message)
      lower += count.lower
      upper += count.upper
    }
    return { lower, upper }
  }
  return { model, countText, countPart, countMessage, countFixed, countConversation }
}

/** Counts once what is the same object. */
function remember<Counted extends object>(count: (counted: Counted) => TokenCount) {
  const memo = new WeakMap<Counted, TokenCount>()
  return (counted: Counted): TokenCount => {
    const known = memo.get(counted) ?? count(counted)
    memo.set(counted, known)
    return known
  }
}

type MeasuredImage = Pick<MediaPart, 'width' | 'height' | 'bytes'>

type PixelSize = Required<Omit<MeasuredImage, 'bytes'>>

type Rule = (size: PixelSize) => number

// An image of unknown size is taken for a large screenshot; smaller files have fewer pixels to hold.
const ASSUMED_SIDE = 2_048
const MOST_PIXELS_PER_BYTE = 100
const LONGEST_SIDE = 65_535

/** Tokens an image costs in a prompt at the provider's default detail; the sources are in docs/tokens.md#images. */
export function countImageTokens(image: MeasuredImage, model: Model): number {
  return Math.max(1, Math.ceil(findRule(model)(sizeOf(image))))
}

function sizeOf({ width, height, bytes }: MeasuredImage): PixelSize {
  if (width !== undefined && height !== undefined && width > 0 && height > 0) {
    return { width: Math.min(width, LONGEST_SIDE), height: Math.min(height, LONGEST_SIDE) }
  }
  const side = bytes > 0 ? Math.min(ASSUMED_SIDE, Math.ceil(Math.sqrt(bytes * MOST_PIXELS_PER_BYTE))) : ASSUMED_SIDE
  return { width: side, height: side }
}

function findRule(model: Model): Rule {
  const id = canonicalModelId(model.id)
  const isOf = ([pattern]: (typeof OPENAI_RULES)[number]) => pattern.test(id)
  switch (model.provider) {
    case 'anthropic':
      return model.encoding === 'claude' ? claude(1_568, 1_568) : claude(2_576, 4_784)
    case 'openai':
      return OPENAI_RULES.find(isOf)?.[1] ?? newestOpenAi
    case 'google':
      return /^gemini-(?:1|2|pro|flash)/.test(id) ? countGeminiTiles : () => 1_120
    case 'other':
      // Open vision models take a patch of 28 pixels for a token; few servers allow more than this.
      return claude(2_576, 4_784)
  }
}

/** Patches of 28 pixels, after the image is made to fit both limits. */
function claude(longestSide: number, mostTokens: number): Rule {
  return (size) => Math.min(mostTokens, countPatches(fitWithin(size, longestSide), 28))
}

const OPENAI_RULES: readonly (readonly [id: RegExp, rule: Rule])[] = [
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
/** From gpt-5.6 on an image keeps its size; one of more than 30 000 patches is refused. */
const newestOpenAi = patches(30_000, LONGEST_SIDE, 1.2)

/** Patches of 32 pixels, after the image is made to fit both limits, times what the model makes of one. */
function patches(mostPatches: number, longestSide: number, tokensPerPatch: number): Rule {
  return (size) => Math.min(mostPatches, countPatches(fitWithin(size, longestSide), 32)) * tokensPerPatch
}

/** Tiles of 512 pixels, after the image is made to fit 2 048 × 2 048 and its short side 768. */
function tiles(base: number, perTile: number): Rule {
  return (size) => {
    const fitted = fitWithin(size, 2_048)
    const scale = Math.min(1, 768 / Math.min(fitted.width, fitted.height))
    return base + perTile * countPatches({ width: fitted.width * scale, height: fitted.height * scale }, 512)
  }
}

/** Up to Gemini 2.5: 258 tokens for a small image, or for each tile of two thirds of its short side. */
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

/** Tokens that a provider adds around the text; measured on recorded sessions (docs/tokens.md#overhead). */
interface Overhead {
  readonly message: number
  readonly call: number
  readonly result: number
  /** Per character of a signature; a signed part takes at least this, even where its text is hidden. */
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

function createTextCounter(model: Model): (text: string) => TokenCount {
  const { encoding } = model
  if (encoding === 'o200k_base' || encoding === 'cl100k_base') {
    const { count } = getEncoding(encoding)
    return (text) => exactly(count(text))
  }
  const { count } = getEncoding('o200k_base')
  return (text) => estimateTokens(count(text), text, encoding)
}

function atLeast({ lower, upper }: TokenCount, tokens: number): TokenCount {
  return { lower, upper: Math.max(upper, Math.ceil(tokens)) }
}

// Anthropic bills 1 500 to 3 000 tokens per page of a PDF; a page of text is about 100 kB with its fonts.
const TOKENS_PER_FILE_BYTE = 0.03

/** Tokens as the provider will bill them: between these two the true count is expected; they are equal when it is exact. */
export interface TokenCount {
  readonly lower: number
  readonly upper: number
}

export function exactly(tokens: number): TokenCount {
  return { lower: tokens, upper: tokens }
}

export function addCounts(a: TokenCount, b: TokenCount): TokenCount {
  return { lower: a.lower + b.lower, upper: a.upper + b.upper }
}

type Factors = readonly [lower: number, upper: number]

/** Tokens per o200k_base token, by script. Measured on recorded sessions unless docs/tokens.md says otherwise. */
type ScriptFactors = Readonly<Record<Script, Factors>>
type Script = 'latin' | 'cjk' | 'other'

// latin: fourteen sessions of Opus 4.5, Opus 4.6 and Sonnet 4.5 came to 1.05–1.22, two of Opus 4.7 and 4.8 to 1.59 and
// 1.62; the public Gemma vocabulary to 1.09 on prose and 1.15–1.17 on code and tool output.
const FACTORS: Readonly<Record<Exclude<Encoding, 'o200k_base' | 'cl100k_base'>, ScriptFactors>> = {
  claude: { latin: [1.02, 1.25], cjk: [1.1, 1.45], other: [1, 2] },
  'claude-2026': { latin: [1.4, 1.78], cjk: [1.1, 1.45], other: [1, 2] },
  gemini: { latin: [1.02, 1.25], cjk: [0.6, 1], other: [0.8, 1.35] },
  unknown: { latin: [0.9, 1.25], cjk: [0.6, 1.5], other: [0.8, 3.1] },
}

// A character beyond Latin takes about three times the tokens of a Latin one.
const WEIGHT_BEYOND_LATIN = 3

/**
 * How many tokens `text` is for an encoding, from its exact count in o200k_base. The interval is made for the sums of
 * whole sessions: one short message may lie outside. For `cl100k_base` the count has to be of that encoding already.
 */
export function estimateTokens(o200kCount: number, text: string, encoding: Encoding): TokenCount {
  if (encoding === 'o200k_base' || encoding === 'cl100k_base') return exactly(o200kCount)
  const { latin, cjk, other } = FACTORS[encoding]
  const share = measureScripts(text)
  const mix = (bound: 0 | 1): number => latin[bound] * share.latin + cjk[bound] * share.cjk + other[bound] * share.other
  return { lower: Math.floor(o200kCount * mix(0)), upper: Math.ceil(o200kCount * mix(1)) }
}

/** Estimates the share of a text's tokens that each script has; one pass over the characters. */
function measureScripts(text: string): Readonly<Record<Script, number>> {
  let cjk = 0
  let other = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x250) continue
    if (isCjk(code)) cjk += 1
    else if (!isSymbol(code)) other += 1
  }
  if (cjk + other === 0) return { latin: 1, cjk: 0, other: 0 }
  const latin = text.length - cjk - other
  const total = latin + (cjk + other) * WEIGHT_BEYOND_LATIN
  return {
    latin: latin / total,
    cjk: (cjk * WEIGHT_BEYOND_LATIN) / total,
    other: (other * WEIGHT_BEYOND_LATIN) / total,
  }
}

/** Punctuation, arrows and box drawing, as tools print them; measured with the Latin text around them. */
function isSymbol(code: number): boolean {
  return code >= 0x2000 && code < 0x2c00
}

/** Chinese and Japanese. Korean is not among them: its syllables cost vocabularies very different amounts. */
function isCjk(code: number): boolean {
  return (code >= 0x2e80 && code < 0xa000) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xfff0)
}
