import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  isContentPart,
  type Message,
  type Part,
  type ToolResultPart,
} from '../../conversation/message.ts'

/** A part in a role that has no such part: carried, not understood. */
export function toContentPart(part: Part): ContentPart {
  if (isContentPart(part)) return part
  return { type: 'opaque', kind: part.type, text: toJsonText(part.native), native: part.native }
}

export function toAssistantPart(part: Part): AssistantMessage['parts'][number] {
  return part.type === 'reasoning' || part.type === 'tool-call' ? part : toContentPart(part)
}

/** A run of parts of one record in the user role: results, or what a user message may hold. */
export type UserRun =
  | { readonly role: 'tool'; readonly parts: readonly ToolResultPart[] }
  | { readonly role: 'user'; readonly parts: readonly ContentPart[] }

/** Splits at every change between results and the rest, in order; one empty run for no parts, so that nothing is lost. */
export function splitUserParts(parts: readonly Part[]): UserRun[] {
  const runs: UserRun[] = []
  let results: ToolResultPart[] = []
  let content: ContentPart[] = []
  const close = () => {
    if (results.length > 0) runs.push({ role: 'tool', parts: results })
    if (content.length > 0) runs.push({ role: 'user', parts: content })
    results = []
    content = []
  }
  for (const part of parts) {
    if (part.type === 'tool-result') {
      if (content.length > 0) close()
      results.push(part)
    } else {
      if (results.length > 0) close()
      content.push(toContentPart(part))
    }
  }
  close()
  return runs.length > 0 ? runs : [{ role: 'user', parts: [] }]
}

/** The parts of messages that share one record: results come first in it, anything before them is refused. */
export function joinUserParts(messages: readonly Message[]): Part[] {
  return [...messages]
    .sort((a, b) => Number(b.role === 'tool') - Number(a.role === 'tool'))
    .flatMap((message): readonly Part[] => message.parts)
}
