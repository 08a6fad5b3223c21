/** Text on one line, and the beginning of a text. */
import { cutBefore } from '../text/clip-line.ts'

/** The beginning of a text, cut at white space and marked. A short text is returned unchanged. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  let end = length
  while (end > length / 2 && !' \t\n'.includes(text.charAt(end))) end--
  // A text without spaces is cut outside of names.
  if (end <= length / 2) for (end = length; end > length / 2 && isInName(text.charAt(end)); ) end--
  return `${cutBefore(text, Math.max(end, 1)).trimEnd()} …`
}

/** On one line, without runs of white space. */
export function flatten(text: string): string {
  // Most text is flat already: looking is cheaper than copying.
  return /[^\S ]|\s\s/.test(text) ? text.replace(/\s+/g, ' ').trim() : text.trim()
}

const isInName = (character: string): boolean => /[\w./-]/.test(character) || character > '\u007f'
