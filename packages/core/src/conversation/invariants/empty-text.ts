import type { Message, Part, ToolResultPart } from '../message.ts'
import { createInvariant, findBroken, keepParts, mapParts, withMessages } from './invariant.ts'

/**
 * A text block contains text (Anthropic: "text content blocks must contain non-whitespace text").
 * Repair drops a blank block.
 */
export const emptyText = createInvariant({
  rule: 'empty-text',
  protocols: ['anthropic-messages'],
  find: (conversation) =>
    findBroken(conversation, (message) =>
      isBroken(message) ? `a text block of the ${message.role} message is empty` : undefined,
    ),
  repair: (conversation) =>
    withMessages(conversation, conversation.messages.flatMap(repairMessage)),
})

function isBroken({ parts }: Message): boolean {
  return parts.some((part) => isBlank(part) || (part.type === 'tool-result' && hasEmptyBlock(part)))
}

function repairMessage(message: Message): Message[] {
  if (message.role === 'tool') {
    return [
      mapParts(message, (part) =>
        part.type === 'tool-result' && hasEmptyBlock(part) ? dropBlocks(part) : part,
      ),
    ]
  }
  const kept = keepParts(message, (part) => !isBlank(part))
  return kept !== message && kept.parts.length === 0 ? [] : [kept]
}

function isBlank(part: Part): boolean {
  return part.type === 'text' && !/\S/.test(part.text)
}

/** An empty string is allowed as a whole output, but not as a block in a list. */
function hasEmptyBlock({ output }: ToolResultPart): boolean {
  return output.some(
    (part) => part.type === 'text' && part.text === '' && part.native !== undefined,
  )
}

function dropBlocks(part: ToolResultPart): ToolResultPart {
  return {
    ...part,
    output: part.output.filter((block) => block.type !== 'text' || block.text !== ''),
  }
}
