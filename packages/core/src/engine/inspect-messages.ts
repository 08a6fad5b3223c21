import type { Conversation, Message, Part } from '../conversation/message.ts'
import { readText } from '../conversation/message.ts'
import { isSummary, NATIVE_SUMMARY_OPENINGS } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { type FileRead, findReads } from './file-tokens.ts'
import { measureFrames, measureParts } from './measure-parts.ts'
import { kindOf, kindOfRole, type TokenKind } from './token-kind.ts'

/** One message as `inspect` counts it: all messages and the tool schemas add up to its totals, kind by kind. */
export interface InspectedMessage {
  readonly message: Message
  /** Counts from 1; 0 before the first request. */
  readonly turn: number
  /** Parts and frame. */
  readonly tokens: number
  /** What it costs beside its parts, and the kind that is counted as. */
  readonly frame: { readonly kind: TokenKind; readonly tokens: number }
  readonly parts: readonly InspectedPart[]
  /** Whether it stands for what a compaction removed, of precis or of the agent itself. */
  readonly isSummary: boolean
}

export interface InspectedPart {
  readonly part: Part
  readonly kind: TokenKind
  readonly tokens: number
  /** Of a call, and of a result whose call is there. */
  readonly tool?: string
  readonly files: readonly string[]
  /** What it gave of files; empty for anything but the result of a read. */
  readonly reads: readonly FileRead[]
}

/** Every message with what each of its parts costs, in order. */
export function inspectMessages(conversation: Conversation, counter: TokenCounter): InspectedMessage[] {
  const { messages } = conversation
  const measured = measureParts(conversation, counter)
  const frames = measureFrames(messages, counter)
  const reads = new Map<Part, FileRead[]>()
  for (const read of findReads(measured)) {
    const known = reads.get(read.part)
    if (known) known.push(read)
    else reads.set(read.part, [read])
  }
  let next = 0
  let turn = 0
  return messages.map((message, index): InspectedMessage => {
    if (isUserRequest(message)) turn++
    const frame = { kind: kindOfRole(message.role), tokens: frames[index] ?? 0 }
    const parts: InspectedPart[] = []
    let { tokens } = frame
    for (let own = measured[next]; own?.message === index; own = measured[++next]) {
      const { part, role, action } = own
      const files = action?.paths ?? []
      const tool = action?.name
      parts.push({
        part,
        kind: kindOf(part, role),
        tokens: own.tokens,
        ...(tool !== undefined && { tool }),
        files,
        reads: reads.get(part) ?? [],
      })
      tokens += own.tokens
    }
    return { message, turn, tokens, frame, parts, isSummary: standsForMore(message) }
  })
}

function standsForMore(message: Message): boolean {
  if (message.role !== 'user' || message.origin !== 'synthetic') return false
  const text = readText(message).trimStart()
  return isSummary(message) || NATIVE_SUMMARY_OPENINGS.some((opening) => text.startsWith(opening))
}
