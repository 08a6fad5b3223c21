/** Whose word an item in the user role is: agents put much into it that nobody typed. */
import type { Origin } from '../conversation/message.ts'
import { isInjectedText } from './injected-text.ts'
import { isJsonObject, type JsonObject } from './json-object.ts'

interface Fragment {
  readonly opening: string
  readonly closing: string
  readonly origin: Origin
}

const wrapped = (tag: string, origin: Origin): Fragment => ({ opening: `<${tag}`, closing: `</${tag}>`, origin })

// What Codex tells of itself in the user role; what else is injected, `isInjectedText` knows.
const FRAGMENTS: readonly Fragment[] = [
  wrapped('environment_context', 'environment'),
  wrapped('user_instructions', 'environment'),
  { opening: '# agents.md instructions', closing: '</instructions>', origin: 'environment' },
  wrapped('permissions instructions', 'environment'),
  wrapped('skill', 'environment'),
  wrapped('skills_instructions', 'environment'),
  wrapped('apps_instructions', 'environment'),
  wrapped('plugins_instructions', 'environment'),
  wrapped('collaboration_mode', 'environment'),
  wrapped('user_action', 'synthetic'),
  wrapped('hook_prompt', 'synthetic'),
  wrapped('goal_context', 'synthetic'),
]
const LONGEST_TAG = 64

/** The origin of a text in the user role; `user` unless it is known to be injected. */
function findTextOrigin(text: string): Origin {
  return findFragment(text.trim())?.origin ?? (isInjectedText(text) ? 'synthetic' : 'user')
}

function findFragment(text: string): Fragment | undefined {
  const head = text.slice(0, LONGEST_TAG).toLowerCase()
  if (!head.startsWith('<') && !head.startsWith('#')) return undefined
  const tail = text.slice(-LONGEST_TAG).toLowerCase()
  return FRAGMENTS.find(({ opening, closing }) => isOpenedBy(head, opening) && tail.endsWith(closing))
}

function isOpenedBy(head: string, opening: string): boolean {
  if (!head.startsWith(opening)) return false
  const next = head[opening.length]
  return next === undefined || next === '>' || next === ' ' || next === '\n'
}

/** Whether text is one XML-like element from its first to its last character, whatever its name. */
export function isWrappedInTag(text: string): boolean {
  const trimmed = text.trim()
  const name = /^<([a-z][a-z0-9_-]{0,60})[ >]/i.exec(trimmed)?.[1]
  return name !== undefined && trimmed.endsWith(`</${name}>`)
}

// Codex puts a picture between two texts that name it.
const IMAGE_TAG = /^(?:<image(?: [^<>]{0,200})?>|<\/image>)$/

/** The origin of a message in the user role: the person's as soon as any text of it is. */
function findUserOrigin(texts: readonly string[]): Origin {
  let injected: Origin | undefined
  for (const text of texts) {
    const trimmed = text.length < 250 ? text.trim() : text
    if (trimmed === '' || IMAGE_TAG.test(trimmed)) continue
    const origin = findTextOrigin(text)
    if (origin === 'user') return 'user'
    injected ??= origin
  }
  return injected ?? 'user'
}

/** The origin of an item in the user role, by what Codex 0.169 says of each block, else by the texts alone. */
export function findItemOrigin(item: JsonObject, texts: readonly string[]): Origin {
  const origin = findUserOrigin(texts)
  const note = item.internal_chat_message_metadata_passthrough
  const kinds = isJsonObject(note) ? note.content_item_kinds : undefined
  if (!Array.isArray(kinds) || kinds.length === 0 || origin !== 'user') return origin
  const isTyped = (kind: unknown) => typeof kind !== 'string' || kind === 'unknown' || kind.startsWith('user.')
  return kinds.some(isTyped) ? 'user' : 'environment'
}
