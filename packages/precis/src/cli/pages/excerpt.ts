/** Words of a session on a page: their beginning, bounded, without secrets, and as text. */
import { redactSecrets } from '@precis/core/secrets'
import { escapeHtml } from './escape-html.ts'

export interface Excerpt {
  /** Line feeds stay: for an element that keeps them. */
  readonly html: string
  readonly isCut: boolean
}

// Behind the cut, so that a key that begins before it is known for one.
const MARGIN = 2000
// Colours and cursor moves of terminals, in outputs of commands.
const ESCAPE = '\u001b'
const TERMINAL_SEQUENCE = new RegExp(`${ESCAPE}(?:\\[[0-9;:?]{0,40}[A-Za-z]|[()][A-Z0-9])`, 'g')
// A hundred marks on one letter are drawn over everything around it.
const MARKS = /(\p{M}{6})\p{M}+/gu
const LONGEST_WORD = 16
const BLANK_LINES = /\n(?:[ \t]*\n){2,}/g

/** `mostBytes` is the size of the HTML, whatever characters there are. */
export function renderExcerpt(text: string, mostBytes: number): Excerpt {
  const cleaned = clean(text.slice(0, mostBytes + MARGIN))
  const end = findCut(cleaned, mostBytes)
  const shown = cleaned.slice(0, end).trimEnd()
  const html = shown.split('\n').map(escapeHtml).join('\n')
  return { html, isCut: end < cleaned.length || text.length > mostBytes + MARGIN }
}

/** One line, with `…` where it is cut: at the end of a word, if there is one near. */
export function renderLine(text: string, mostBytes: number): string {
  const cleaned = clean(text.slice(0, mostBytes + MARGIN).replace(/\s+/g, ' '))
  const end = findCut(cleaned, mostBytes)
  const shown = cleaned.slice(0, end)
  if (end === cleaned.length) return escapeHtml(shown)
  const word = shown.lastIndexOf(' ')
  return `${escapeHtml(word > end - LONGEST_WORD ? shown.slice(0, word) : shown)}…`
}

function clean(text: string): string {
  return redactSecrets(text)
    .replace(/\r\n?/g, '\n')
    .replace(TERMINAL_SEQUENCE, '')
    .replace(MARKS, '$1')
    .replace(BLANK_LINES, '\n\n')
    .replaceAll('\t', '  ')
    .trim()
}

/** The first position that is too far; never between the halves of a character. */
function findCut(text: string, mostBytes: number): number {
  let bytes = 0
  let position = 0
  for (const character of text) {
    bytes += weigh(character)
    if (bytes > mostBytes) return position
    position += character.length
  }
  return position
}

function weigh(character: string): number {
  if ('&<>"\''.includes(character)) return 6
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}
