/**
 * The item with which precis's gateway answers a compaction of Codex. Codex treats it like an item
 * that only its provider can read. It contains a summary by precis.
 *
 *   { type: 'compaction', id, encrypted_content: 'precis-compaction-1:' + base64 }
 */
import type { JsonObject } from '../shared/json.ts'

const MARK = 'precis-compaction-1:'

/** The `encrypted_content` of such an item. */
export function encodeOwnCompaction(summary: string): string {
  const bytes = new TextEncoder().encode(summary)
  return MARK + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** The summary in such an item. Undefined for every other item. */
export function readOwnCompaction({
  type,
  encrypted_content: content,
}: JsonObject): string | undefined {
  if (type !== 'compaction' || typeof content !== 'string' || !content.startsWith(MARK))
    return undefined
  try {
    return new TextDecoder().decode(
      Uint8Array.from(atob(content.slice(MARK.length)), (byte) => byte.charCodeAt(0)),
    )
  } catch {
    // It was cut off or changed, so it counts as an unreadable item of a provider.
    return undefined
  }
}

/** The same as a message that every provider can read. */
export function toPlainMessage(summary: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] }
}
