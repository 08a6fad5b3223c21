const OPENING = '<summary>'
const CLOSING = '</summary>'
const REASONING_TAGS = ['think', 'thinking', 'thought', 'reasoning', 'analysis', 'scratchpad', 'reflection']

/** What stands inside `<summary>`, without reasoning; undefined when the tag is missing or not closed. */
export function extractSummary(answer: string): string | undefined {
  const text = stripReasoning(answer)
  const start = text.indexOf(OPENING)
  const end = text.lastIndexOf(CLOSING)
  return start < 0 || end < start ? undefined : text.slice(start + OPENING.length, end).trim()
}

/**
 * Without blocks of reasoning. A block begins a line: a tag that prose only mentions is left alone, and so is one that is
 * never closed, because what follows it may be the summary.
 */
export function stripReasoning(text: string): string {
  return REASONING_TAGS.reduce((rest, tag) => stripBlocks(rest, `<${tag}>`, `</${tag}>`), text)
}

function stripBlocks(text: string, opening: string, closing: string): string {
  const lastClosing = text.lastIndexOf(closing)
  if (lastClosing < 0) return text
  const kept: string[] = []
  let position = 0
  // Looks at the beginning of every line, and at what follows a block.
  for (let at = 0; at < lastClosing; ) {
    const end = text.startsWith(opening, skipSpaces(text, at)) ? text.indexOf(closing, at) : -1
    if (end < 0) {
      const lineEnd = text.indexOf('\n', at)
      if (lineEnd < 0) break
      at = lineEnd + 1
      continue
    }
    kept.push(text.slice(position, at))
    position = end + closing.length
    at = position
  }
  kept.push(text.slice(position))
  return kept.join('')
}

const DEEPEST_INDENT = 20

function skipSpaces(text: string, from: number): number {
  let at = from
  while (at < from + DEEPEST_INDENT && ' \t'.includes(text.charAt(at) || '.')) at++
  return at
}
