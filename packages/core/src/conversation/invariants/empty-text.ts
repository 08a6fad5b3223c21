import type { Conversation, Message, Part, ToolResultPart } from '../message.ts'
import { keepParts, mapParts, withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/** A text block has text in it (Anthropic: "text content blocks must contain non-whitespace text"). Repair drops it. */
export const emptyText: Invariant = {
  rule: 'empty-text',
  protocols: ['anthropic-messages'],
  check: ({ messages }) =>
    messages.flatMap((message, index) =>
      isBroken(message)
        ? [{ rule: 'empty-text', message: index, detail: `a text block of the ${message.role} message is empty` }]
        : [],
    ),
  repair: (conversation: Conversation) =>
    conversation.messages.some(isBroken)
      ? withMessages(conversation, conversation.messages.flatMap(repairMessage))
      : conversation,
}

function isBroken({ parts }: Message): boolean {
  return parts.some((part) => isBlank(part) || (part.type === 'tool-result' && hasEmptyBlock(part)))
}

function repairMessage(message: Message): Message[] {
  if (message.role === 'tool') {
    return [mapParts(message, (part) => (part.type === 'tool-result' && hasEmptyBlock(part) ? dropBlocks(part) : part))]
  }
  const kept = keepParts(message, (part) => !isBlank(part))
  return kept !== message && kept.parts.length === 0 ? [] : [kept]
}

function isBlank(part: Part): boolean {
  return part.type === 'text' && !/\S/.test(part.text)
}

/** An empty string as a whole output is allowed; an empty block in a list of them is not. */
function hasEmptyBlock({ output }: ToolResultPart): boolean {
  return output.some((part) => part.type === 'text' && part.text === '' && part.native !== undefined)
}

function dropBlocks(part: ToolResultPart): ToolResultPart {
  return { ...part, output: part.output.filter((block) => block.type !== 'text' || block.text !== '') }
}
