const REACH = 120
const ON_DRIVE = /\b[A-Za-z]:(?:\\[^\s"'`<>|*?]*)?$/
// Nothing is below a file.
const FILE = /\w\.[A-Za-z]\w{0,5}$/
const CODE_UNIT = /^u[\da-f]{4}/i
// `cmd/a.go`: where folders end with a backslash, no other sign ends them.
const SLASHED = /^[\w.@+~-]{1,120}\//

/**
 * Characters of the escape that a backslash begins: `\n` in `README.md\nCHANGELOG.md`, `\u003c`,
 * and `\b` of a pattern. 0 in `C:\tests\new` and `src\new\a.ts`, where the name of a file follows.
 */
export function measureEscape(text: string, start: number): number {
  const after = text.slice(start + 1, start + 1 + REACH)
  if (CODE_UNIT.test(after)) return 6
  if (!/^[nrtb]/.test(after)) return 0
  const head = text.slice(Math.max(0, start - REACH), start)
  if (!/[\w:./@+~-]$/.test(head) || /\\[nrt]$/.test(head)) return 2
  if (after.startsWith('b') || ON_DRIVE.test(head)) return 0
  // Few names begin with `nC`.
  return FILE.test(head) || /^.[A-Z]/.test(after) || SLASHED.test(after) ? 2 : 0
}
