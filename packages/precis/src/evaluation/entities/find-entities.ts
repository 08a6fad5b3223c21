import { findPaths, hasKnownExtension } from './find-paths.ts'

/** `path`, `ident` or `str`, a tab, and the value: what a set can hold. */
export type Entity = string

/** The value without its kind. */
export function entityValue(entity: Entity): string {
  return entity.slice(entity.indexOf('\t') + 1)
}

/** What of an entity has to be in a text: the file's name of a path. */
export function entitySurface(entity: Entity): string {
  const value = entityValue(entity)
  return entity.startsWith('path\t') ? value.slice(value.lastIndexOf('/') + 1) : value
}

/** Paths, identifiers and other strings that name something. What a recorder redacted is left out. */
export function findEntities(text: string, workingDirectory: string): Set<Entity> {
  const found = new Set<Entity>()
  const add = (kind: string, value: string) => {
    if (!value.includes('REDACTED')) found.add(`${kind}\t${value}`)
  }
  const root = workingDirectory === '' ? undefined : `${workingDirectory.replace(/\/+$/, '')}/`
  for (const path of findPaths(text)) {
    const value = normalizePath(path, root)
    if (value !== undefined) add('path', value)
  }
  for (const [word] of text.matchAll(WORDS))
    if (word.length < LONGEST_IDENTIFIER && isIdentifier(word)) add('ident', word)
  for (const [match] of text.matchAll(STRINGS)) add('str', trimEnd(match))
  return found
}

const LONGEST_IDENTIFIER = 60
const WORDS = /[A-Za-z_][A-Za-z0-9_]{3,}/g

function isIdentifier(word: string): boolean {
  if (/[^_]_+[^_]/.test(word) || /[a-z][A-Z]/.test(word)) return true
  return word.length >= 5 && /[A-Za-z]\d|\d[A-Za-z]/.test(word)
}

/** The last two names of a path; undefined for what only looks like one, as "and/or". */
function normalizePath(path: string, root: string | undefined): string | undefined {
  let value = trimEnd(path)
  if (root && value.startsWith(root)) value = value.slice(root.length)
  while (value.startsWith('./') || value.startsWith('../')) value = value.slice(value.indexOf('/') + 1)
  if (value.length < 4 || value.startsWith('//')) return undefined
  const slashes = value.split('/').length - 1
  if (slashes === 1 && !hasKnownExtension(value.slice(value.lastIndexOf('/') + 1))) return undefined
  return value
    .replace(/^\/+|\/+$/g, '')
    .split('/')
    .slice(-2)
    .join('/')
}

function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && '.,:;'.includes(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

const WORD = '[\\p{L}\\p{N}_]'

// URLs; issue keys; #123; versions; commits; long options; numbers of four digits and more. Each starts at an edge of a
// word and runs forward, so the time is linear.
const STRINGS = new RegExp(
  [
    'https?://[^\\s"\'<>)\\]\\}\\\\]+',
    `(?<!${WORD})[A-Z][A-Z0-9]+-[0-9]+(?!${WORD})`,
    `(?<!${WORD})#[0-9]{2,6}(?!${WORD})`,
    `(?<!${WORD})v?[0-9]+\\.[0-9]+\\.[0-9]+(?:[-.][\\p{L}\\p{N}_.]+)?(?<=${WORD})(?!${WORD})`,
    `(?<!${WORD})(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?!${WORD})`,
    '(?<![\\p{L}\\p{N}_.\\-])--[a-z][a-z0-9\\-]{2,}',
    '(?<![\\p{L}\\p{N}_.])[0-9]{4,}(?![\\p{L}\\p{N}_.])',
  ].join('|'),
  'gu',
)
