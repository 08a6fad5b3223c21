/** Where the tokens of a conversation are. Every part is counted once; all tables come from that one list. */
import { type Conversation, type Message, type Part, renderPart } from '../conversation/message.ts'
import { findTurns } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { type FileTokens, measureFiles, type ReadTokens } from './file-tokens.ts'
import { type MeasuredPart, measureFrames, measureParts } from './measure-parts.ts'
import { kindOf, kindOfRole, type TokenKind } from './token-kind.ts'

/** The tables of `inspect`. Tokens are upper bounds where the tokenizer is only estimated. */
export interface Inspection {
  readonly messages: number
  readonly turns: number
  readonly tokens: TokenTotals
  readonly byTool: readonly ToolTokens[]
  readonly byFile: readonly FileTokens[]
  readonly byTurn: readonly TurnTokens[]
  /** The fattest parts, fattest first, at most twenty. */
  readonly largest: readonly LargePart[]
  /** Reads of files that a later successful write changed. */
  readonly staleReads: ReadTokens
  /** Reads that gave what an earlier read of the same file gave. A stale read is not counted again. */
  readonly duplicateReads: ReadTokens
}

/** `system` includes tool schemas. The parts add up to `total`. */
interface TokenTotals extends Readonly<Record<TokenKind, number>> {
  readonly total: number
}

interface ToolTokens {
  readonly tool: string
  readonly calls: number
  readonly errors: number
  readonly callTokens: number
  readonly resultTokens: number
  readonly tokens: number
}

/** `turn` counts from 1; what stands before the first request is turn 0. */
interface TurnTokens {
  readonly turn: number
  /** Position of its first message. */
  readonly message: number
  readonly messages: number
  readonly tokens: number
  /** Beginning of what the person asked. */
  readonly request: string
}

interface LargePart {
  readonly message: number
  readonly role: Message['role']
  readonly type: Part['type']
  readonly tool?: string
  readonly file?: string
  readonly tokens: number
  /** Beginning of its text. */
  readonly preview: string
}

const LARGEST_COUNT = 20
const PREVIEW_LENGTH = 160

/** Groups every part of a conversation by role, tool, file and turn. */
export function inspect(conversation: Conversation, counter: TokenCounter): Inspection {
  const { messages } = conversation
  const parts = measureParts(conversation, counter)
  const frames = measureFrames(messages, counter)
  const byTurn = groupByTurn(messages, parts, frames)
  return {
    messages: messages.length,
    turns: byTurn.filter(({ turn }) => turn > 0).length,
    tokens: sumTokens(messages, parts, frames, counter.countFixed(conversation).upper),
    byTool: groupByTool(parts),
    byTurn,
    largest: findLargest(parts),
    ...measureFiles(parts),
  }
}

function sumTokens(
  messages: readonly Message[],
  parts: readonly MeasuredPart[],
  frames: readonly number[],
  fixedTokens: number,
): TokenTotals {
  const sums = { user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0, system: fixedTokens }
  messages.forEach(({ role }, index) => {
    sums[kindOfRole(role)] += frames[index]!
  })
  for (const { part, role, tokens } of parts) sums[kindOf(part, role)] += tokens
  return { total: Object.values(sums).reduce((a, b) => a + b, 0), ...sums }
}

function groupByTool(parts: readonly MeasuredPart[]): ToolTokens[] {
  const tools = new Map<string, { calls: number; errors: number; callTokens: number; resultTokens: number }>()
  for (const { part, action, tokens } of parts) {
    if (part.type !== 'tool-call' && part.type !== 'tool-result') continue
    const tool = action?.name ?? part.name ?? '(no call)'
    const sums = tools.get(tool) ?? { calls: 0, errors: 0, callTokens: 0, resultTokens: 0 }
    tools.set(tool, sums)
    if (part.type === 'tool-call') {
      sums.calls++
      sums.callTokens += tokens
    } else {
      sums.resultTokens += tokens
      if (part.isError) sums.errors++
    }
  }
  return [...tools]
    .map(([tool, sums]) => ({ tool, ...sums, tokens: sums.callTokens + sums.resultTokens }))
    .sort((a, b) => b.tokens - a.tokens)
}

function groupByTurn(
  messages: readonly Message[],
  parts: readonly MeasuredPart[],
  frames: readonly number[],
): TurnTokens[] {
  const tokensOf = frames.slice()
  for (const { message, tokens } of parts) tokensOf[message] = tokensOf[message]! + tokens
  const turns = findTurns(messages)
  const preamble = turns[0]?.start ?? messages.length
  const describe = (start: number, end: number, turn: number): TurnTokens => {
    let tokens = 0
    for (let index = start; index < end; index++) tokens += tokensOf[index]!
    const request = turn > 0 ? renderPreview(messages[start]!.parts) : ''
    return { turn, message: start, messages: end - start, tokens, request }
  }
  return [
    ...(preamble > 0 ? [describe(0, preamble, 0)] : []),
    ...turns.map(({ start, end }, index) => describe(start, end, index + 1)),
  ]
}

function findLargest(parts: readonly MeasuredPart[]): LargePart[] {
  return [...parts]
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST_COUNT)
    .map(({ part, message, role, tokens, action }) => ({
      message,
      role,
      type: part.type,
      ...(action && { tool: action.name }),
      ...(action?.paths[0] && { file: action.paths[0] }),
      tokens,
      preview: renderPreview([part]),
    }))
}

function renderPreview(parts: readonly Part[]): string {
  const part = parts.find(({ type }) => type === 'text') ?? parts[0]
  // Half a key is not recognised: more than what is shown is looked at.
  return part ? redactSecrets(renderPart(part).slice(0, PREVIEW_LENGTH + 2_000)).slice(0, PREVIEW_LENGTH) : ''
}
