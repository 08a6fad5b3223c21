import { type Part, renderPart } from '@precis/core'
import { asObject, parseObject } from '../../sessions/lines.ts'

const MOST_FIELDS = 20
const LONGEST_JSON = 200_000

/** What a part says, for people: the arguments of a call one below the other, not as JSON. */
export function renderPartText(part: Part): string {
  if (part.type === 'reasoning' && part.text.trim() === '') return '(hidden by the provider)'
  if (part.type !== 'tool-call') return renderPart(part)
  const input = typeof part.input === 'string' ? readArguments(part.input) : part.input
  const fields = asObject(input)
  if (!fields) return renderValue(part.input)
  return Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .map(([name, value]) => `${name}: ${renderValue(value)}`)
    .join('\n')
}

/** Arguments of OpenAI are JSON in a string; free text is no object. */
function readArguments(text: string): unknown {
  return text.length > LONGEST_JSON ? undefined : parseObject(Buffer.from(text))
}

/** As JSON of any depth, unless it is text. */
function renderValue(value: unknown): string {
  return renderPart({ type: 'tool-call', callId: '', name: '', input: value }).trim()
}
