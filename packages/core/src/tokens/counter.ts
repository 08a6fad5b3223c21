import { aFlag, aText, checkOptions, checkValue, objectOf } from '../conversation/check-options.ts'
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
import type { EncodingName, Encoding as VocabularyEncoding } from './encodings/encoding.ts'
import {
  addCounts,
  countWithoutVocabulary,
  estimateTokens,
  exactly,
  type TokenCount,
} from './estimate.ts'
import { findEncoding } from './find-encoding.ts'
import { countImageTokens, TILED_GEMINI } from './image-tokens.ts'
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

export const aModel = objectOf({ encoding: aText }, ['encoding'])

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
export function createTokenCounter(model: Model, options: CounterOptions = {}): TokenCounter {
  checkValue('Creating a counter', 'model', model, aModel)
  checkOptions('Creating a counter', options, { byCharacters: aFlag })
  const { byCharacters = false } = options
  const vocabulary: EncodingName = model.encoding === 'cl100k_base' ? model.encoding : 'o200k_base'
  const find = () => (byCharacters ? undefined : findEncoding(vocabulary))
  const isLoaded = () => byCharacters || find() !== undefined
  const { countText, countTextInSteps } = createTextCounter(model, find)
  const remember = <Counted extends object>(count: (counted: Counted) => TokenCount) =>
    rememberOnce(count, isLoaded)
  const countPart = remember(
    (part: Part): TokenCount => countNewPart(part, { model, countText, countPart }),
  )
  const countMessage = remember((message: Message) =>
    message.parts.map(countPart).reduce(addCounts, exactly(OVERHEADS[model.encoding].message)),
  )
  const countTools = remember((tools: Conversation['tools']) =>
    tools.map(countText).reduce(addCounts, exactly(0)),
  )
  function* countPartInSteps(part: Part): Steps<void> {
    if (part.type === 'tool-result') {
      for (const output of part.output) yield* countPartInSteps(output)
    } else yield* countTextInSteps(readCounted(part), () => countPart(part))
  }
  return {
    model,
    get isLoaded() {
      return isLoaded()
    },
    async load() {
      if (!byCharacters) await loadEncoding(vocabulary)
    },
    countText,
    countPart,
    countMessage,
    countFixed: ({ tools }) => countTools(tools),
    countConversation: (conversation) =>
      addMessages(conversation, countTools(conversation.tools), countMessage),
    *countInSteps(messages) {
      for (const message of messages) {
        if (!countMessage.isKnown(message))
          for (const part of message.parts) yield* countPartInSteps(part)
        countMessage(message)
        yield
      }
    },
  }
}

function createTextCounter({ encoding }: Model, find: () => VocabularyEncoding | undefined) {
  // The count of a long text, which was made in steps.
  let ahead: { readonly text: string; readonly counted: TokenCount } | undefined
  const countText = (text: string): TokenCount => {
    if (text === ahead?.text) return estimateTokens(ahead.counted, text, encoding)
    const found = find()
    const counted = found ? exactly(found.count(text)) : countWithoutVocabulary(text)
    return estimateTokens(counted, text, encoding)
  }
  /** Counts a long text ahead. Its count is known while `use` runs. */
  function* countTextInSteps(text: string, use: () => void): Steps<void> {
    const found = find()
    if (!found || text.length < LONG_TEXT) return
    ahead = { text, counted: exactly(yield* found.countInSteps(text)) }
    use()
    ahead = undefined
    yield
  }
  return { countText, countTextInSteps }
}

type PartCounter = Pick<TokenCounter, 'model' | 'countText' | 'countPart'>

function countNewPart(part: Part, { model, countText, countPart }: PartCounter): TokenCount {
  const overhead = OVERHEADS[model.encoding]
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
}

function addMessages(
  { messages, protocol }: Conversation,
  fixed: TokenCount,
  countMessage: TokenCounter['countMessage'],
): TokenCount {
  let { lower, upper } = fixed
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
