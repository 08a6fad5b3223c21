import type { Hash } from './list-chain.ts'

/** Of the platform: every server has it, and pages that came over HTTPS. Rejects elsewhere. In hexadecimal digits. */
export const sha256: Hash = async (text) => {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
