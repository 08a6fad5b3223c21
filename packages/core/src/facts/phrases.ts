/** Finds many runs of words in one text at once (Aho and Corasick 1975): linear in the phrases and in the text. */

interface State {
  readonly next: Map<string, State>
  /** Phrases that end here. */
  readonly phrases: string[]
  /** The longest proper suffix of this state that is a state too. */
  fallback: State | undefined
  isReached: boolean
}

const WORD = /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu

/** Words and signs; white space separates and is no word. */
export function readWords(text: string): string[] {
  return text.match(WORD) ?? []
}

/** Those of the phrases that stand in the words. A phrase without words is never found. */
export function findPhrases(phrases: readonly string[], words: readonly string[]): Set<string> {
  const { root, states } = build(phrases)
  let state = root
  for (const word of words) {
    let next = state.next.get(word)
    while (!next && state.fallback) {
      state = state.fallback
      next = state.next.get(word)
    }
    state = next ?? root
    state.isReached = true
  }
  const found = new Set<string>()
  // From the longest to the shortest: what is reached reaches its suffixes.
  for (let index = states.length - 1; index >= 0; index--) {
    const reached = states[index]!
    if (!reached.isReached) continue
    if (reached.fallback) reached.fallback.isReached = true
    for (const phrase of reached.phrases) found.add(phrase)
  }
  return found
}

/** States in the order of their lengths, the empty root left out. */
function build(phrases: readonly string[]): { root: State; states: State[] } {
  const create = (): State => ({ next: new Map(), phrases: [], fallback: undefined, isReached: false })
  const root = create()
  for (const phrase of phrases) {
    let state = root
    for (const word of readWords(phrase)) {
      let next = state.next.get(word)
      if (!next) {
        next = create()
        state.next.set(word, next)
      }
      state = next
    }
    if (state !== root) state.phrases.push(phrase)
  }
  const states: State[] = []
  for (const state of root.next.values()) {
    state.fallback = root
    states.push(state)
  }
  for (let index = 0; index < states.length; index++) {
    const state = states[index]!
    for (const [word, next] of state.next) {
      let suffix = state.fallback
      while (suffix && !suffix.next.has(word)) suffix = suffix.fallback
      next.fallback = suffix?.next.get(word) ?? root
      states.push(next)
    }
  }
  return { root, states }
}
