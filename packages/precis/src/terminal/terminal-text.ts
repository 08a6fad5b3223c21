/** Session content is not ours: nothing of it may steer the terminal it is printed on, and no secret of it is shown. */
import { redactSecrets } from '@precis/core/secrets'
import stringWidth from 'string-width'

// Control characters (C0 with ESC, DEL, C1), line separators, lone surrogates, direction overrides and invisible tags.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u{e0000}-\u{e007f}]/u
const UNSAFE_RUN = new RegExp(`${UNSAFE.source}+`, 'gu')
const BREAKS = /^[\s\u0085]+$/u

/** One line without any character that acts on a terminal: breaks and tabs become a space, the rest U+FFFD. */
export function neutralizeLine(text: string): string {
  return text.replace(UNSAFE_RUN, (run) => (BREAKS.test(run) ? ' ' : '\u{fffd}'))
}

/** As `neutralizeLine`, but line feeds stay. */
export function neutralizeText(text: string): string {
  return text.split('\n').map(neutralizeLine).join('\n')
}

/** Cuts to a width in terminal columns, with `…` in the place of what went. */
export function cutToWidth(text: string, columns: number): string {
  // No character is wider than two columns and few need more than eight code units.
  const beginning = text.slice(0, Math.min(text.length, (columns + 1) * 16))
  if (beginning.length === text.length && stringWidth(text) <= columns) return text
  let result = ''
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(beginning)) {
    const next = stringWidth(segment)
    if (width + next > columns - 1) break
    result += segment
    width += next
  }
  return columns > 0 ? `${result}…` : ''
}

/** The same with the end kept: what counts in a path. */
export function cutStartToWidth(text: string, columns: number): string {
  const end = text.slice(-(columns + 1) * 16)
  if (end.length === text.length && stringWidth(text) <= columns) return text
  let result = ''
  let width = 0
  for (const { segment } of [...new Intl.Segmenter().segment(end)].reverse()) {
    const next = stringWidth(segment)
    if (width + next > columns - 1) break
    result = segment + result
    width += next
  }
  return columns > 0 ? `…${result}` : ''
}

/** A preview of content: one line, safe, no wider than asked. */
export function renderPreview(text: string, columns: number): string {
  const beginning = redactSecrets(text.slice(0, (columns + 1) * 32))
  return cutToWidth(neutralizeLine(beginning).replace(/ {2,}/g, ' ').trim(), columns)
}

/** The same value, a copy, with every text in it redacted. What is no data, such as a date, stays as it is. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value)
  if (Array.isArray(value)) return value.map(redactValue)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactValue(member)]))
}

/** JSON that does no harm on a terminal either; it parses to the same value. */
export function renderJson(value: unknown): string {
  const unsafe = new RegExp(UNSAFE.source.replace('\\p{Cc}', '\\x7f-\\x9f'), 'gu')
  return JSON.stringify(value, undefined, 2).replace(unsafe, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
