import type { Conversation, Message, Part } from '@precis/core'
import { renderPart } from '@precis/core'
import { readInputText } from './input-text.ts'
import { hasContent, type Item, type ItemKind } from './item.ts'

/** The items of a parsed conversation; `row` is the position of their message. Reasoning is no item. */
export function readConversationItems({ messages }: Pick<Conversation, 'messages'>): Item[] {
  return messages
    .flatMap((message, row) => message.parts.map((part) => readPart(message, part, row)))
    .filter((item) => item !== undefined)
    .filter(hasContent)
}

function readPart(message: Message, part: Part, row: number): Item | undefined {
  switch (part.type) {
    case 'text': {
      const kind = kindOf(message)
      return kind && { kind, text: part.text, row }
    }
    case 'tool-call': {
      const input = parseInput(part.input)
      return { kind: 'call', text: readInputText(input), row, name: part.name, input, callId: part.callId }
    }
    case 'tool-result':
      return { kind: 'result', text: part.output.map(renderPart).join('\n'), row, callId: part.callId }
    default:
      return undefined
  }
}

function kindOf({ role, origin }: Message): ItemKind | undefined {
  if (role === 'assistant') return 'assistant'
  if (role === 'system') return undefined
  return origin === 'user' ? 'user' : 'meta'
}

/** OpenAI has arguments as JSON text. */
function parseInput(input: unknown): unknown {
  if (typeof input !== 'string' || !input.trimStart().startsWith('{')) return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
