import { redactSecrets } from '../../facts/secrets.ts'

const ESCAPE = '\\u001b'
const BELL = '\\u0007'
// Colours and cursor movements; titles and links, which end with a bell or with ESC \.
const TERMINAL_CODE = new RegExp(
  `${ESCAPE}\\[[0-9;:?]{0,30}[A-Za-z~]|${ESCAPE}\\][^${ESCAPE}${BELL}]{0,500}(?:${BELL}|${ESCAPE}\\\\)`,
  'g',
)
// Control characters but tab and line feed, lone surrogates, direction overrides, invisible tags.
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu

/** Text as a model may see it and may write it: no secrets, nothing that acts on a terminal or that nobody can see. */
export function cleanText(text: string): string {
  const plain = text.includes('\u001b') ? text.replace(TERMINAL_CODE, '') : text
  return redactSecrets(plain.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(UNSAFE, ''))
}
