/** A session as the measures see it: a flat list of what was said, called and answered. */

/** `meta` is text in the user role that nobody typed; `boundary` a native compaction without readable text. */
export type ItemKind = 'user' | 'meta' | 'assistant' | 'call' | 'result' | 'summary' | 'boundary'

export interface Item {
  readonly kind: ItemKind
  /** Of a call: the values of its arguments, one per line. Their names are no facts. */
  readonly text: string
  /** Position of the record it was read from, among the records of its document. */
  readonly row: number
  /** Tool of a call. */
  readonly name?: string
  /** Arguments of a call. */
  readonly input?: unknown
  /** Of a call and of its result, where the format tells. */
  readonly callId?: string
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

/** How an item stands in a text that is scored. */
export function renderItem({ kind, text, name = '' }: Item): string {
  return kind === 'call' ? `${LABELS.call}${name}: ${text}` : LABELS[kind] + text
}

export function renderItems(items: readonly Item[]): string {
  return items.map(renderItem).join('\n')
}

/** Items that say nothing are not there. */
export function hasContent({ kind, text }: Item): boolean {
  return kind === 'boundary' || text.trim() !== ''
}
