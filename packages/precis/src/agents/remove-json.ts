/** Takes members and elements out of JSON with comments, with the comma and the line that were theirs. */
import type { Node } from 'jsonc-parser'
import { listOwnNodes } from './find-entry.ts'
import type { JsonEntry } from './integration.ts'
import { findMember, findValue, type JsonDocument, memberValue, parseJsonDocument } from './json-document.ts'
import { findComma } from './json-trivia.ts'
import { applyTextEdits, type TextEdit } from './text-edit.ts'

/** Without what precis made of the entry. */
export function removeJsonEntry(text: string, entry: JsonEntry): string {
  let result = text
  // One after the other: each is looked for again where it is now.
  for (let document = read(result); ; document = read(result)) {
    const [node] = document ? listOwnNodes(document, entry) : []
    if (!document || !node) return result
    const child = entry.isElement ? node : (node.parent ?? node)
    result = applyTextEdits(result, removeChild(result, child))
  }
}

/** Without the object or list of that name, if there is nothing in it any more, comments included. */
export function removeEmptyContainer(text: string, names: readonly string[]): string {
  const document = read(text)
  const holder = findValue(document?.root, names.slice(0, -1))
  const member = holder && findMember(holder, names.at(-1) ?? '')
  const value = member && memberValue(member)
  const isEmpty = value && /^[{[][ \t\r\n]*[}\]]$/.test(text.slice(value.offset, value.offset + value.length))
  return isEmpty ? applyTextEdits(text, removeChild(text, member)) : text
}

/** Whether nothing is left that anybody wrote. */
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
  // What follows on its line must not come behind a comment on the line before.
  const start = /^[ \t]*\r?\n/.test(text.slice(stop)) ? findLineStart(text, child.offset) : child.offset
  const isAlone = text.slice(inside.start, start).trim() === '' && text.slice(stop, inside.end).trim() === ''
  if (isAlone) return [cut(inside.start, inside.end)]
  const previous = comma === undefined ? siblings[index - 1] : undefined
  // Of the last one the comma before it goes.
  const before = previous && findComma(text, previous.offset + previous.length)
  if (before === undefined) return [cut(start, stop)]
  return start <= before + 1 ? [cut(before, end)] : [cut(before, before + 1), cut(start, end)]
}

function cut(start: number, end: number): TextEdit {
  return { offset: start, length: end - start, text: '' }
}

/** The break and the white space before it, when its line has nothing else before it. */
function findLineStart(text: string, offset: number): number {
  let start = offset
  while (text[start - 1] === ' ' || text[start - 1] === '\t') start--
  if (text[start - 1] !== '\n') return start
  start--
  return text[start - 1] === '\r' ? start - 1 : start
}
