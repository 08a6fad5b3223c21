const MARK = '…'

/** The beginning of a text, cut at white space and marked; the text itself when it is short enough. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  let end = length
  while (end > length / 2 && !isSpace(text.charCodeAt(end))) end--
  // A text without spaces is cut where no name is cut.
  if (end <= length / 2) for (end = length; end > length / 2 && isWord(text.charCodeAt(end)); ) end--
  return `${text.slice(0, Math.max(end, 1)).trimEnd()} ${MARK}`
}

/** On one line, without runs of white space. */
export function flatten(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code > 127 ||
    (code >= 45 && code <= 47)
  )
}
