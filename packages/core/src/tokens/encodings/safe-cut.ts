/** How far a search for a cut looks back before it looks ahead, in UTF-16 units. */
const LOOK_BACK = 4096

/**
 * Finds an offset at or near `wanted` at which text may be cut without changing its token count: a letter or ASCII
 * digit before it, and after it an ASCII character of another kind or CJK punctuation, so that both encodings end a
 * piece there. The apostrophe is no such character: it may begin a contraction. Returns the end of the text when there
 * is no such offset.
 *
 *     let x=17;  →  let| x|=|17|;        don't|,  →  cut only before the comma
 */
export function findSafeCut(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length
  for (let at = wanted; at > 0 && at > wanted - LOOK_BACK; at--) if (isSafeCut(text, at)) return at
  for (let at = wanted + 1; at < text.length; at++) if (isSafeCut(text, at)) return at
  return text.length
}

function isSafeCut(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  if (after >= 0x80) return (after === 0x3001 || after === 0x3002 || after === 0xff0c) && isLetter(before)
  if (isLetter(after)) return isDigit(before)
  if (isDigit(after)) return isLetter(before)
  return after !== 0x27 && (isLetter(before) || isDigit(before))
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** ASCII letters and those blocks of CJK in which every character is a letter. */
function isLetter(code: number): boolean {
  if (code < 0x80) return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  return (code >= 0x4e00 && code <= 0x9fef) || (code >= 0x3041 && code <= 0x3096) || (code >= 0xac00 && code <= 0xd7a3)
}
