import { parseJson } from '../../conversation/json-text.ts'
import { type Format, FormatError, type FormatInput, type FormatName } from '../format.ts'
import { isJsonObject, readMember } from '../json/object.ts'
import { type Glimpse, glimpseJson, readBeginning, readWhole } from './glimpse.ts'

// Below it a document has the keys of a format but nothing to know it by.
const LEAST_CONFIDENCE = 0.25
// Below it nothing was seen that only this format has: `{ role, content }` with plain text is a message of many.
const CERTAIN = 0.6

/**
 * The format that is surest of the document, by its beginning, and where that tells nothing by all of it.
 * Throws `FormatError` with what it looks like.
 */
export function chooseFormat(formats: readonly Format[], input: FormatInput): FormatName {
  const beginning = readBeginning(input)
  if (beginning !== undefined) refuseUnreadable(beginning)
  const first = findSurest(formats, input)
  const whole = first && first.confidence < CERTAIN && beginning !== undefined ? parseJson(readWhole(input)) : undefined
  const best = (isJsonObject(whole) || Array.isArray(whole) ? findSurest(formats, whole) : undefined) ?? first
  if (best) return best.name
  if (isEmptyList(input, beginning)) return 'openai-chat'
  throw new FormatError(
    'unknown-format',
    `Detecting the format: ${describe(input, beginning)}. Supported are ${formats.map(({ name }) => name).join(', ')}.`,
  )
}

function findSurest(
  formats: readonly Format[],
  input: FormatInput,
): { name: FormatName; confidence: number } | undefined {
  const sure = formats.map((format) => ({ name: format.name, confidence: format.detect(input) }))
  // Of two that are as sure, the first.
  const best = sure.reduce((best, next) => (next.confidence > best.confidence ? next : best))
  return best.confidence > LEAST_CONFIDENCE ? best : undefined
}

/** A list of nothing is the same in every API; it is read as the most common one. */
function isEmptyList(input: FormatInput, beginning: string | undefined): boolean {
  return Array.isArray(input) ? input.length === 0 : /^\s*\[\s*\]\s*$/.test(beginning ?? '')
}

function refuseUnreadable(beginning: string): void {
  if (beginning.trim() === '') throw new FormatError('empty', 'Detecting the format: the document is empty.')
  const first = beginning.trimStart()[0]
  if (first === '{' || first === '[') return
  if (beginning.includes('\0') || beginning.includes('\ufffd')) {
    throw new FormatError('binary', 'Detecting the format: the document is no UTF-8 text. Give JSON or JSON Lines.')
  }
}

interface Lookalike {
  readonly name: string
  readonly fits: (glimpse: Glimpse) => boolean
}

/** What people have on their disks that is not read yet. */
const LOOKALIKES: readonly Lookalike[] = [
  { name: 'a SWE-agent trajectory', fits: ({ keys }) => keys.has('trajectory') },
  {
    name: 'an OpenHands trajectory',
    fits: ({ elements }) =>
      elements.some((event) => 'source' in event && ('action' in event || 'observation' in event)),
  },
  {
    name: 'UI messages of the AI SDK',
    fits: ({ elements }) => elements.some((message) => 'role' in message && Array.isArray(message.parts)),
  },
]

function describe(input: FormatInput, beginning: string | undefined): string {
  const glimpse = glimpseJson(input, ['messages', 'contents', 'input', 'trajectory'])
  if (glimpse) {
    const lookalike = LOOKALIKES.find(({ fits }) => fits(glimpse))
    if (lookalike) return `this looks like ${lookalike.name}, which is not supported`
    const keys = [...glimpse.keys].slice(0, 8).map((key) => key.slice(0, 40))
    if (keys.length > 0) return `found a JSON object with "${keys.join('", "')}"`
    return 'found JSON that holds no messages'
  }
  const line = beginning?.split('\n', 1)[0] ?? ''
  const entry = parseJson(line)
  if (!isJsonObject(entry)) return line.trimStart().startsWith('{') ? 'found broken JSON' : 'found no JSON'
  const type = readMember(entry, 'type')
  const typed = typeof type === 'string' ? `of type "${type.slice(0, 40)}"` : 'without a type'
  return `found JSON Lines whose first entry is ${typed}`
}
