/**
 * Adds entries to JSON with comments, after the existing ones, and removes them again. Everything
 * else stays untouched.
 *
 *   {                         {
 *     "a": 1 // why      →      "a": 1, // why
 *   }                           "b": 2
 *                             }
 *
 * Does not use `modify` of jsonc-parser 3.3, which removes adjacent comments too. For example, it
 * turns `[1, /* x *\/ 2]` without its second element into `[12]`. If two members share a name, it
 * changes the first, but agents read the last.
 */
import type { Node } from 'jsonc-parser'
import type { JsonEntry, JsonValue } from '../agents/shared/agent.ts'
import { applyTextEdits, type TextEdit } from './agent-file.ts'
import { listOwnNodes } from './find-entry.ts'
import {
  findMember,
  findValue,
  type JsonDocument,
  memberValue,
  parseJsonDocument,
} from './json-document.ts'

export interface JsonInsertion {
  readonly edits: readonly TextEdit[]
  /** Names from the root of everything that was created to hold the entry: objects, and a list. */
  readonly containers: readonly (readonly string[])[]
}

/** For an entry that is missing, in a document that can contain it. */
export function insertJsonEntry(
  { text, root }: JsonDocument,
  { names, isElement, value }: JsonEntry,
): JsonInsertion {
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
  const containers = Array.from({ length: outermost - depth }, (_, index) =>
    names.slice(0, depth + index + 1),
  )
  // From the inside out, up to the value for the innermost existing container.
  const content = missing
    .slice(1)
    .reduceRight<JsonValue>(
      (inner, name) => ({ [name]: inner }),
      isElement && missing.length > 0 ? [value] : value,
    )
  const [name] = missing
  if (!node) return { edits: [createRoot(text, { [name ?? '']: content })], containers }
  return { edits: insertChild(text, node, name, content), containers }
}

function createRoot(text: string, value: JsonValue): TextEdit {
  const lineBreak = findLineBreak(text)
  const lead = text.trim() === '' || text.endsWith('\n') ? '' : lineBreak
  return {
    offset: text.length,
    length: 0,
    text: `${lead}${renderLines(value, '', '  ', lineBreak)}${lineBreak}`,
  }
}

function insertChild(
  text: string,
  container: Node,
  name: string | undefined,
  value: JsonValue,
): TextEdit[] {
  const lineBreak = findLineBreak(text)
  const inside = { start: container.offset + 1, end: container.offset + container.length - 1 }
  const last = container.children?.at(-1)
  const isSpread = text.slice(inside.start, inside.end).includes('\n')
  const outer = findIndent(text, container.offset)
  if (last && !isSpread) return [insertOnLine(text, last, name, value)]
  const first = container.children?.[0]
  const indent =
    first && isAtLineStart(text, first.offset)
      ? findIndent(text, first.offset)
      : outer + findUnit(text)
  const label = name === undefined ? '' : `${JSON.stringify(name)}: `
  const lines = `${lineBreak}${indent}${label}${renderLines(value, indent, findUnit(text), lineBreak)}`
  if (last) return insertOnOwnLine(text, last, lines)
  const comments = findCommentsEnd(text, inside.start, 'gap')
  const start = comments ?? inside.start
  const rest = comments === undefined ? '' : text.slice(start, inside.end)
  if (rest.includes('\n')) return [{ offset: start, length: 0, text: lines }]
  return [{ offset: start, length: inside.end - start, text: `${lines}${lineBreak}${outer}` }]
}

/**
 * Inserts after a comment about the value before. An existing comma then separates the new value.
 */
function insertOnOwnLine(text: string, last: Node, lines: string): TextEdit[] {
  const end = last.offset + last.length
  const comma = findComma(text, end)
  const after = comma === undefined ? end : comma + 1
  const at = findCommentsEnd(text, after, 'line') ?? after
  if (comma !== undefined) return [{ offset: at, length: 0, text: `${lines},` }]
  if (at === end) return [{ offset: end, length: 0, text: `,${lines}` }]
  return [
    { offset: end, length: 0, text: ',' },
    { offset: at, length: 0, text: lines },
  ]
}

function insertOnLine(
  text: string,
  last: Node,
  name: string | undefined,
  value: JsonValue,
): TextEdit {
  const end = last.offset + last.length
  const comma = findComma(text, end)
  // The text contains no optional spaces, like the output of programs.
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

/** The white space at the beginning of its line. */
function findIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

function isAtLineStart(text: string, offset: number): boolean {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return start > 0 && text.slice(start, offset).trim() === ''
}

/** One level of indentation: the beginning of the first indented line. */
function findUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

function renderLines(value: JsonValue, indent: string, unit: string, lineBreak: string): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${lineBreak}${indent}`)
}

/** With a space after every comma and colon that is not inside a string. */
function renderOnLine(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(renderOnLine).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${renderOnLine(inner)}`,
  )
  return `{ ${members.join(', ')} }`
}

/** The text with the entry of precis removed, including its comma and its line. */
export function removeJsonEntry(text: string, entry: JsonEntry): string {
  let result = text
  // One after the other, because each removal moves the rest.
  for (let document = read(result); ; document = read(result)) {
    const [node] = document ? listOwnNodes(document, entry) : []
    if (!document || !node) return result
    const child = entry.isElement ? node : (node.parent ?? node)
    result = applyTextEdits(result, removeChild(result, child))
  }
}

/** Removes the object or list of that name if it is completely empty, even of comments. */
export function removeEmptyContainer(text: string, names: readonly string[]): string {
  const document = read(text)
  const holder = findValue(document?.root, names.slice(0, -1))
  const member = holder && findMember(holder, names.at(-1) ?? '')
  const value = member && memberValue(member)
  const isEmpty =
    value && /^[{[][ \t\r\n]*[}\]]$/.test(text.slice(value.offset, value.offset + value.length))
  return isEmpty ? applyTextEdits(text, removeChild(text, member)) : text
}

/** Whether only white space and braces are left. */
export function isEmptyJson(text: string): boolean {
  return /^\u{feff}?[ \t\r\n]*(?:\{[ \t\r\n]*\}[ \t\r\n]*)?$/u.test(text)
}

function read(text: string): JsonDocument | undefined {
  const document = parseJsonDocument(text)
  return 'problem' in document ? undefined : document
}

function removeChild(text: string, child: Node): TextEdit[] {
  const { parent = child } = child
  const siblings = parent.children ?? []
  const index = siblings.indexOf(child)
  const inside = { start: parent.offset + 1, end: parent.offset + parent.length - 1 }
  const end = child.offset + child.length
  const comma = findComma(text, end)
  const stop = comma === undefined ? end : comma + 1
  // The rest of its line must not end up after a comment on the line before.
  const start = /^[ \t]*\r?\n/.test(text.slice(stop))
    ? findLineStart(text, child.offset)
    : child.offset
  const isAlone =
    text.slice(inside.start, start).trim() === '' && text.slice(stop, inside.end).trim() === ''
  if (isAlone) return [cut(inside.start, inside.end)]
  const previous = comma === undefined ? siblings[index - 1] : undefined
  // The last one is removed with the comma before it.
  const before = previous && findComma(text, previous.offset + previous.length)
  if (before === undefined) return [cut(start, stop)]
  return start <= before + 1 ? [cut(before, end)] : [cut(before, before + 1), cut(start, end)]
}

function cut(start: number, end: number): TextEdit {
  return { offset: start, length: end - start, text: '' }
}

/** The line break and the white space before it, if nothing else is before it on its line. */
function findLineStart(text: string, offset: number): number {
  let start = offset
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--
  if (text[start - 1] !== '\n') return start
  start--
  return text[start - 1] === '\r' ? start - 1 : start
}

/** White space and comments between two values of JSON with comments. */
interface Trivia {
  readonly type: 'comma' | 'line-break' | 'comment'
  readonly start: number
  readonly end: number
}

/** Ends at the first other character. The text is known to be valid JSON. */
function* readTrivia(text: string, from: number): Generator<Trivia> {
  for (let start = from; start < text.length; ) {
    const end = findEnd(text, start)
    if (end === undefined) return
    const character = text[start]
    if (character === ',') yield { type: 'comma', start, end }
    else if (character === '\n') yield { type: 'line-break', start, end }
    else if (character === '/') yield { type: 'comment', start, end }
    start = end
  }
}

function findEnd(text: string, start: number): number | undefined {
  if (',\n\r\t '.includes(text[start] ?? '\0')) return start + 1
  if (text.startsWith('//', start)) return findOr(text.indexOf('\n', start), text.length)
  if (text.startsWith('/*', start))
    return findOr(text.indexOf('*/', start + 2), text.length - 2) + 2
  return undefined
}

function findOr(found: number, otherwise: number): number {
  return found < 0 ? otherwise : found
}

/** The comma after a value that ends at `from`. */
function findComma(text: string, from: number): number | undefined {
  for (const { type, start } of readTrivia(text, from)) if (type === 'comma') return start
  return undefined
}

/** The end of the last comment before the next value or bracket, or before the end of the line. */
function findCommentsEnd(text: string, from: number, within: 'line' | 'gap'): number | undefined {
  let found: number | undefined
  for (const { type, end } of readTrivia(text, from)) {
    if (type === 'line-break' && within === 'line') break
    if (type === 'comment') found = end
  }
  return found
}
