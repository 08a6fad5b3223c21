/** What may stand between two values of JSON with comments. */
export interface Trivia {
  readonly type: 'comma' | 'line-break' | 'comment'
  readonly start: number
  readonly end: number
}

/** Ends at the first character that is something else. The text is known to be JSON. */
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
  if (text.startsWith('/*', start)) return findOr(text.indexOf('*/', start + 2), text.length - 2) + 2
  return undefined
}

function findOr(found: number, otherwise: number): number {
  return found < 0 ? otherwise : found
}

/** The comma behind a value that ends at `from`. */
export function findComma(text: string, from: number): number | undefined {
  for (const { type, start } of readTrivia(text, from)) if (type === 'comma') return start
  return undefined
}

/** The end of the last comment before the next value or bracket, or before the end of the line. */
export function findCommentsEnd(text: string, from: number, within: 'line' | 'gap'): number | undefined {
  let found: number | undefined
  for (const { type, end } of readTrivia(text, from)) {
    if (type === 'line-break' && within === 'line') break
    if (type === 'comment') found = end
  }
  return found
}
