import { parseJson } from '../conversation/json-text.ts'
import { type Part, renderPart } from '../conversation/message.ts'

/**
 * All that a part says: of data its texts, because names of parameters are the tool's and not of
 * this conversation.
 */
export function readWords(part: Part): string {
  if (part.type === 'tool-call') return readTexts(part.input)
  if (part.type === 'opaque') return readTexts(part.text)
  return part.type === 'tool-result' ? part.output.map(readWords).join('\n') : renderPart(part)
}

/**
 * The letter of an escaped line end would stick to the name after it: text that only looks like
 * JSON has no escapes either.
 */
function readTexts(input: unknown): string {
  const root =
    typeof input === 'string' && /^[{[]/.test(input) ? (parseJson(input) ?? input) : input
  if (typeof root === 'string') {
    return root.replace(/\\(["\\nt])/g, (_, escaped: string) => {
      if (escaped === 'n') return '\n'
      return escaped === 't' ? '\t' : escaped
    })
  }
  const texts: string[] = []
  // No recursion, because a session's author decides its depth. Last in, first out, so members are
  // added backwards.
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value).reverse()) open.push(member)
    }
  }
  return texts.join('\n')
}
