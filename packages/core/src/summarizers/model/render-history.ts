import { type Message, type Part, renderInput, renderPart } from '../../conversation/message.ts'
import { readSummary } from '../../conversation/summary-message.ts'
import { cleanText } from './clean-text.ts'
import { clipMiddle } from './clip-middle.ts'

/** One message as the summarizing model sees it; what it says never decides where it begins. */
export interface Entry {
  /** Who speaks, for example `person` or `result of read, failed`. */
  readonly title: string
  readonly text: string
}

// In characters. What people and the agent say is not clipped; output is mostly needed at its ends.
const LONGEST: Readonly<Record<Part['type'], number>> = {
  text: Number.POSITIVE_INFINITY,
  reasoning: 4000,
  'tool-call': 4000,
  'tool-result': 8000,
  opaque: 200,
  image: 200,
  file: 200,
}

/** Everything the model saw, in its order: words, reasoning, calls, results; media by name only. */
export function renderHistory(span: readonly Message[]): Entry[] {
  const names = new Map<string, string>()
  const entries: Entry[] = []
  for (const message of span) {
    const summary = readSummary(message)
    if (summary !== undefined) {
      entries.push({ title: EARLIER_SUMMARY, text: cleanText(summary) })
      continue
    }
    for (const part of message.parts) {
      if (part.type === 'tool-call') names.set(part.callId, part.name)
      const entry = { title: readTitle(message, part, names), text: readPart(part) }
      if (entry.text !== '' || part.type === 'tool-result') entries.push(entry)
    }
  }
  return entries
}

export const EARLIER_SUMMARY = 'earlier summary'

function readTitle(message: Message, part: Part, names: ReadonlyMap<string, string>): string {
  if (part.type === 'tool-call') return `agent calls ${nameTool(part.name)}`
  if (part.type === 'tool-result') {
    const name = nameTool(part.name ?? names.get(part.callId) ?? 'a tool')
    return `result of ${name}${part.isError ? ', failed' : ''}`
  }
  if (part.type === 'reasoning') return 'agent thinks'
  if (message.role === 'assistant') return 'agent'
  if (message.role === 'user') return message.origin === 'user' ? 'person' : 'host'
  return message.role
}

/** A name of a tool comes from outside as well. */
function nameTool(name: string): string {
  return cleanText(name).replace(/\s+/g, ' ').slice(0, 80)
}

/** Clipped after secrets are gone: half a key is not recognised. */
function readPart(part: Part): string {
  // What nobody understands is no text: it may be encrypted, or sound.
  if (part.type === 'opaque') return `[${cleanText(part.kind).slice(0, 80)}, ${part.text.length} characters]`
  const text = part.type === 'tool-call' ? renderInput(part.input) : renderPart(part)
  return clipMiddle(cleanText(text).trim(), LONGEST[part.type])
}
