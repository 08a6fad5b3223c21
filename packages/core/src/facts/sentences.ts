/** Lines, and sentences within lines. A sentence ends at `. ! ?` before white space, or at a full-width stop. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  const push = (end: number) => {
    const sentence = text.slice(start, end).trim()
    if (sentence !== '') sentences.push(sentence)
    start = end
  }
  for (let position = 0; position < text.length; position++) {
    const character = text.charAt(position)
    if ('\n。！？'.includes(character)) push(position + 1)
    else if ('.!?'.includes(character)) {
      const next = text[position + 1]
      // "1. first" and "e.g. this" are no ends.
      if ((next === ' ' || next === '\t') && position - start > 3 && !isAbbreviation(text, position)) push(position + 1)
    }
  }
  push(text.length)
  return sentences
}

function isAbbreviation(text: string, dot: number): boolean {
  return text[dot] === '.' && (text[dot - 2] === '.' || text[dot - 2] === ' ')
}
