const ESCAPE = '\\u001b'
const BELL = '\\u0007'
// Colours and cursor movements; titles and links, which end with a bell or with ESC \.
const TERMINAL_CODE = new RegExp(
  `${ESCAPE}\\[[0-9;:?]{0,30}[A-Za-z~]|${ESCAPE}\\][^${ESCAPE}${BELL}]{0,500}(?:${BELL}|${ESCAPE}\\\\)`,
  'g',
)

/** The text as a terminal would show it, without colours. */
export function stripTerminalCodes(text: string): string {
  return text.includes('\u001b') ? text.replace(TERMINAL_CODE, '') : text
}
