/** Other text in the place of a stretch; offsets count UTF-16 units of the text before any edit. */
export interface TextEdit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

/** Edits are ascending and disjoint. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const edit of edits) {
    pieces.push(text.slice(at, edit.offset), edit.text)
    at = edit.offset + edit.length
  }
  return pieces.join('') + text.slice(at)
}

/** Edits over the result that give `text` back. */
export function invertTextEdits(text: string, edits: readonly TextEdit[]): TextEdit[] {
  let shift = 0
  return edits.map(({ offset, length, text: inserted }) => {
    const inverse = { offset: offset + shift, length: inserted.length, text: text.slice(offset, offset + length) }
    shift += inserted.length - length
    return inverse
  })
}
