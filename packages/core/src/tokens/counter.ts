import { type Conversation, type Message, type Part, renderInput } from '../conversation/message.ts'
import type { Encoding, Model } from '../models/model.ts'
import { getEncoding } from './encodings/index.ts'
import { estimateTokens } from './estimate.ts'
import { countImageTokens } from './images.ts'
import { addCounts, exactly, type TokenCount } from './token-count.ts'

/** Counts for one model. The same counter serves triggers, fit, reports and display. */
export interface TokenCounter {
  readonly model: Model
  countText(text: string): TokenCount
  countPart(part: Part): TokenCount
  /** With the overhead of a message; memoised by identity. */
  countMessage(message: Message): TokenCount
  /** Tool schemas: what no edit can free; memoised by the identity of their list. */
  countFixed(conversation: Conversation): TokenCount
  countConversation(conversation: Conversation): TokenCount
}

/** What a provider adds around the text, in tokens; measured on recorded sessions (docs/tokens.md#overhead). */
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

/** Exact for OpenAI's models, an interval for all others. Remembers every message it has counted. */
export function createTokenCounter(model: Model): TokenCounter {
  const countText = createTextCounter(model)
  const overhead = OVERHEADS[model.encoding]
  const memo = new WeakMap<Message, TokenCount>()
  const fixedMemo = new WeakMap<Conversation['tools'], TokenCount>()

  const countPart = (part: Part): TokenCount => {
    switch (part.type) {
      case 'text':
      case 'opaque':
        return countText(part.text)
      case 'reasoning':
        return countReasoning(countText(part.text), part.signatureLength * overhead.signature)
      case 'tool-call':
        return addCounts(countText(`${part.name} ${renderInput(part.input)}`), exactly(overhead.call))
      case 'tool-result':
        return part.output.map(countPart).reduce(addCounts, exactly(overhead.result))
      case 'image':
        return exactly(countImageTokens(part, model))
      case 'file':
        return countFile(part.bytes)
    }
  }
  const countMessage = (message: Message): TokenCount => {
    const known = memo.get(message)
    if (known) return known
    const count = message.parts.map(countPart).reduce(addCounts, exactly(overhead.message))
    memo.set(message, count)
    return count
  }
  const countFixed = ({ tools }: Conversation): TokenCount => {
    const known = fixedMemo.get(tools)
    if (known) return known
    const count = tools.map(countText).reduce(addCounts, exactly(0))
    fixedMemo.set(tools, count)
    return count
  }
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

function createTextCounter(model: Model): (text: string) => TokenCount {
  const { encoding } = model
  if (encoding === 'o200k_base' || encoding === 'cl100k_base') {
    const { count } = getEncoding(encoding)
    return (text) => exactly(count(text))
  }
  const { count } = getEncoding('o200k_base')
  return (text) => estimateTokens(count(text), text, encoding)
}

function countReasoning(text: TokenCount, signatureTokens: number): TokenCount {
  return { lower: text.lower, upper: Math.max(text.upper, Math.ceil(signatureTokens)) }
}

// Anthropic bills 1 500 to 3 000 tokens per page of a PDF; a page of text is about 100 kB with its fonts.
const TOKENS_PER_FILE_BYTE = 0.03

function countFile(bytes: number): TokenCount {
  return { lower: 0, upper: Math.ceil(bytes * TOKENS_PER_FILE_BYTE) }
}
