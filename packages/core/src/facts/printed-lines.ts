/** Lines as their writers meant them, without colors, and without what a tool added before them. */

// For `ESC[31m`, some hosts keep only `[31m`, and others write the escape as text.
const ESCAPE = '(?:\\u001b|\\\\u001b|\\\\x1b|\\\\033|\\\\e)'
const BELL = '\\u0007'
// Colors and cursor movements, and titles and links, which end with a bell or with ESC \.
const TERMINAL_CODE = new RegExp(
  `${ESCAPE}\\[[0-9;:?]{0,30}[A-Za-z~]|\\u001b\\][^\\u001b${BELL}]{0,500}(?:${BELL}|\\u001b\\\\)`,
  'gi',
)
const LEFT_OVER = /\[(?:\d{1,3}(?:;\d{1,3}){0,5})?m/g

/** The text as a terminal would show it, without colours. */
export function stripTerminalCodes(text: string): string {
  return text.includes('\u001b') ? text.replace(TERMINAL_CODE, '') : text
}

/** `849→`, `12:`, `360 | `: what tools that show files put before a line. */
export const LINE_NUMBER = /^\s{0,8}L?(\d{1,6})(?:→|:|-|\||\t| \| ?) ?/

/** A line of a file without the number a tool put before it. */
export function withoutLineNumber(line: string): string {
  const number = LINE_NUMBER.exec(line)
  return number ? line.slice(number[0].length) : line
}

// `src/a.ts:12:`, `src/a.ts:12:5:`, `src/a.ts-12-`
const PLACE = /^(?:\.{0,2}\/)?[\w@+~./()[\]-]{1,300}\.\w{1,8}(?::\d{1,6}(?::\d{1,6})?:|-\d{1,6}-) ?/
const DIFF_SIGN = /^[+-](?![+-]{2})/

/**
 * A line without number, place, sign of a diff or colors. What follows them is the written text.
 */
export function withoutGutter(line: string): string {
  const plain = line.replace(TERMINAL_CODE, '').replace(LEFT_OVER, '')
  const found = withoutLineNumber(plain.replace(PLACE, '')).replace(DIFF_SIGN, '')
  return withoutLineNumber(found)
}
