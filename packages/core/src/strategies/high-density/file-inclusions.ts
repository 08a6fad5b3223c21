import { isSummary } from '../../conversation/summary-message.ts'
import type { Clearing } from '../part-changes.ts'
import type { StrategyView } from '../strategy.ts'
import { clipLine } from '../stub.ts'

/** A file that a host put into what the person said, between two marks on lines of their own. */
interface Inclusion {
  readonly start: number
  /** Behind the closing mark, its line break not included. */
  readonly end: number
  readonly path: string
}

const OPENING = /^--- (\S[^\n]{0,400}?) ---$/
const CLOSING = '--- End of content ---'

/** Inclusions of a file that a later one repeats word for word, message by message from the oldest on. */
export function findRepeatedInclusions(view: StrategyView, end: number): Clearing[] {
  const seen = new Set<string>()
  const clearings: Clearing[] = []
  const { messages } = view.conversation
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!
    if (message.role !== 'user' || isSummary(message)) continue
    for (let place = message.parts.length - 1; place >= 0; place--) {
      const part = message.parts[place]!
      if (part.type !== 'text' || !part.text.includes(CLOSING)) continue
      const repeated = findInclusions(part.text)
        .reverse()
        .filter((inclusion) => {
          const content = part.text.slice(inclusion.start, inclusion.end)
          return seen.size === seen.add(content).size
        })
      // The last request stays as it was given; what it includes counts as the newest.
      if (repeated.length === 0 || index === view.lastUserRequest || index >= end) continue
      const text = cutInclusions(part.text, repeated.reverse())
      const freedTokens = view.countTokens(part.text) - view.countTokens(text)
      clearings.push({ changes: [{ message: index, part: place, becomes: [{ ...part, text }] }], freedTokens })
    }
  }
  return clearings.reverse()
}

/** Pairs of marks in order; a mark without its partner is text like any other. */
function findInclusions(text: string): Inclusion[] {
  const inclusions: Inclusion[] = []
  let open: { readonly start: number; readonly path: string } | undefined
  let start = 0
  while (start <= text.length) {
    const next = text.indexOf('\n', start)
    const lineEnd = next < 0 ? text.length : next
    const line = lineEnd - start <= 420 ? text.slice(start, lineEnd) : ''
    if (line === CLOSING) {
      if (open) inclusions.push({ ...open, end: lineEnd })
      open = undefined
    } else {
      const path = OPENING.exec(line)?.[1]
      if (path !== undefined) open = { start, path }
    }
    start = lineEnd + 1
  }
  return inclusions
}

function cutInclusions(text: string, inclusions: readonly Inclusion[]): string {
  const pieces: string[] = []
  let position = 0
  for (const { start, end, path } of inclusions) {
    pieces.push(text.slice(position, start), `[file ${clipLine(path, 100)}: included again later]`)
    position = end
  }
  pieces.push(text.slice(position))
  return pieces.join('')
}
