/**
 * The tokens of a conversation by place. Each part is counted once, and all tables come from that
 * list.
 */

import { aConversation, checkValue } from '../conversation/check-options.ts'
import { isHostSummary, isHostSummaryAnswer } from '../conversation/injected-text.ts'
import { addTo } from '../conversation/lists.ts'
import {
  type Conversation,
  type Message,
  type Part,
  readText,
  renderPart,
} from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findTurns, isUserRequest } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { cutBefore } from '../text/clip-line.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import {
  type FileRead,
  type FileTokens,
  findReads,
  kindOf,
  kindOfRole,
  type MeasuredPart,
  measureFiles,
  measureFrames,
  measureParts,
  type ReadTokens,
  type TokenKind,
} from './file-tokens.ts'
import { aCounter } from './option-kinds.ts'

/** The tables of `inspect`. Tokens are upper bounds if the tokenizer is only estimated. */
export interface Inspection {
  readonly messages: number
  readonly turns: number
  readonly tokens: TokenTotals
  readonly byTool: readonly ToolTokens[]
  readonly byFile: readonly FileTokens[]
  readonly byTurn: readonly TurnTokens[]
  /** The largest parts, at most twenty, the largest first. */
  readonly largest: readonly LargePart[]
  /** Reads of files that a later successful write changed. */
  readonly staleReads: ReadTokens
  /**
   * Reads that gave what an earlier read of the same file gave. A stale read is not counted again.
   */
  readonly duplicateReads: ReadTokens
}

/** `system` includes tool schemas. The parts add up to `total`. */
type TokenTotals = Readonly<Record<TokenKind | 'total', number>>

interface ToolTokens {
  readonly tool: string
  readonly calls: number
  readonly errors: number
  readonly callTokens: number
  readonly resultTokens: number
  readonly tokens: number
}

/** `turn` counts from 1. Messages before the first request are in turn 0. */
interface TurnTokens {
  readonly turn: number
  /** Position of its first message. */
  readonly message: number
  readonly messages: number
  readonly tokens: number
  /** Beginning of what the user asked. */
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
  checkInspected(conversation, counter)
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

type Parts = readonly MeasuredPart[]
type Frames = readonly number[]

function sumTokens(
  messages: readonly Message[],
  parts: Parts,
  frames: Frames,
  fixedTokens: number,
): TokenTotals {
  const sums = {
    user: 0,
    assistant: 0,
    reasoning: 0,
    toolCalls: 0,
    toolResults: 0,
    system: fixedTokens,
  }
  for (const [index, { role }] of messages.entries()) sums[kindOfRole(role)] += frames[index]!
  for (const { part, role, tokens } of parts) sums[kindOf(part, role)] += tokens
  return { total: Object.values(sums).reduce((a, b) => a + b, 0), ...sums }
}

function groupByTool(parts: readonly MeasuredPart[]): ToolTokens[] {
  const tools = new Map<string, { -readonly [Field in keyof ToolTokens]: ToolTokens[Field] }>()
  for (const { part, action, failed, tokens } of parts) {
    if (part.type !== 'tool-call' && part.type !== 'tool-result' && action === undefined) continue
    const tool = action?.name ?? ('name' in part ? part.name : undefined) ?? '(no call)'
    const sums = tools.get(tool) ?? {
      tool,
      calls: 0,
      errors: 0,
      callTokens: 0,
      resultTokens: 0,
      tokens: 0,
    }
    tools.set(tool, sums)
    sums.tokens += tokens
    sums[part.type === 'tool-call' ? 'callTokens' : 'resultTokens'] += tokens
    if (part.type === 'tool-call') sums.calls++
    else if (failed) sums.errors++
  }
  return [...tools.values()].sort((a, b) => b.tokens - a.tokens)
}

function groupByTurn(messages: readonly Message[], parts: Parts, frames: Frames): TurnTokens[] {
  const tokensOf = frames.slice()
  for (const { message, tokens } of parts) tokensOf[message] = tokensOf[message]! + tokens
  const turns = findTurns(messages)
  const preamble = turns[0]?.start ?? messages.length
  const describe = (start: number, end: number, turn: number): TurnTokens => {
    const tokens = tokensOf.slice(start, end).reduce((sum, own) => sum + own, 0)
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
      tool: action?.name,
      file: action?.paths[0] || undefined,
      tokens,
      preview: renderPreview([part]),
    }))
}

function renderPreview(parts: readonly Part[]): string {
  const part = parts.find(({ type }) => type === 'text') ?? parts[0]
  // Half a key is not recognized, so more is checked than is shown.
  return part
    ? cutBefore(redactSecrets(renderPart(part).slice(0, PREVIEW_LENGTH + 2_000)), PREVIEW_LENGTH)
    : ''
}

/**
 * One message as `inspect` counts it: all messages and the tool schemas add up to its totals, kind
 * by kind.
 */
export interface InspectedMessage {
  readonly message: Message
  /** Counts from 1. 0 before the first request. */
  readonly turn: number
  /** Parts and frame. */
  readonly tokens: number
  /** Its cost in addition to its parts, and the kind that it counts as. */
  readonly frame: { readonly kind: TokenKind; readonly tokens: number }
  readonly parts: readonly InspectedPart[]
  /** Whether it sums up what a compaction removed, of precis or of the agent itself. */
  readonly isSummary: boolean
}

export interface InspectedPart {
  readonly part: Part
  readonly kind: TokenKind
  readonly tokens: number
  /** For a call, and for a result whose call is there. */
  readonly tool?: string
  readonly files: readonly string[]
  /** Whether it is the result of a call that failed. */
  readonly failed: boolean
  /** The files that it shows. Empty unless it is the result of a read. */
  readonly reads: readonly FileRead[]
}

/** Every message with what each of its parts costs, in order. */
export function inspectMessages(
  conversation: Conversation,
  counter: TokenCounter,
): InspectedMessage[] {
  checkInspected(conversation, counter)
  const { messages } = conversation
  const measured = measureParts(conversation, counter)
  const frames = measureFrames(messages, counter)
  const reads = new Map<Part, FileRead[]>()
  for (const read of findReads(measured)) addTo(reads, read.part, read)
  let next = 0
  let turn = 0
  return messages.map((message, index): InspectedMessage => {
    if (isUserRequest(message)) turn++
    const frame = { kind: kindOfRole(message.role), tokens: frames[index] ?? 0 }
    const parts: InspectedPart[] = []
    let { tokens } = frame
    for (let own = measured[next]; own?.message === index; own = measured[++next]) {
      const { part, role, action, failed } = own
      const found = { tool: action?.name, files: action?.paths ?? [], reads: reads.get(part) ?? [] }
      parts.push({ part, kind: kindOf(part, role), tokens: own.tokens, failed, ...found })
      tokens += own.tokens
    }
    return { message, turn, tokens, frame, parts, isSummary: sumsUp(message, messages[index - 1]) }
  })
}

function sumsUp(message: Message, before: Message | undefined): boolean {
  const isHosts = message.role === 'user' && message.origin === 'synthetic'
  return (
    isSummary(message) ||
    isHostSummaryAnswer(message, before) ||
    (isHosts && isHostSummary(readText(message)))
  )
}

function checkInspected(conversation: Conversation, counter: TokenCounter): void {
  checkValue('Inspecting', 'conversation', conversation, aConversation)
  checkValue('Inspecting', 'counter', counter, aCounter)
}
