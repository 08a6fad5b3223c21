const PASTE = '\u001b[200~'
const PASTE_END = '\u001b[201~'
// Control characters and marks of direction do nothing good in an editor, and would be sent unseen.
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu
const KEPT = ['\n', '\r', '\t']

/** Any other key stays as it is. */
export function cleanPaste(data: string): string {
  if (!data.startsWith(PASTE)) return data
  const text = data.slice(PASTE.length, data.endsWith(PASTE_END) ? -PASTE_END.length : undefined)
  return PASTE + text.replace(UNSEEN, (found) => (KEPT.includes(found) ? found : '')) + PASTE_END
}
