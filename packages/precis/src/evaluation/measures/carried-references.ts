import { countShared, findContentWords } from '../entities/content-words.ts'
import { type Entity, entitySurface } from '../entities/find-entities.ts'
import { findOccurrences } from '../entities/occurrences.ts'
import type { KnownItem } from '../recording.ts'
import type { Measure, Score, ScoredText } from './measure.ts'

/** Grounded carried-reference recall: names that the agent had to carry over, kept with what was said of them. */
export const carriedReferences: Measure = {
  name: 'gcrr',
  title: 'names the agent had to carry over, with their context',
  prepare: (point) => prepareRecall(point.demanded, point.past),
}

const GROUNDED_SHARE = 0.5

/** How many of these names are kept. */
export function prepareRecall(demanded: Iterable<Entity>, past: readonly KnownItem[]): (text: ScoredText) => Score {
  const supports = findSupports(demanded, past)
  return ({ lines }) => {
    let kept = 0
    for (const [entity, support] of supports) if (isGrounded(entity, support, lines)) kept++
    return { kept, total: supports.size }
  }
}

type Support = readonly ReadonlySet<string>[]

/** For each name the windows it stood in; names that stood in none with words around them are left out. */
export function findSupports(demanded: Iterable<Entity>, past: readonly KnownItem[]): Map<Entity, Support> {
  const supports = new Map<Entity, Support>()
  for (const entity of demanded) {
    const support = findSupport(entity, past)
    if (support.length > 0) supports.set(entity, support)
  }
  return supports
}

/** Whether some window of the text has half of the words of some window it stood in. */
export function isGrounded(entity: Entity, support: Support, lines: readonly string[]): boolean {
  return findWindows(entitySurface(entity), lines).some((window) =>
    support.some((words) => countShared(words, window) >= GROUNDED_SHARE * words.size),
  )
}

const WINDOW_CHARACTERS = 200
const NEIGHBOUR_CHARACTERS = 160
const MOST_SUPPORTS = 12
const LEAST_SUPPORT_WORDS = 3

/** The content words around a name, without itself, in the newest items that hold it. */
function findSupport(entity: Entity, past: readonly KnownItem[]): Support {
  const name = entitySurface(entity)
  const own = findContentWords(name)
  const found: Set<string>[] = []
  for (const { text, entities } of past.toReversed()) {
    if (!entities.has(entity)) continue
    const lines = text.split('\n')
    for (const [index, line] of lines.entries()) {
      const first = findOccurrences(line, name).next()
      if (first.done) continue
      const window = cutWindow(line, first.value, name)
      let words = withoutOwn(findContentWords(window), own)
      if (words.size < LEAST_SUPPORT_WORDS) {
        const before = (lines[index - 1] ?? '').slice(-NEIGHBOUR_CHARACTERS)
        const after = (lines[index + 1] ?? '').slice(-NEIGHBOUR_CHARACTERS)
        words = withoutOwn(findContentWords(`${before}\n${window}\n${after}`), own)
      }
      if (words.size >= LEAST_SUPPORT_WORDS) found.push(words)
      if (found.length >= MOST_SUPPORTS) return found
    }
  }
  return found
}

const MOST_WINDOWS = 41
const LEAST_WINDOW_WORDS = 6

/** The content words around each place of a name in the text that is scored. */
function findWindows(name: string, lines: readonly string[]): Set<string>[] {
  const found: Set<string>[] = []
  for (const [index, line] of lines.entries()) {
    for (const start of findOccurrences(line, name)) {
      const words = findContentWords(cutWindow(line, start, name))
      if (words.size < LEAST_WINDOW_WORDS) {
        const before = (lines[index - 1] ?? '').slice(0, NEIGHBOUR_CHARACTERS)
        const after = (lines[index + 1] ?? '').slice(0, NEIGHBOUR_CHARACTERS)
        for (const word of findContentWords(`${before}\n${after}`)) words.add(word)
      }
      found.push(words)
      if (found.length >= MOST_WINDOWS) return found
    }
  }
  return found
}

function cutWindow(line: string, start: number, name: string): string {
  return line.slice(Math.max(0, start - WINDOW_CHARACTERS), start + name.length + WINDOW_CHARACTERS)
}

function withoutOwn(words: Set<string>, own: ReadonlySet<string>): Set<string> {
  for (const word of own) words.delete(word)
  return words
}
