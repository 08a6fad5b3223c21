import { stripTerminalCodes } from '../facts/printed-lines.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'

// Control characters but tab and line feed, lone surrogates, direction overrides, invisible tags.
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu

/**
 * Text as a model may see and write it: no secrets, nothing invisible, nothing that acts on a
 * terminal.
 */
export function cleanModelText(text: string): string {
  return redactSecrets(
    stripTerminalCodes(text).replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(UNSAFE, ''),
  )
}

// Beginnings show what it is, and endings how it ended.
const HEAD_SHARE = 0.6

/**
 * Head and tail of a text, cut at line ends if there are some, with a note between them that says
 * what was left out.
 */
export function clipMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text
  const head = findBreak(text, Math.floor(characters * HEAD_SHARE), -1)
  const tail = findBreak(text, text.length - (characters - Math.floor(characters * HEAD_SHARE)), 1)
  return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`
}

const LONGEST_SEARCH = 200

/** Just after a line feed near `at`, or else at a place that does not split a surrogate pair. */
export function findBreak(text: string, at: number, direction: -1 | 1): number {
  for (let offset = 0; offset < LONGEST_SEARCH; offset++) {
    const position = at + direction * offset
    if (position <= 0 || position >= text.length) break
    if (text.charCodeAt(position - 1) === 10) return position
  }
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at + direction : at
}
