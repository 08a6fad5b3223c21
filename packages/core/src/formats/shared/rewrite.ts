/**
 * Writes a changed value over the JSON text of the value that it was made from. Objects that both
 * values share keep their characters: number spelling, escapes, key order and white space.
 *
 *   before   { "model": "m", "messages": [ A, B, C ] }
 *   after    { model, messages: [A, B', D, C] }
 *   text     kept ───────────────────────┴ A kept, B rewritten, D written, C kept
 */
import { toJsonText } from '../../conversation/json-text.ts'
import { isJsonObject, type JsonObject, readMember } from './json.ts'
import {
  findArrayElements,
  findMembers,
  replaceValues,
  type Span,
  skipSpace,
  skipValue,
} from './spans.ts'

// Codecs change records less deep than this. A deeper changed value is written whole.
const MAX_DEPTH = 8
// Each changed member costs one scan of its object. Codecs change up to five members.
const MAX_CHANGED_MEMBERS = 16

/** `text` is the JSON text of `before`. The result is the JSON text of `after`. */
export function rewriteJson(text: string, before: unknown, after: unknown): string {
  const start = skipSpace(text, 0)
  const end = skipValue(text, start)
  return (
    text.slice(0, start) + rewriteValue(text.slice(start, end), before, after, 0) + text.slice(end)
  )
}

function rewriteValue(text: string, before: unknown, after: unknown, depth: number): string {
  if (Object.is(before, after)) return text
  if (depth < MAX_DEPTH) {
    if (Array.isArray(before) && Array.isArray(after))
      return rewriteArray(text, before, after, depth)
    if (isJsonObject(before) && isJsonObject(after))
      return rewriteObject(text, before, after, depth)
  }
  return toJsonText(after)
}

function rewriteObject(text: string, before: JsonObject, after: JsonObject, depth: number): string {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...keys].filter(
    (key) => !Object.is(readMember(before, key), readMember(after, key)),
  )
  if (changed.length > MAX_CHANGED_MEMBERS) return toJsonText(after)
  const members = findMembers(text)
  const replacements = changed.map((key) => {
    const span = members.get(key)
    const value = readMember(after, key)
    if (value === undefined) return { path: [key], json: undefined }
    const json = span
      ? rewriteValue(text.slice(span.start, span.end), readMember(before, key), value, depth + 1)
      : toJsonText(value)
    return { path: [key], json, append: true }
  })
  // Members are removed one by one, because neighbors share a comma.
  const removes = replacements.some(({ json }) => json === undefined)
  return removes
    ? replacements.reduce((current, replacement) => replaceValues(current, [replacement]), text)
    : replaceValues(text, replacements)
}

function rewriteArray(
  text: string,
  before: readonly unknown[],
  after: readonly unknown[],
  depth: number,
): string {
  const spans = findArrayElements(text)
  if (spans?.length !== before.length) return toJsonText(after)
  if (after.length === 0) return '[]'
  const sources = alignElements(before, after)
  const layout = readLayout(text, spans)
  const pieces = ['[', layout.lead]
  after.forEach((value, index) => {
    const source = sources[index]
    const previous = index > 0 ? sources[index - 1] : undefined
    if (index > 0) pieces.push(findSeparator(text, spans, layout, previous, source))
    const span = source === undefined ? undefined : spans[source]
    pieces.push(
      span && source !== undefined
        ? rewriteValue(text.slice(span.start, span.end), before[source], value, depth + 1)
        : layout.write(value),
    )
  })
  pieces.push(layout.trail, ']')
  return pieces.join('')
}

/**
 * For each new element, the old element whose text it takes over: itself, the one that it shares an
 * object with, or its counterpart in a gap of equal length.
 */
function alignElements(
  before: readonly unknown[],
  after: readonly unknown[],
): (number | undefined)[] {
  const positions = new Map<unknown, number>()
  before.forEach((value, index) => {
    if (isObject(value) && !positions.has(value)) positions.set(value, index)
  })
  const sources = after.map((value) => positions.get(value))
  alignByShared(before, after, sources)
  let afterStart = 0
  let beforeStart = 0
  for (let index = 0; index <= sources.length; index++) {
    const source = index === sources.length ? before.length : sources[index]
    if (source === undefined) continue
    // If elements changed their order, there is no gap between them.
    if (index > afterStart && source - beforeStart === index - afterStart) {
      for (let offset = 0; offset < index - afterStart; offset++)
        sources[afterStart + offset] = beforeStart + offset
    }
    afterStart = index + 1
    beforeStart = source + 1
  }
  return sources
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function alignByShared(
  before: readonly unknown[],
  after: readonly unknown[],
  sources: (number | undefined)[],
): void {
  const kept = new Set(sources)
  if (!kept.has(undefined)) return
  const owners = new Map<object, number>()
  before.forEach((value, index) => {
    if (!kept.has(index)) for (const object of listObjects(value)) owners.set(object, index)
  })
  after.forEach((value, index) => {
    if (sources[index] !== undefined) return
    const shared = listObjects(value).find((object) => owners.has(object))
    if (shared) sources[index] = owners.get(shared)
  })
}

/** The value and all objects in it, at any depth. */
function listObjects(value: unknown): object[] {
  const objects = isObject(value) ? [value] : []
  // Iterating a list includes the elements that are added meanwhile.
  for (const object of objects) {
    for (const member of Object.values(object)) if (isObject(member)) objects.push(member)
  }
  return objects
}

interface RecordLayout {
  readonly lead: string
  readonly separator: string
  readonly trail: string
  write(value: unknown): string
}

function readLayout(text: string, spans: readonly Span[]): RecordLayout {
  const [first, second] = spans
  const last = spans.at(-1)
  if (!first || !last) return { lead: '', separator: ',', trail: '', write: toJsonText }
  const lead = text.slice(skipSpace(text, 0) + 1, first.start)
  const separator = second ? text.slice(first.end, second.start) : `,${lead}`
  return {
    lead,
    separator,
    trail: text.slice(last.end, text.length - 1),
    write: createWriter(text, first, lead),
  }
}

function findSeparator(
  text: string,
  spans: readonly Span[],
  layout: RecordLayout,
  previous: number | undefined,
  source: number | undefined,
): string {
  const left = previous === undefined ? undefined : spans[previous]
  const right = source === undefined ? undefined : spans[source]
  return left && right && source === (previous ?? 0) + 1
    ? text.slice(left.end, right.start)
    : layout.separator
}

/** Writes in the style of the first element: indented like it, or on one line. */
function createWriter(text: string, first: Span, lead: string): (value: unknown) => string {
  const base = lead.slice(lead.lastIndexOf('\n') + 1)
  const lineBreak = text.indexOf('\n', first.start)
  if (!lead.includes('\n') || lineBreak < 0 || lineBreak >= first.end) return toJsonText
  const inner = text.slice(lineBreak + 1, skipSpace(text, lineBreak))
  const unit = inner.startsWith(base) ? inner.slice(base.length) : ''
  if (unit === '' || unit.length > 10) return toJsonText
  const newLine = `${lead.includes('\r\n') ? '\r\n' : '\n'}${base}`
  return (value) => {
    try {
      return JSON.stringify(value, null, unit).replaceAll('\n', newLine)
    } catch (error) {
      if (error instanceof RangeError) return toJsonText(value)
      throw error
    }
  }
}

// Longer than any path or status that an agent reads from a copy, and too short to be worth
// compressing.
const MAX_STRING_CHARACTERS = 200
const MAX_ARRAY_ELEMENTS = 20

/**
 * The client's own copy of a tool's output, such as `toolUseResult` of Claude Code and `metadata`
 * of OpenCode. Returns its JSON text with long strings cut and long arrays shortened. Every type
 * and key stays, because the client reads fields of some tools when it resumes.
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

/** The bracket that closes the array with elements at `at`. */
function findArrayEnd(json: string, at: number): number {
  let position = at
  for (;;) {
    position = skipSpace(json, skipValue(json, skipSpace(json, position)))
    if (json[position] !== ',') return position
    position++
  }
}
