/** Cuts strings without splitting a surrogate pair, because half a pair is not a character. */

/** The first `length` characters, less one if that would split a pair. */
export function cutBefore(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, Math.max(last >= 0xd800 && last <= 0xdbff ? length - 1 : length, 0))
}

/** The last `length` characters, less one if that would split a pair. */
export function cutAfter(text: string, length: number): string {
  const start = Math.max(text.length - length, 0)
  const first = text.charCodeAt(start)
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start)
}

/** On one line, at most `length` characters, with `…` at its end if something was cut. */
export function clipLine(text: string, length: number): string {
  // A command may contain a whole file. Its beginning is enough for one line.
  const beginning = text.slice(0, length * 2)
  const line = beginning.replace(/\s+/g, ' ').trim()
  if (line.length <= length && text.length <= length * 2) return line
  return `${cutBefore(line, Math.min(length, line.length + 1) - 1)}…`
}
