/** A session as a flat list of words, calls and answers, and the names in it. */
import type { Conversation, Message, Part } from '@precis/core'
import { renderPart } from '@precis/core/conversation'
import { type Entity, findEntities } from './entities.ts'

/**
 * `meta` is text in the user role that was not typed. `boundary` is a native compaction without
 * readable text.
 */
type ItemKind = 'user' | 'meta' | 'assistant' | 'call' | 'result' | 'summary' | 'boundary'

export interface Item {
  readonly kind: ItemKind
  /** For a call: the values of its arguments, one per line. Their names are not facts. */
  readonly text: string
  /** Position of the record it was read from, among the records of its document. */
  readonly row: number
  /** Tool and arguments of a call. */
  readonly name?: string
  readonly input?: unknown
  /** For a call and its result, if the format has it. */
  readonly callId?: string
}

export interface KnownItem extends Item {
  readonly entities: ReadonlySet<Entity>
}

export function knowEntities(items: readonly Item[], workingDirectory: string): KnownItem[] {
  return items.map((item) => ({ ...item, entities: findEntities(item.text, workingDirectory) }))
}

const LABELS: Readonly<Record<ItemKind, string>> = {
  user: 'User: ',
  meta: '',
  assistant: 'Assistant: ',
  call: 'Call ',
  result: 'Result: ',
  summary: 'Summary: ',
  boundary: '',
}

export function renderScoredItem({ kind, text, name = '' }: Item): string {
  return kind === 'call' ? `${LABELS.call}${name}: ${text}` : LABELS[kind] + text
}

export function renderItems(items: readonly Item[]): string {
  return items.map(renderScoredItem).join('\n')
}

/** Items without words are left out. */
export function hasContent({ kind, text }: Item): boolean {
  return kind === 'boundary' || text.trim() !== ''
}

// Settings of a call: they are no facts of the project.
const SETTINGS = new Set(
  (
    'timeout limit offset head_limit replace_all output_mode run_in_background status activeForm yield_time_ms ' +
    'max_output_tokens session_id subagent_type multiline'
  ).split(' '),
)

/**
 * The values of a call's arguments, one per line. Walks without recursion: the depth is not ours.
 */
export function readInputText(input: unknown): string {
  const lines: string[] = []
  const pending: unknown[] = [input]
  while (pending.length > 0) {
    const value = pending.pop()
    const inner = innerValues(value)
    if (!inner) lines.push(renderValue(value))
    else if (inner.length === 0) lines.push('')
    else for (let index = inner.length - 1; index >= 0; index--) pending.push(inner[index])
  }
  return lines.join('\n')
}

function innerValues(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).flatMap(([name, inner]) => (SETTINGS.has(name) ? [] : [inner]))
}

// The reference scorer spells values as Python does.
function renderValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

/**
 * The items of a parsed conversation. `row` is the position of their message. Reasoning is not an
 * item.
 */
export function readConversationItems({ messages }: Pick<Conversation, 'messages'>): Item[] {
  return messages
    .flatMap((message, row) => message.parts.flatMap((part) => readPart(message, part, row) ?? []))
    .filter(hasContent)
}

function readPart(message: Message, part: Part, row: number): Item | undefined {
  switch (part.type) {
    case 'text': {
      const kind = kindOf(message)
      return kind && { kind, text: part.text, row }
    }
    case 'tool-call': {
      const input = parseInput(part.input)
      return {
        kind: 'call',
        text: readInputText(input),
        row,
        name: part.name,
        input,
        callId: part.callId,
      }
    }
    case 'tool-result':
      return {
        kind: 'result',
        text: part.output.map(renderPart).join('\n'),
        row,
        callId: part.callId,
      }
    default:
      return undefined
  }
}

function kindOf({ role, origin }: Message): ItemKind | undefined {
  if (role === 'assistant') return 'assistant'
  if (role === 'system') return undefined
  return origin === 'user' ? 'user' : 'meta'
}

/** OpenAI has arguments as JSON text. */
function parseInput(input: unknown): unknown {
  if (typeof input !== 'string' || !input.trimStart().startsWith('{')) return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
