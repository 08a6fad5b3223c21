/**
 * The public API of `@precis/core/secrets`: what looks like a key, a token or a password is
 * replaced by a mark.
 */
export { REDACTED, redactSecrets } from './redact-secrets.ts'
