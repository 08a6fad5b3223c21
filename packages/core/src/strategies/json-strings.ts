/** The strings of a JSON text, changed in place: keys, numbers and nesting stay as they are, however deep. */
import { parseJson, toJsonText } from '../conversation/json-text.ts'

/** JSON with other strings as values; `json` has to be valid. One pass, no recursion. */
export function mapJsonStrings(json: string, change: (text: string) => string): string {
  const pieces: string[] = []
  let copied = 0
  for (const { start, end } of findStringValues(json)) {
    const text = String(JSON.parse(json.slice(start, end)))
    const changed = change(text)
    if (changed === text) continue
    pieces.push(json.slice(copied, start), JSON.stringify(changed))
    copied = end
  }
  pieces.push(json.slice(copied))
  return copied === 0 ? json : pieces.join('')
}

/** Where the string values of valid JSON lie, quotes included. */
export function* findStringValues(json: string): Generator<{ readonly start: number; readonly end: number }> {
  let position = json.indexOf('"')
  while (position >= 0) {
    const end = findStringEnd(json, position)
    if (!isFollowedByColon(json, end)) yield { start: position, end }
    position = json.indexOf('"', end)
  }
}

function findStringEnd(json: string, start: number): number {
  for (let position = start + 1; position < json.length; position++) {
    const code = json.charCodeAt(position)
    if (code === 0x5c) position++
    else if (code === 0x22) return position + 1
  }
  return json.length
}

function isFollowedByColon(json: string, from: number): boolean {
  let position = from
  while (/[ \t\r\n]/.test(json[position] ?? '')) position++
  return json[position] === ':'
}

/**
 * The input of a call with other strings: an object stays an object, a text of JSON stays a text of JSON, any other text
 * is one string. The same value when no string changes.
 */
export function mapInputStrings(input: unknown, change: (text: string) => string): unknown {
  if (typeof input === 'string') return isJsonText(input) ? mapJsonStrings(input, change) : change(input)
  if (typeof input !== 'object' || input === null) return input
  const json = toJsonText(input)
  const changed = mapJsonStrings(json, change)
  return changed === json ? input : parseJson(changed)
}

/** Whether a text is a JSON object or list. */
export function isJsonText(text: string): boolean {
  return /^\s{0,100}[[{]/.test(text) && parseJson(text) !== undefined
}
