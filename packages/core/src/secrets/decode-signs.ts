// ASCII, also encoded again: `%253D`. No rule for secrets asks for letters of other scripts.
const ENCODED = /(?:(?:\\|%(?:25){0,16}5c){1,16}u00|%(?:25){0,16})([0-7][\da-f])/gi

/**
 * Signs of addresses inside addresses are decoded, `?u=https%3A%2F%2Fx%2F%3Fkey%3D…`, and so are
 * those of JSON, `\u003d`: no rule for secrets has to know how they are written. `places` says
 * where each character of the result, and its end, are in the original. Undefined if nothing is
 * encoded.
 */
export function decodeSigns(
  original: string,
): { readonly text: string; readonly places: Uint32Array } | undefined {
  if (original.search(ENCODED) < 0) return undefined
  const places = new Uint32Array(original.length + 1)
  let text = ''
  let at = 0
  const copyTo = (end: number) => {
    for (let from = at; from <= end; from++) places[text.length + from - at] = from
    text += original.slice(at, end)
  }
  for (const { 0: sign, 1: code = '', index } of original.matchAll(ENCODED)) {
    copyTo(index)
    text += String.fromCharCode(Number(`0x${code}`))
    at = index + sign.length
  }
  copyTo(original.length)
  return { text, places }
}
