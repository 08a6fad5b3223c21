import { bisect } from '../conversation/lists.ts'
import type { Decoded } from './decode-signs.ts'

// For `ESC[31m`, some hosts keep only `[31m`, and others write the escape as text.
const ESCAPE = '(?:\\u001b|\\\\u001b|\\\\x1b|\\\\033|\\\\e)'
const BELL = '\\u0007'

/** Colors and cursor movements, and titles and links, which end with a bell or with ESC \. */
export const TERMINAL_CODE = new RegExp(
  `${ESCAPE}\\[[0-9;:?]{0,30}[A-Za-z~]|\\u001b\\][^\\u001b${BELL}]{0,500}(?:${BELL}|\\u001b\\\\)`,
  'gi',
)

interface ShownText extends Decoded {
  /** Places in the text that follow codes. */
  readonly places: readonly number[]
}

/** The text as a terminal would show it. Undefined if it has no codes of terminals. */
export function skipTerminalCodes(text: string): ShownText | undefined {
  const codes = Array.from(text.matchAll(TERMINAL_CODE), ({ 0: { length }, index }) => {
    return { start: index, end: index + length }
  })
  if (codes.length === 0) return undefined
  let skipped = 0
  // How many characters are left out before each place of the shown text that follows codes.
  const gaps = codes.map(({ start, end }) => {
    const place = start - skipped
    skipped += end - start
    return { place, skipped }
  })
  return {
    text: text.replace(TERMINAL_CODE, ''),
    places: gaps.map(({ place }) => place),
    placeOf: (index) => {
      const next = bisect(gaps.length, (gap) => gaps[gap]!.place > index)
      return index + (gaps[next - 1]?.skipped ?? 0)
    },
  }
}
