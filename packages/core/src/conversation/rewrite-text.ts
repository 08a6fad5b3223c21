import { type Message, type Part, withParts } from './message.ts'

/**
 * The message with `text` in the place of all its text parts. The other parts are the very objects they were, in their
 * order; a blank text, or a message without text, gives the message itself.
 *
 *   reasoning   text a   call 1   text b   call 2
 *   reasoning   text     call 1            call 2
 */
export function rewriteText(message: Message, text: string): Message {
  const place = findPlace(message.parts)
  if (text.trim() === '' || place === undefined) return message
  switch (message.role) {
    case 'assistant':
      return withParts(message, replaceTexts(message.parts, place, text))
    case 'user':
    case 'system':
      return withParts(message, replaceTexts(message.parts, place, text))
    case 'tool':
      return message
  }
}

function replaceTexts<P extends Part>(parts: readonly P[], place: number, text: string): P[] {
  return parts.flatMap((part, index) => {
    if (part.type !== 'text') return [part]
    return index === place ? [{ ...part, text }] : []
  })
}

/**
 * The first text part; the last one where the message would otherwise end with reasoning, which providers refuse.
 * Undefined without text.
 */
function findPlace(parts: readonly Part[]): number | undefined {
  const isText = ({ type }: Part) => type === 'text'
  const first = parts.findIndex(isText)
  if (first < 0) return undefined
  const lastOther = parts.findLast((part) => !isText(part))
  return lastOther?.type === 'reasoning' ? parts.findLastIndex(isText) : first
}
