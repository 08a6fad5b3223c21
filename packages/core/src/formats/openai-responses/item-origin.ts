import type { Enclosure } from '../../conversation/host.ts'
import { hosts } from '../../conversation/hosts.data.ts'
import { findUserOrigin } from '../../conversation/injected-text.ts'
import type { ContentPart, Origin } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { readOwnCompaction } from './own-compaction.ts'

export const hostItems = hosts.flatMap(({ items }) => items ?? [])

const surroundings = hostItems.flatMap((items) => items.surroundings)

// `findUserOrigin` knows the notices that other APIs may carry too.
const notices = hostItems.flatMap((items) => items.notices)

/**
 * Who wrote an item in the user role: `environment` if it contains only surroundings, `synthetic`
 * for notices. It is `user` if any text or picture in it is from the user.
 */
export function findItemOrigin(item: JsonObject, parts: readonly ContentPart[]): Origin {
  if (readOwnCompaction(item) !== undefined) return 'synthetic'
  const words = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  const others = words.filter((part) => !isWrappedIn(part, surroundings))
  if (others.length === 0 && words.length > 0) return 'environment'
  const rest = others.filter((part) => !isWrappedIn(part, notices))
  if (rest.length === 0 && others.length > 0) return 'synthetic'
  const origin = findUserOrigin(rest)
  return origin === 'user' ? (findNotedOrigin(item) ?? origin) : origin
}

/**
 * The origin according to the item's note about blocks that were not typed. Undefined without a
 * note.
 */
function findNotedOrigin(item: JsonObject): Origin | undefined {
  const note = item.internal_chat_message_metadata_passthrough
  const kinds = isJsonObject(note) ? note.content_item_kinds : undefined
  if (!Array.isArray(kinds) || kinds.length === 0) return undefined
  const isTyped = (kind: unknown) =>
    typeof kind !== 'string' || kind === 'unknown' || kind.startsWith('user.')
  if (kinds.some(isTyped)) return undefined
  // Matches `agents_md.instructions` and `permissions.instructions`, but not `compaction.summary`
  // or `generic.turn_aborted`.
  const isSurrounding = (kind: string) =>
    kind.endsWith('.instructions') || kind === 'environments.environment_context'
  return kinds.every(isSurrounding) ? 'environment' : 'synthetic'
}

function isWrappedIn(part: ContentPart, wrappers: readonly Enclosure[]): boolean {
  if (part.type !== 'text') return false
  const text = part.text.trim()
  return wrappers.some(
    ([opening, closing]) =>
      text.startsWith(opening) &&
      /[> \n]/.test(text.charAt(opening.length)) &&
      text.endsWith(closing),
  )
}
