/**
 * The one place that knows what looks like a secret. Everything that precis writes or shows of a conversation passes
 * through it: digests, prompts, ledgers, reports, pages, excerpts. What it leaves untouched and what it gives back does not.
 */
import { findCommandSecrets } from './commands.ts'
import { findNamedValues } from './named-values.ts'
import { findShapes } from './shapes.ts'

/** The mark in the place of a secret; it says which command gives the original back. */
export const REDACTED = '[redacted: precis restore]'

/** The text with `REDACTED` in the place of what looks like a key, a token or a password; its time grows with its length. */
export function redactSecrets(text: string): string {
  const found: { start: number; end: number }[] = []
  const add = (start: number, end: number) => void found.push({ start, end })
  findPrivateKeys(text, add)
  findShapes(text, add)
  findNamedValues(text, add)
  findCommandSecrets(text, add)
  if (found.length === 0) return text
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  let result = ''
  let at = 0
  for (const { start, end } of found) {
    if (start >= at) result += text.slice(at, start) + REDACTED
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}

const KEY_END = /-{4,5}[ ]?END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}/y
const KEY_BEGIN = /-{4,5}[ ]?BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}/g
// A key that is cut off: lines of Base64, also escaped, numbered, quoted or changed, and its headers.
const KEY_LINES =
  /(?:[ \t\r\n+|>→\d]|\\{1,8}[nr]){1,24}(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): [^\r\n\\]{0,120}|[A-Za-z0-9+/=]{16,2000})/y
const LONGEST_KEY = 20_000

function findPrivateKeys(text: string, add: (start: number, end: number) => void): void {
  if (!text.includes('PRIVATE KEY') && !text.includes('Private-Lines')) return
  let lastEnd = -1
  KEY_BEGIN.lastIndex = 0
  for (let begin = KEY_BEGIN.exec(text); begin; begin = KEY_BEGIN.exec(text)) {
    const start = begin.index
    let end = KEY_BEGIN.lastIndex
    // Looked for once, however many beginnings there are.
    if (lastEnd < end) lastEnd = findKeyEnd(text, end)
    if (lastEnd - start <= LONGEST_KEY) end = lastEnd
    else end = followKeyLines(text, end)
    add(start, end)
    KEY_BEGIN.lastIndex = end
  }
  const putty = /Private-Lines: \d{1,4}/g
  for (let lines = putty.exec(text); lines; lines = putty.exec(text)) {
    const end = followKeyLines(text, putty.lastIndex)
    if (end > putty.lastIndex) add(putty.lastIndex, end)
    putty.lastIndex = end
  }
}

function findKeyEnd(text: string, from: number): number {
  for (let at = text.indexOf('END ', from); at >= 0; at = text.indexOf('END ', at + 4)) {
    for (const dashes of [5, 6, 4]) {
      KEY_END.lastIndex = at - dashes
      if (KEY_END.test(text)) return KEY_END.lastIndex
    }
  }
  return Number.POSITIVE_INFINITY
}

function followKeyLines(text: string, from: number): number {
  let end = from
  for (KEY_LINES.lastIndex = end; KEY_LINES.test(text); ) end = KEY_LINES.lastIndex
  return end
}
