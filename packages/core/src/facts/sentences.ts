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
    const code = text.charCodeAt(position)
    if (code === 10) push(position + 1)
    else if (code === 0x3002 || code === 0xff01 || code === 0xff1f) push(position + 1)
    else if (code === 46 || code === 33 || code === 63) {
      const next = text.charCodeAt(position + 1)
      // "1. first" and "e.g. this" are no ends.
      if ((next === 32 || next === 9) && position - start > 3 && !isAbbreviation(text, position)) push(position + 1)
    }
  }
  push(text.length)
  return sentences
}

function isAbbreviation(text: string, dot: number): boolean {
  return text.charCodeAt(dot) === 46 && (text.charCodeAt(dot - 2) === 46 || text.charCodeAt(dot - 2) === 32)
}
