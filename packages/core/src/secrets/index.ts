/**
 * The public API of `@precis/core/secrets`: what looks like a key, a token or a password is
 * replaced by a mark.
 *
 * ```ts
 * import { REDACTED, redactSecrets } from '@precis/core/secrets'
 *
 * const text = redactSecrets('password=hunter2-correct-horse')
 * console.log(text.includes(REDACTED))
 * ```
 */
import { aText, checking } from '../conversation/check-options.ts'
import * as redaction from './redact-secrets.ts'

export { REDACTED } from './redact-secrets.ts'

export const redactSecrets = checking('Redacting', { text: aText }, redaction.redactSecrets)
