import type { ContentPart } from '../../conversation/message.ts'
import { isJsonText, mapInputStrings, mapJsonStrings } from '../json-strings.ts'
import type { CallView } from '../strategy.ts'
import { clearContent, cutBefore } from '../stub.ts'

// Two lines or 120 characters, whichever is shorter (coding-agent-manager).
const MOST_CHARACTERS = 120

/** The input of a call with every string in it cut; keys, numbers and nesting stay. The same value when all are short. */
export function truncateInput(input: unknown): unknown {
  return mapInputStrings(input, truncateText)
}

/** Every text of an output cut, JSON string by string; media as placeholders. The same list when all is short. */
export function truncateOutput(output: readonly ContentPart[], call: CallView): readonly ContentPart[] {
  const truncated = output.map((part) => {
    if (part.type !== 'text') return clearContent(part, 2 * MOST_CHARACTERS)
    const text = truncateResult(part.text, output.length === 1 ? call : undefined)
    return text === part.text ? part : { ...part, text }
  })
  return truncated.every((part, index) => part === output[index]) ? output : truncated
}

function truncateResult(text: string, call: CallView | undefined): string {
  if (isJsonText(text)) return mapJsonStrings(text, truncateText)
  const truncated = truncateText(text)
  if (truncated === text || call?.output === undefined || call.output === text) return truncated
  // Two lines of what the host says before the output would say nothing of it.
  const exit = call.failed && call.exitCode !== undefined ? `exit code ${call.exitCode}\n` : ''
  return truncateText(`${exit}${call.output}`)
}

/** At most two lines and 120 characters, the mark of the cut included. */
export function truncateText(text: string): string {
  const firstEnd = text.indexOf('\n')
  const lineEnd = firstEnd < 0 ? -1 : text.indexOf('\n', firstEnd + 1)
  if (lineEnd < 0 && text.length <= MOST_CHARACTERS) return text
  const lines = lineEnd < 0 ? text : text.slice(0, lineEnd)
  return `${cutBefore(lines, Math.min(lines.length, MOST_CHARACTERS - 1)).trimEnd()}…`
}
