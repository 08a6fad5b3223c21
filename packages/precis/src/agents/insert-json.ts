/**
 * A new member or element in JSON with comments, behind what is there; nothing else is touched.
 *
 *   {                         {
 *     "a": 1 // why      →      "a": 1, // why
 *   }                           "b": 2
 *                             }
 */
import type { Node } from 'jsonc-parser'
import type { JsonEntry, JsonValue } from './integration.ts'
import { findMember, type JsonDocument, memberValue } from './json-document.ts'
import { findComma, findCommentsEnd } from './json-trivia.ts'
import type { TextEdit } from './text-edit.ts'

export interface JsonInsertion {
  readonly edits: readonly TextEdit[]
  /** Names from the root of what was made to hold the entry: objects, and a list. */
  readonly containers: readonly (readonly string[])[]
}

/** For an entry that is absent, in a document where it can be. */
export function insertJsonEntry({ text, root }: JsonDocument, { names, isElement, value }: JsonEntry): JsonInsertion {
  let node = root
  let depth = 0
  while (node?.type === 'object' && depth < names.length) {
    const member = findMember(node, names[depth] ?? '')
    const next = member && memberValue(member)
    if (!next) break
    node = next
    depth++
  }
  const missing = names.slice(depth)
  const outermost = isElement ? names.length : names.length - 1
  const containers = Array.from({ length: outermost - depth }, (_, index) => names.slice(0, depth + index + 1))
  // From the inside out, down to what goes into the innermost container that is there.
  const content = missing
    .slice(1)
    .reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), isElement && missing.length > 0 ? [value] : value)
  const [name] = missing
  if (!node) return { edits: [createRoot(text, { [name ?? '']: content })], containers }
  return { edits: insertChild(text, node, name, content), containers }
}

function createRoot(text: string, value: JsonValue): TextEdit {
  const lineBreak = findLineBreak(text)
  const lead = text.trim() === '' || text.endsWith('\n') ? '' : lineBreak
  return { offset: text.length, length: 0, text: `${lead}${renderLines(value, '', '  ', lineBreak)}${lineBreak}` }
}

function insertChild(text: string, container: Node, name: string | undefined, value: JsonValue): TextEdit[] {
  const lineBreak = findLineBreak(text)
  const inside = { start: container.offset + 1, end: container.offset + container.length - 1 }
  const last = container.children?.at(-1)
  const isSpread = text.slice(inside.start, inside.end).includes('\n')
  const outer = findIndent(text, container.offset)
  if (last && !isSpread) return [insertOnLine(text, last, name, value)]
  const first = container.children?.[0]
  const indent = first && isAtLineStart(text, first.offset) ? findIndent(text, first.offset) : outer + findUnit(text)
  const label = name === undefined ? '' : `${JSON.stringify(name)}: `
  const lines = `${lineBreak}${indent}${label}${renderLines(value, indent, findUnit(text), lineBreak)}`
  if (last) return insertOnOwnLine(text, last, lines)
  const comments = findCommentsEnd(text, inside.start, 'gap')
  const start = comments ?? inside.start
  const rest = comments === undefined ? '' : text.slice(start, inside.end)
  if (rest.includes('\n')) return [{ offset: start, length: 0, text: lines }]
  return [{ offset: start, length: inside.end - start, text: `${lines}${lineBreak}${outer}` }]
}

/** Behind a comment that speaks of the value before; a comma that is there already moves on to what is new. */
function insertOnOwnLine(text: string, last: Node, lines: string): TextEdit[] {
  const end = last.offset + last.length
  const comma = findComma(text, end)
  const behind = comma === undefined ? end : comma + 1
  const at = findCommentsEnd(text, behind, 'line') ?? behind
  if (comma !== undefined) return [{ offset: at, length: 0, text: `${lines},` }]
  if (at === end) return [{ offset: end, length: 0, text: `,${lines}` }]
  return [
    { offset: end, length: 0, text: ',' },
    { offset: at, length: 0, text: lines },
  ]
}

function insertOnLine(text: string, last: Node, name: string | undefined, value: JsonValue): TextEdit {
  const end = last.offset + last.length
  const comma = findComma(text, end)
  // Written without a space anywhere, as programs do.
  const isDense = !/[,:] /.test(text)
  const space = isDense ? '' : ' '
  const label = name === undefined ? '' : `${JSON.stringify(name)}:${space}`
  const content = `${label}${isDense ? JSON.stringify(value) : renderOnLine(value)}`
  if (comma !== undefined) return { offset: comma + 1, length: 0, text: `${space}${content},` }
  return { offset: end, length: 0, text: `,${space}${content}` }
}

function findLineBreak(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** The white space that its line begins with. */
function findIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

function isAtLineStart(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return start > 0 && text.slice(start, offset).trim() === ''
}

/** One level of the text: what its first indented line begins with. */
function findUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

function renderLines(value: JsonValue, indent: string, unit: string, lineBreak: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${lineBreak}${indent}`)
}

/** With a space behind every comma and colon that is none of a string's. */
function renderOnLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(renderOnLine).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${renderOnLine(inner)}`)
  return `{ ${members.join(', ')} }`
}
