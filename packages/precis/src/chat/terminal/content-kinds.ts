export type ContentKind = 'system' | 'requests' | 'answers' | 'reasoning' | 'tools' | 'summary'

export interface KindNames {
  readonly kind: ContentKind
  readonly name: string
  readonly shortName: string
  /** Stands for it where there are no colours. */
  readonly letter: string
}

/** What fills a context window, in the order in which the gauge shows it. */
export const CONTENT_KINDS: readonly KindNames[] = [
  { kind: 'system', name: 'system', shortName: 'system', letter: 's' },
  { kind: 'summary', name: 'summary', shortName: 'summary', letter: 'm' },
  { kind: 'requests', name: 'requests', shortName: 'you', letter: 'q' },
  { kind: 'answers', name: 'answers', shortName: 'answers', letter: 'a' },
  { kind: 'reasoning', name: 'reasoning', shortName: 'thoughts', letter: 'r' },
  { kind: 'tools', name: 'tool results', shortName: 'tools', letter: 't' },
]
