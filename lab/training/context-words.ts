/** The words around a name: what has to survive with it before it counts as kept. */
import { countShared, findContentWords } from '../../packages/precis/src/replay/carried-names.ts'

// How far a window reaches to both sides of a name.
const REACH = 200
const THIN_WINDOW = 3

/** A name as it looks in text: a path by its last component. */
function surfaceOf(entity: string): string {
  return entity.slice(entity.lastIndexOf('/') + 1) || entity
}

/** Words around each place of a name, the newest texts first; without the name itself. */
export function findSources(entity: string, texts: Iterable<string>, most: number): Set<string>[] {
  const surface = surfaceOf(entity)
  const own = findContentWords(surface)
  const sources: Set<string>[] = []
  for (const text of texts) {
    for (const line of placesOf(surface, text)) {
      let words = without(findContentWords(line.window), own)
      if (words.size < THIN_WINDOW)
        words = without(findContentWords(`${line.window}\n${line.neighbours}`), own)
      if (words.size >= THIN_WINDOW) sources.push(words)
      if (sources.length >= most) return sources
    }
  }
  return sources
}

/** Whether a name is in the text with half of the words of one of its sources. */
export function survives(
  entity: string,
  sources: readonly ReadonlySet<string>[],
  text: string,
): boolean {
  for (const { window, neighbours } of placesOf(surfaceOf(entity), text)) {
    const words = findContentWords(window)
    if (words.size < 6) for (const word of findContentWords(neighbours)) words.add(word)
    if (sources.some((source) => countShared(source, words) >= source.size / 2)) return true
  }
  return false
}

interface Place {
  readonly window: string
  readonly neighbours: string
}

const MOST_PLACES = 40

function* placesOf(surface: string, text: string): Generator<Place> {
  let position = -1
  for (let count = 0; count < MOST_PLACES; count++) {
    position = text.indexOf(surface, position + 1)
    if (position < 0) return
    if (isInWord(text, position - 1) || isInWord(text, position + surface.length)) continue
    const start = text.lastIndexOf('\n', position - 1) + 1
    const found = text.indexOf('\n', position)
    const end = found < 0 ? text.length : found
    const window = text.slice(
      Math.max(start, position - REACH),
      Math.min(end, position + surface.length + REACH),
    )
    const before = text.slice(
      Math.max(text.lastIndexOf('\n', start - 2) + 1, start - 160),
      Math.max(start - 1, 0),
    )
    const next = text.indexOf('\n', end + 1)
    const after = text.slice(end + 1, Math.min(next < 0 ? text.length : next, end + 161))
    yield { window, neighbours: `${before}\n${after}` }
  }
}

function isInWord(text: string, position: number): boolean {
  return position >= 0 && position < text.length && /\w/.test(text[position] ?? ' ')
}

function without(words: Set<string>, own: ReadonlySet<string>): Set<string> {
  for (const word of own) words.delete(word)
  return words
}
