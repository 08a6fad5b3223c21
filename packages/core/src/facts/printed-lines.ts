/** Lines as their writers meant them, without colors, and without what a tool added before them. */

import { TERMINAL_CODE } from '../secrets/terminal-codes.ts'

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
