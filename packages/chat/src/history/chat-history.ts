/**
 * The state of a chat: all lines of its history file, applied in order. It is kept current while
 * the chat continues.
 */

import type { Protocol } from '@precis/core/conversation'
import { repairInvariants } from '@precis/core/conversation/invariants'
import { cleanPin } from '@precis/core/engine'
import { formats } from '@precis/core/formats'
import type { AssistantModelMessage, ModelMessage, ToolResultPart } from 'ai'
import type { RecalledMessage, SettingTexts, SpentRow, ToolResult } from '../contract/chat-agent.ts'
import type { HistoryEntry, HistoryPart } from './history-entry.ts'
import { addSpent } from './sum-spent.ts'

/** Every message that was ever in a chat, and which of them it has now. */
export class ChatHistory {
  /** By number, in the order in which they came. Has holes for those that could not be read. */
  readonly all: ModelMessage[] = []
  /** Numbers, oldest first. */
  current: number[] = []
  /**
   * Changes that `/undo` can take back, latest last. Each has the numbers before it, and how many
   * messages were left. Later messages follow those.
   */
  readonly undoable: { readonly before: readonly number[]; readonly left: number }[] = []
  pins: readonly string[] = []
  /** Pins that ended. Earlier summaries may still contain them. */
  unpins: readonly string[] = []
  /** Settings that the user changed with `/strategy` and similar commands. */
  settings: SettingTexts = {}
  spent: readonly SpentRow[] = []
  /** Messages that a compression wrote. */
  readonly written = new Set<number>()
  /** What was streamed since the latest message. */
  partialText = ''
  readonly partialResults = new Map<string, ToolResult>()
  readonly #numbers = new Map<ModelMessage, number>()

  apply(entry: HistoryEntry): void {
    switch (entry.type) {
      case 'message':
        this.skipTo(entry.number)
        this.current.push(this.#add(entry.message))
        this.#forgetPartial()
        break
      case 'history': {
        this.skipTo(entry.number)
        const next = entry.parts.flatMap((part) => this.#resolve(part))
        if (entry.isFinal) this.undoable.length = 0
        else if (entry.reason === 'undo') this.undoable.pop()
        else this.undoable.push({ before: this.current, left: next.length })
        this.current = next
        break
      }
      case 'pin':
        this.pins = [...this.pins, entry.text]
        this.unpins = this.unpins.filter((text) => !isSamePin(text, entry.text))
        break
      case 'unpin':
        this.pins = this.pins.filter((text) => !isSamePin(text, entry.text))
        this.unpins = [...this.unpins, entry.text]
        break
      case 'setting':
        this.settings = { ...this.settings, [entry.name]: entry.text }
        break
      case 'spent':
        this.spent = addSpent(this.spent, entry)
        break
      case 'partial-text':
        this.partialText += entry.text
        break
      case 'partial-result':
        this.partialResults.set(entry.callId, entry)
        break
      case 'void':
        this.#forgetPartial()
    }
  }

  /** Leaves out the numbers of messages that could not be read. */
  skipTo(number = 0): void {
    this.all.length = Math.max(this.all.length, number)
  }

  /**
   * A list of messages as the parts of a `history` entry. Known messages are given by number, and
   * neighbors as one range.
   */
  describe(messages: readonly ModelMessage[]): HistoryPart[] {
    const parts: HistoryPart[] = []
    for (const message of messages) {
      const number = this.#numbers.get(message)
      const last = parts.at(-1)
      if (number === undefined) parts.push({ message })
      else if (last && !('message' in last) && last[1] === number) last[1] = number + 1
      else parts.push([number, number + 1])
    }
    return parts
  }

  /** The history with its latest compression undone. Later messages stay. */
  takeBack(): ModelMessage[] | undefined {
    const newest = this.undoable.at(-1)
    if (!newest) return undefined
    return [...newest.before, ...this.current.slice(newest.left)].flatMap(
      (number) => this.all[number] ?? [],
    )
  }

  #add(message: ModelMessage): number {
    this.#numbers.set(message, this.all.length)
    return this.all.push(message) - 1
  }

  #resolve(part: HistoryPart): number[] {
    if ('message' in part) {
      const number = this.#add(part.message)
      this.written.add(number)
      return [number]
    }
    const from = Math.max(part[0], 0)
    const length = Math.max(Math.min(part[1], this.all.length) - from, 0)
    return Array.from({ length }, (_, index) => from + index).filter((known) => known in this.all)
  }

  #forgetPartial(): void {
    this.partialText = ''
    this.partialResults.clear()
  }
}

const isSamePin = (one: string, other: string): boolean => cleanPin(one) === cleanPin(other)

export const INTERRUPTED = 'Interrupted: this call was not finished.'

/** Providers refuse a request with half a character, which a cut may leave. */
export const replaceHalves = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd')

/** A result in the form of the AI SDK. */
export function createToolResult(
  { callId, name }: CalledTool,
  value: string,
  isError: boolean,
): ToolResultPart {
  const output = { type: isError ? ('error-text' as const) : ('text' as const), value }
  return { type: 'tool-result', toolCallId: callId, toolName: name, output }
}

export interface CalledTool {
  readonly callId: string
  readonly name: string
}

/**
 * The message that makes the end of a history valid if its writer was stopped during an answer or
 * its tool calls.
 */
export function repairEnd(history: ChatHistory): {
  messages: ModelMessage[]
  repairedCalls: number
} {
  const number = history.current.at(-1)
  const last = number === undefined ? undefined : history.all[number]
  const open = last?.role === 'assistant' ? findCalls(last) : []
  if (open.length > 0) {
    const content = open.map((call) => {
      const known = history.partialResults.get(call.callId)
      return createToolResult(call, known?.output ?? INTERRUPTED, known?.isError ?? true)
    })
    const repairedCalls = open.filter(({ callId }) => !history.partialResults.has(callId)).length
    return { messages: [{ role: 'tool', content }], repairedCalls }
  }
  const text = replaceHalves(history.partialText)
  if (text.trim() === '' || last?.role === 'assistant') return { messages: [], repairedCalls: 0 }
  return { messages: [{ role: 'assistant', content: [{ type: 'text', text }] }], repairedCalls: 0 }
}

/**
 * The present messages under the rules of a protocol. If lines of the file could not be read, the
 * other half of a call or the first request may be missing.
 */
export function repairGaps(
  { all, current }: ChatHistory,
  protocol: Protocol,
): readonly ModelMessage[] {
  const messages = current.flatMap((number) => all[number] ?? [])
  const conversation = formats['ai-sdk'].parse(messages)
  const repaired = repairInvariants({ ...conversation, protocol })
  // A list stays a list.
  return formats['ai-sdk'].serialize(repaired) as ModelMessage[]
}

/** Calls that the host has to answer. */
function findCalls({ content }: AssistantModelMessage): CalledTool[] {
  if (typeof content === 'string') return []
  return content.flatMap((part) => {
    const isOpen = part.type === 'tool-call' && part.providerExecuted !== true
    return isOpen ? [{ callId: part.toolCallId, name: part.toolName }] : []
  })
}

const MOST_FOUND = 20
const MOST_WORDS = 20
const EXCERPT_BEFORE = 80
const EXCERPT_CHARACTERS = 300

/**
 * Messages that were removed or changed and contain words of the query. More matches, closer
 * together, rank higher.
 */
export function recallMessages(
  { all, current, written }: ChatHistory,
  query: string,
): RecalledMessage[] {
  const words = findWords(query)
  const phrase = query.trim().toLowerCase()
  if (words.length === 0) return []
  const present = new Set(current)
  const found = all.flatMap((message, number) => {
    if (present.has(number) || written.has(number)) return []
    const text = renderMessage(message)
    const lower = text.toLowerCase()
    const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
    if (places.length === 0) return []
    const whole = lower.indexOf(phrase)
    const at = whole >= 0 ? whole : Math.min(...places)
    const score = places.length + (whole >= 0 ? words.length : 0)
    const recalled: RecalledMessage = {
      role: message.role,
      position: number + 1,
      excerpt: cutAround(text, at),
      text,
    }
    return [{ score, recalled }]
  })
  // The later one wins a tie.
  found.sort((a, b) => b.score - a.score || b.recalled.position - a.recalled.position)
  return found.slice(0, MOST_FOUND).map(({ recalled }) => recalled)
}

/** For the model. */
export function renderRecalled(found: readonly RecalledMessage[], maxCharacters: number): string {
  if (found.length === 0) return 'Nothing that was removed from this chat has these words.'
  const blocks: string[] = []
  let length = 0
  for (const { role, position, excerpt, text } of found) {
    // The best ones are whole, if they fit.
    const body = blocks.length < 3 && text.length < maxCharacters / 4 ? text : excerpt
    const block = `[message ${position}, ${role}]\n${body}`
    length += block.length + 2
    if (blocks.length > 0 && length > maxCharacters) break
    blocks.push(block)
  }
  return blocks.join('\n\n')
}

function findWords(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/)
  return [...new Set(words.filter((word) => word !== ''))].slice(0, MOST_WORDS)
}

/** The text as a reader would see it. */
export function renderMessage({ content }: ModelMessage): string {
  if (typeof content === 'string') return content
  return content.map(renderPart).join('\n')
}

function renderPart(part: Exclude<ModelMessage['content'], string>[number]): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `${part.toolName} ${JSON.stringify(part.input)}`
    case 'tool-result': {
      const { output } = part
      return output.type === 'text' || output.type === 'error-text'
        ? output.value
        : JSON.stringify(output)
    }
    default:
      return `[${part.type}]`
  }
}

function cutAround(text: string, at: number): string {
  const start = Math.max(0, at - EXCERPT_BEFORE)
  const end = start + EXCERPT_CHARACTERS
  const cut = text.slice(start, end).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`
}
