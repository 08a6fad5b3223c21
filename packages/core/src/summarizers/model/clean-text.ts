import { redactSecrets } from '../../secrets/redact-secrets.ts'
import { stripTerminalCodes } from '../terminal-codes.ts'

// Control characters but tab and line feed, lone surrogates, direction overrides, invisible tags.
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu

/** Text as a model may see it and may write it: no secrets, nothing that acts on a terminal or that nobody can see. */
export function cleanText(text: string): string {
  return redactSecrets(stripTerminalCodes(text).replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(UNSAFE, ''))
}
