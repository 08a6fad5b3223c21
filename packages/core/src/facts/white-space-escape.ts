const REACH = 120
const ON_DRIVE = /\b[A-Za-z]:(?:\\[^\s"'`<>|*?]*)?$/
// Nothing is below a file.
const FILE = /\w\.[A-Za-z]\w{0,5}$/

/**
 * Whether a backslash begins the `\n` of an escaped string, as in `README.md\nCHANGELOG.md`. In
 * `C:\tests\new` and `src\new\a.ts` it begins the name of a file.
 */
export function isWhiteSpaceEscape(text: string, start: number): boolean {
  // Few names begin with `nC`.
  if (!/^[nrt]/.test(text.slice(start + 1, start + 2))) return false
  const head = text.slice(Math.max(0, start - REACH), start)
  if (!/[\w:./@+~-]$/.test(head) || /\\[nrt]$/.test(head)) return true
  return !ON_DRIVE.test(head) && (FILE.test(head) || /[A-Z]/.test(text[start + 2] ?? ''))
}
