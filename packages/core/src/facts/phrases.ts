import type { Steps } from '../conversation/steps.ts'

/** The longest run of words up to a place in a text that begins a phrase. */
interface State {
  readonly next: Map<string, State>
  /** Phrases of exactly these words. */
  readonly phrases: string[]
  /**
   * The same without its first words, as few as leave the beginning of a phrase. The root has none.
   */
  shorter: State | undefined
}

/**
 * Finds many runs of words in texts in one pass (Aho and Corasick), linear in both. Phrases without
 * words are never found.
 */
export function* createPhraseFinder(
  phrases: readonly string[],
): Steps<(texts: readonly string[]) => Steps<Set<string>>> {
  const root = createState(undefined)
  for (const phrase of new Set(phrases)) {
    yield
    let state = root
    scanWords(phrase, (word) => {
      const next = state.next.get(word) ?? createState(root)
      state.next.set(word, next)
      state = next
    })
    if (state !== root) state.phrases.push(phrase)
  }
  yield* linkShorter(root)
  return function* (texts) {
    const found = new Set<string>()
    // What was read once is not read again: neither are the shorter runs inside of it.
    const visited = new Set<State>([root])
    for (const text of texts) {
      yield
      let state = root
      scanWords(text, (word) => {
        state = follow(state, word) ?? root
        for (let end: State | undefined = state; end && !visited.has(end); end = end.shorter) {
          visited.add(end)
          for (const phrase of end.phrases) found.add(phrase)
        }
      })
    }
    return found
  }
}

const createState = (shorter: State | undefined): State => ({
  next: new Map(),
  phrases: [],
  shorter,
})

/** The state after one more word. Undefined if no phrase begins with it. */
function follow(from: State | undefined, word: string): State | undefined {
  for (let state = from; state; state = state.shorter) {
    const next = state.next.get(word)
    if (next) return next
  }
  return undefined
}

function* linkShorter(root: State): Steps<void> {
  const states = [root]
  for (const state of states) {
    yield
    for (const [word, next] of state.next) {
      next.shorter = follow(state.shorter, word) ?? root
      states.push(next)
    }
  }
}

const SPACE = 1
const SIGN = 2
const WORD = 3
/** A letter of a script that is written without spaces. */
const SINGLE = 4
const CLASSES = new Uint8Array(0x1_00_00)
for (let code = 0; code < 128; code++) CLASSES[code] = classify(code)

/** Visits words, and signs one by one. White space separates words and is not one. */
function scanWords(text: string, visit: (word: string) => void): void {
  let position = 0
  while (position < text.length) {
    const code = text.charCodeAt(position)
    const kind = classOf(code)
    const start = position++
    if (kind === SPACE) continue
    if (kind === WORD)
      while (position < text.length && classOf(text.charCodeAt(position)) === WORD) position++
    visit(text.slice(start, position))
  }
}

function classOf(code: number): number {
  const known = CLASSES[code]!
  if (known > 0) return known
  const kind = classify(code)
  CLASSES[code] = kind
  return kind
}

function classify(code: number): number {
  const character = String.fromCharCode(code)
  if (/\s/.test(character)) return SPACE
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return SINGLE
  // Halves of a pair stay together. Their character makes no difference here.
  return /[\p{L}\p{N}\p{M}_]/u.test(character) || (code >= 0xd800 && code <= 0xdfff) ? WORD : SIGN
}
