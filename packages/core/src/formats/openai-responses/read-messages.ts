/**
 * Items of the Responses API to messages. What the model gave in one go is one message, so that reasoning stays
 * with its calls and parallel calls stay together:
 *
 *   items      user   reasoning  message  call a  call b   output a   output b   reasoning  message
 *   messages   user   assistant ───────────────────────    tool       tool       assistant ────────
 */
import { findAnswerOrigin } from '../../conversation/injected-text.ts'
import {
  type AssistantMessage,
  isContentPart,
  type Message,
  type Origin,
  type Part,
  type ToolMessage,
} from '../../conversation/message.ts'
import type { JsonObject } from '../json/object.ts'
import { findItemOrigin } from './item-origin.ts'
import { readItem } from './read-item.ts'

export interface LocatedItem {
  readonly item: JsonObject
  /** Position in the item list of its document; what parts remember in `native`. */
  readonly ordinal: number
  /** Position of the native record that holds the item. */
  readonly record: number
  /** What is known of a user item from outside of it. */
  readonly origin?: Origin
}

export function readMessages(items: Iterable<LocatedItem>): Message[] {
  return createItemReader()(items)
}

/** Reads the items of one history piece by piece: a result knows the name of a call that was read before. */
export function createItemReader(): (items: Iterable<LocatedItem>) => Message[] {
  const callNames = new Map<string, string>()
  return (items) => readPiece(items, callNames)
}

function readPiece(items: Iterable<LocatedItem>, callNames: Map<string, string>): Message[] {
  const messages: Message[] = []
  let run: { parts: Part[]; records: number[] } | undefined
  const closeRun = () => {
    if (run) {
      const origin = findAnswerOrigin(run.parts)
      messages.push({ role: 'assistant', origin, ...assistantFields(run.parts), records: run.records })
    }
    run = undefined
  }
  for (const located of items) {
    const { side, parts } = readItem(located.item, located.ordinal)
    if (side === 'assistant') {
      run ??= { parts: [], records: [] }
      for (const part of parts) {
        run.parts.push(part)
        if (part.type === 'tool-call') callNames.set(part.callId, part.name)
      }
      if (run.records.at(-1) !== located.record) run.records.push(located.record)
      continue
    }
    closeRun()
    messages.push(readOther(side, parts, located, callNames))
  }
  closeRun()
  return messages
}

function readOther(
  side: 'user' | 'system' | 'tool' | 'closed',
  parts: readonly Part[],
  located: LocatedItem,
  callNames: ReadonlyMap<string, string>,
): Message {
  const records = [located.record]
  switch (side) {
    case 'user': {
      const content = parts.filter(isContentPart)
      return { role: 'user', origin: located.origin ?? findItemOrigin(located.item, content), parts: content, records }
    }
    case 'system':
      return { role: 'system', origin: 'environment', parts: parts.filter(isContentPart), records }
    case 'tool':
      return { role: 'tool', origin: 'environment', parts: parts.flatMap(nameResult(callNames)), records }
    case 'closed':
      return { role: 'assistant', origin: 'synthetic', ...assistantFields(parts), records }
  }
}

function nameResult(callNames: ReadonlyMap<string, string>) {
  return (part: Part): ToolMessage['parts'][number][] => {
    if (part.type !== 'tool-result') return part.type === 'opaque' ? [part] : []
    const name = callNames.get(part.callId)
    return [name === undefined ? part : { ...part, name }]
  }
}

function assistantFields(parts: readonly Part[]): Pick<AssistantMessage, 'parts'> {
  return { parts: parts.filter((part) => part.type !== 'tool-result') }
}
