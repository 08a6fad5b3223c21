const BACKSLASH = '\\'
const REACH = 120
const DRIVE_LED = /(?:^|[^\w\\])(?:[A-Za-z]:\\|\\\\\w)[^\s"'`<>|*?]*$/
// Nothing is below a file.
const FILE = /\w\.[A-Za-z]\w{0,5}$/
// `\"`, `\n\n`, `\n  `, `\n"`: never in a path
const ESCAPED = /\\(?:"|[nrt](?:\\[nrt"]|[\s"'#*>-]))/

/**
 * Whether a backslash begins the `\n` of an escaped string, as in `README.md\nCHANGELOG.md`. In
 * `C:\tests\new` and `src\new\a.ts` it begins the name of a file.
 */
export function isWhiteSpaceEscape(text: string, start: number): boolean {
  const isLetter = (at: number) => 'nrt'.includes(text[at] ?? ' ')
  if (!isLetter(start + 1)) return false
  const before = text[start - 1] ?? ' '
  if (!/[\w:./@+~-]/.test(before) || (text[start - 2] === BACKSLASH && isLetter(start - 1)))
    return true
  const head = text.slice(Math.max(0, start - REACH), start)
  if (DRIVE_LED.test(head) || /(?:^|\W)[A-Za-z]:$/.test(head)) return false
  const tail = text.slice(start, start + REACH)
  // Few names begin with `nC`.
  return FILE.test(head) || /^..[A-Z]/.test(tail) || ESCAPED.test(head + tail)
}
