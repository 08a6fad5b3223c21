import type { ModelMessage } from 'ai'
import type { RecalledMessage } from './chat-agent.ts'
import type { ChatHistory } from './history/chat-history.ts'

const MOST_FOUND = 20
const MOST_WORDS = 20
const EXCERPT_BEFORE = 80
const EXCERPT_CHARACTERS = 300

/** Messages that are no longer in the chat as they were and hold words of the query; the more and the nearer, the better. */
export function recallMessages({ all, current, written }: ChatHistory, query: string): RecalledMessage[] {
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
    const recalled: RecalledMessage = { role: message.role, position: number + 1, excerpt: cutAround(text, at), text }
    return [{ score, recalled }]
  })
  // Of equal ones the newer.
  found.sort((a, b) => b.score - a.score || b.recalled.position - a.recalled.position)
  return found.slice(0, MOST_FOUND).map(({ recalled }) => recalled)
}

/** For the model. */
export function renderRecalled(found: readonly RecalledMessage[], maxCharacters: number): string {
  if (found.length === 0) return 'Nothing that was removed from this chat has these words.'
  const blocks: string[] = []
  let length = 0
  for (const { role, position, excerpt, text } of found) {
    // The best ones whole, as far as there is room.
    const body = blocks.length < 3 && text.length < maxCharacters / 4 ? text : excerpt
    const block = `[message ${position}, ${role}]\n${body}`
    length += block.length + 2
    if (blocks.length > 0 && length > maxCharacters) break
    blocks.push(block)
  }
  return blocks.join('\n\n')
}

function findWords(query: string): string[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return [...new Set(words)].slice(0, MOST_WORDS)
}

/** What a reader would see of it. */
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
      if (output.type === 'text' || output.type === 'error-text') return output.value
      return JSON.stringify(output)
    }
    default:
      return `[${part.type}]`
  }
}

function cutAround(text: string, at: number): string {
  const start = Math.max(0, at - EXCERPT_BEFORE)
  const cut = text
    .slice(start, start + EXCERPT_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + EXCERPT_CHARACTERS < text.length ? '…' : ''}`
}
