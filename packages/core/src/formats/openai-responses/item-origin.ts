/**
 * Whose word an item in the user role is. Codex puts much there that nobody typed: its surroundings, which it tells
 * anew at every resume, and notices of what happened, which it does not.
 */

import { findUserOrigin } from '../../conversation/injected-text.ts'
import type { ContentPart, Origin } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'

interface Wrapper {
  readonly opening: string
  readonly closing: string
}

const element = (name: string): Wrapper => ({ opening: `<${name}`, closing: `</${name}>` })

const SURROUNDINGS: readonly Wrapper[] = [
  element('environment_context'),
  element('user_instructions'),
  { opening: '# AGENTS.md instructions', closing: '</INSTRUCTIONS>' },
]
// What Codex alone injects; the notices that more hosts may carry, `findUserOrigin` knows.
const NOTICES: readonly Wrapper[] = [
  element('skill'),
  element('user_action'),
  element('hook_prompt'),
  element('goal_context'),
]

/** `environment` only for surroundings; the person's as soon as any text or picture in the item is. */
export function findItemOrigin(item: JsonObject, parts: readonly ContentPart[]): Origin {
  const words = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  const others = words.filter((part) => !isWrappedIn(part, SURROUNDINGS))
  if (others.length === 0 && words.length > 0) return 'environment'
  const rest = others.filter((part) => !isWrappedIn(part, NOTICES))
  if (rest.length === 0 && others.length > 0) return 'synthetic'
  const origin = findUserOrigin(rest)
  return origin === 'user' ? (findToldOrigin(item) ?? origin) : origin
}

/** What Codex 0.169 says of each block of an item that nobody typed; undefined when it says nothing of the kind. */
function findToldOrigin(item: JsonObject): Origin | undefined {
  const note = item.internal_chat_message_metadata_passthrough
  const kinds = isJsonObject(note) ? note.content_item_kinds : undefined
  if (!Array.isArray(kinds) || kinds.length === 0) return undefined
  const isTyped = (kind: unknown) => typeof kind !== 'string' || kind === 'unknown' || kind.startsWith('user.')
  if (kinds.some(isTyped)) return undefined
  // `agents_md.instructions`, `permissions.instructions` …; `compaction.summary` and `generic.turn_aborted` are none.
  const isSurrounding = (kind: string) => kind.endsWith('.instructions') || kind === 'environments.environment_context'
  return kinds.every(isSurrounding) ? 'environment' : 'synthetic'
}

function isWrappedIn(part: ContentPart, wrappers: readonly Wrapper[]): boolean {
  if (part.type !== 'text') return false
  const text = part.text.trim()
  return wrappers.some(
    ({ opening, closing }) =>
      text.startsWith(opening) && /[> \n]/.test(text.charAt(opening.length)) && text.endsWith(closing),
  )
}
