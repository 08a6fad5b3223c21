/**
 * Names from before a compression that later calls used, and their state in the shorter history.
 */
import { type Entity, entitySurface, entityValue } from './entities.ts'
import type { KnownItem } from './items.ts'

/** Calls after a compression that are looked at. */
export const HORIZON_CALLS = 100

interface Stretch {
  readonly past: readonly KnownItem[]
  readonly future: readonly KnownItem[]
  /** The text of what was left. */
  readonly text: string
}

/** Whether a model knows a name without having seen the project. */
export type IsCommonName = (entity: Entity) => boolean

export function findMissingNames(
  { past, future, text }: Stretch,
  isCommon: IsCommonName = isCommonName,
) {
  const { demanded } = findDemanded(past, future, isCommon)
  const supports = findSupports(demanded, past)
  const lines = text.split('\n')
  const missing = [...supports].flatMap(([entity, support]) =>
    isGrounded(entity, support, lines) ? [] : [entity],
  )
  const smallest = findSmallest(past, new Set(missing))
  const readAgain = new Set(missing.flatMap((entity) => smallest.get(entity) ?? []))
  return {
    /**
     * Project-specific names that the next calls used and had to carry over. A name that can be
     * read in two ways counts once.
     */
    needed: new Set([...supports.keys()].map(entityValue)).size,
    missing,
    /** The smallest item that has each of the missing names: an agent has to read these again. */
    readAgain: [...readAgain],
  }
}

/**
 * Names in the next calls that occur before the point and were not seen again after it until they
 * were used. What the agent read again it did not have to carry.
 */
export function findDemanded(
  past: readonly KnownItem[],
  future: readonly KnownItem[],
  isCommon: IsCommonName,
): { demanded: Set<Entity>; calls: number } {
  const known = new Set(past.flatMap(({ entities }) => [...entities]))
  const seenAgain = new Set<Entity>()
  const demanded = new Set<Entity>()
  let calls = 0
  for (const { kind, entities } of future) {
    if (kind === 'assistant' || kind === 'boundary') continue
    if (kind === 'call') {
      calls++
      for (const entity of entities)
        if (known.has(entity) && !seenAgain.has(entity) && !isCommon(entity)) demanded.add(entity)
    }
    for (const entity of entities) seenAgain.add(entity)
    if (calls >= HORIZON_CALLS) break
  }
  return { demanded, calls }
}

// Files and folders of every machine and of every project of a language.
const COMMON_PATHS = new Set(
  (
    'dev/null dev/stdin dev/stdout dev/stderr bin/sh bin/bash bin/zsh bin/env usr/bin usr/local local/bin etc/hosts etc/passwd ' +
    '.git .gitignore .gitattributes .editorconfig .env .vscode/settings.json .github/workflows README.md CHANGELOG.md CONTRIBUTING.md ' +
    'SECURITY.md LICENSE.md LICENSE.txt AGENTS.md CLAUDE.md GEMINI.md package.json package-lock.json yarn.lock pnpm-lock.yaml tsconfig.json ' +
    'index.js index.ts go.mod go.sum main.go Cargo.toml Cargo.lock src/main.rs src/lib.rs pyproject.toml requirements.txt setup.py setup.cfg ' +
    'main.py pom.xml build.gradle Gemfile.lock composer.json docker-compose.yml Next.js Node.js'
  ).split(' '),
)
// Most numbers below it count lines or years.
const LEAST_NUMBER = 3000

/** Options of commands, small numbers, and files that every project has. */
function isCommonName(entity: Entity): boolean {
  const value = entityValue(entity)
  if (entity.startsWith('path\t')) return COMMON_PATHS.has(value)
  return value.startsWith('--') || (/^\d+$/.test(value) && Number(value) < LEAST_NUMBER)
}

/** The shortest item of each name, the oldest of equals. */
function findSmallest(
  items: readonly KnownItem[],
  names: ReadonlySet<Entity>,
): Map<Entity, KnownItem> {
  const smallest = new Map<Entity, KnownItem>()
  for (const item of items) {
    for (const name of names) {
      if (!item.entities.has(name)) continue
      const found = smallest.get(name)
      if (!found || item.text.length < found.text.length) smallest.set(name, item)
    }
  }
  return smallest
}

type Support = readonly ReadonlySet<string>[]

/** The windows of each name. Names without words around them are left out. */
export function findSupports(
  demanded: Iterable<Entity>,
  past: readonly KnownItem[],
): Map<Entity, Support> {
  const supports = [...demanded].map((entity) => [entity, findSupport(entity, past)] as const)
  return new Map(supports.filter(([, support]) => support.length > 0))
}

const GROUNDED_SHARE = 0.5

/** Whether some window of the text has half of the words of some window it was in. */
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

/** Start positions of a name in a line, ascending. Pieces of a longer word do not count. */
function* findOccurrences(line: string, name: string): Generator<number> {
  if (name === '') return
  for (let at = line.indexOf(name); at >= 0; ) {
    const end = at + name.length
    const isWhole = !isPlain(line.charCodeAt(at - 1)) && !isPlain(line.charCodeAt(end))
    if (isWhole) yield at
    at = line.indexOf(name, isWhole ? end : at + 1)
  }
}

function isPlain(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95
  )
}

const WORDS = /[A-Za-z_][A-Za-z0-9_]+|\d+(?:\.\d+)*/g
const STOP_WORDS = new Set(
  (
    'the a an and or of to in on for with is are was were be been it this that as at by from not no if then else true false null none ' +
    'user assistant call result'
  ).split(' '),
)

/** Words and numbers that carry meaning, in lower case and in order. */
export function listContentWords(text: string): string[] {
  const words = Array.from(text.matchAll(WORDS), ([match]) => match.toLowerCase())
  return words.filter((word) => word.length > 1 && !STOP_WORDS.has(word))
}

export function findContentWords(text: string): Set<string> {
  return new Set(listContentWords(text))
}

/** How many of `words` are in `others`. */
export function countShared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0
  for (const word of words) if (others.has(word)) shared++
  return shared
}
