import { skipSpace, skipValue } from '../json/spans.ts'

// Longer than any path or status that an agent reads from a copy, shorter than what is worth compressing.
const MAX_STRING_CHARACTERS = 200
const MAX_ARRAY_ELEMENTS = 20

/**
 * The client's own copy of a tool's output, as `toolUseResult` of Claude Code and `metadata` of OpenCode. Gives its JSON text
 * with long strings cut and long arrays shortened: every type and key stays, because the client reads fields of some
 * tools when it resumes.
 */
export function shrinkCopy(json: string): string {
  const pieces: string[] = []
  const elementCounts: number[] = []
  let copied = 0
  let position = 0
  while (position < json.length) {
    const character = json[position]
    if (character === '"') {
      const end = skipValue(json, position)
      const isKey = json[skipSpace(json, end)] === ':'
      if (!isKey && end - position > MAX_STRING_CHARACTERS) {
        pieces.push(json.slice(copied, position), cutString(json.slice(position, end)))
        copied = end
      }
      position = end
      continue
    }
    position++
    if (character === '[') elementCounts.push(1)
    else if (character === '{') elementCounts.push(Number.NEGATIVE_INFINITY)
    else if (character === ']' || character === '}') elementCounts.pop()
    else if (character === ',') {
      const count = (elementCounts.pop() ?? 0) + 1
      elementCounts.push(count)
      if (count > MAX_ARRAY_ELEMENTS) {
        pieces.push(json.slice(copied, position - 1))
        position = findArrayEnd(json, position)
        copied = position
      }
    }
  }
  pieces.push(json.slice(copied))
  return pieces.join('')
}

function cutString(json: string): string {
  const text = String(JSON.parse(json))
  const kept = text.slice(0, MAX_STRING_CHARACTERS / 2).replace(/[\ud800-\udbff]$/, '')
  return JSON.stringify(`${kept}… (${text.length - kept.length} more characters compressed away)`)
}

/** Where the bracket is that closes the array whose elements go on at `at`. */
function findArrayEnd(json: string, at: number): number {
  let position = at
  for (;;) {
    position = skipSpace(json, skipValue(json, skipSpace(json, position)))
    if (json[position] !== ',') return position
    position++
  }
}
