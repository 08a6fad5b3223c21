/** `path`, `ident` or `str`, a tab, and the value: what a set can hold. */
export type Entity = string

export function entityValue(entity: Entity): string {
  return entity.slice(entity.indexOf('\t') + 1)
}

/** The piece of an entity that has to be in a text: of a path the name of the file. */
export function entitySurface(entity: Entity): string {
  const value = entityValue(entity)
  return entity.startsWith('path\t') ? value.slice(value.lastIndexOf('/') + 1) : value
}

/**
 * Paths, identifiers and other strings that name something. What a recorder redacted is left out.
 */
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

/** The last two names of a path. Undefined for text that only looks like a path, as "and/or". */
function normalizePath(path: string, root: string | undefined): string | undefined {
  let value = trimEnd(path)
  if (root && value.startsWith(root)) value = value.slice(root.length)
  while (value.startsWith('./') || value.startsWith('../'))
    value = value.slice(value.indexOf('/') + 1)
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

// URLs, issue keys, #123, versions, commits, long options, numbers of four digits and more. Each
// starts at an edge of a word and runs forward, so the time is linear.
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

const EXTENSIONS = new Set(
  (
    'go ts tsx js jsx mjs cjs py md mdx json jsonl yaml yml toml sh rs java kt c h cc cpp hpp cs rb php swift css scss html vue ' +
    'svelte sql proto txt lock xml gradle nix fish lua ini cfg conf env mod sum svg png traj diff patch tf graphql ipynb'
  ).split(' '),
)
const LONGEST_EXTENSION = 7

const SLASH = 47
const DOT = 46
const HYPHEN = 45
const TILDE = 126

function hasKnownExtension(name: string): boolean {
  const dot = name.lastIndexOf('.')
  return dot >= 0 && EXTENSIONS.has(name.slice(dot + 1))
}

/**
 * Finds paths in text: a chain of names with slashes between them, or a name with a known
 * extension. It takes one pass. Names of a run of characters are read once, however many starts
 * inside it are tried.
 */
export function findPaths(text: string): string[] {
  const found: string[] = []
  const runs = createRuns(text)
  for (let position = 0; position < text.length; ) {
    const end = canStartAt(text, position) ? matchPath(text, position, runs) : -1
    if (end > position) found.push(text.slice(position, end))
    position = Math.max(end, position + 1)
  }
  return found
}

/** Not inside a word or right after a slash, a dot or a hyphen. */
function canStartAt(text: string, position: number): boolean {
  const code = text.charCodeAt(position)
  if (code !== SLASH && code !== TILDE && !isNameCharacter(code)) return false
  if (position === 0) return true
  const before = text.charCodeAt(position - 1)
  return !(isWordCharacter(before) || before === SLASH || before === DOT || before === HYPHEN)
}

function matchPath(text: string, start: number, runs: Runs): number {
  const code = text.charCodeAt(start)
  if (code === SLASH) return runs.chainEnd(start + 1)
  if (code === TILDE) return text.charCodeAt(start + 1) === SLASH ? runs.chainEnd(start + 2) : -1
  if (code === DOT) {
    const dots = text.charCodeAt(start + 1) === DOT ? 2 : 1
    const inside = text.charCodeAt(start + dots) === SLASH ? runs.chainEnd(start + dots + 1) : -1
    return inside >= 0 ? inside : runs.chainEnd(start)
  }
  const end = runs.chainEnd(start)
  return end >= 0 ? end : runs.fileNameEnd(start)
}

interface Runs {
  /**
   * End of `name/name/…/name` from `start` on, without dots at its end. -1 if there are not two
   * names.
   */
  chainEnd(start: number): number
  /** End of the longest `name.ext` from `start` on within its run. -1 if there is no such name. */
  fileNameEnd(start: number): number
}

function createRuns(text: string): Runs {
  let runStart = 0
  let runEnd = 0
  let chain: { end: number; result: number } | undefined
  let fileName: { end: number; dot: number; result: number } | undefined
  const endOfRun = (start: number): number => {
    if (start >= runStart && start < runEnd) return runEnd
    let end = start
    while (end < text.length && isNameCharacter(text.charCodeAt(end))) end++
    runStart = start
    runEnd = end
    return end
  }
  return {
    chainEnd(start) {
      const end = endOfRun(start)
      if (end === start || text.charCodeAt(end) !== SLASH) return -1
      if (chain?.end !== end) chain = { end, result: findChainEnd(text, end) }
      return chain.result
    },
    fileNameEnd(start) {
      const end = endOfRun(start)
      if (fileName?.end !== end) fileName = { end, ...findLastExtension(text, start, end) }
      return fileName.dot > start ? fileName.result : -1
    },
  }
}

function findChainEnd(text: string, firstSlash: number): number {
  let result = -1
  for (let slash = firstSlash; text.charCodeAt(slash) === SLASH; ) {
    let end = slash + 1
    while (end < text.length && isNameCharacter(text.charCodeAt(end))) end++
    let trimmed = end
    while (trimmed > slash + 1 && text.charCodeAt(trimmed - 1) === DOT) trimmed--
    if (trimmed > slash + 1) result = trimmed
    if (end === slash + 1) break
    slash = end
  }
  return result
}

function findLastExtension(
  text: string,
  start: number,
  end: number,
): { dot: number; result: number } {
  for (let wordEnd = end, at = end - 1; at >= start; at--) {
    const code = text.charCodeAt(at)
    if (code === DOT) {
      const extension = wordEnd - at - 1 <= LONGEST_EXTENSION ? text.slice(at + 1, wordEnd) : ''
      if (EXTENSIONS.has(extension) && text.charCodeAt(wordEnd) !== SLASH)
        return { dot: at, result: wordEnd }
    }
    if (!isWordCharacter(code)) wordEnd = at
  }
  return { dot: -1, result: -1 }
}

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u
const UNKNOWN = 0
const WORD_CLASS = 1
const OTHER = 2
const CLASSES = new Uint8Array(65_536)

/** A letter or number of any script, or an underscore. */
function isWordCharacter(code: number): boolean {
  const known = CLASSES[code]
  if (known !== UNKNOWN) return known === WORD_CLASS
  const isWord = code === 95 || LETTER_OR_NUMBER.test(String.fromCharCode(code))
  CLASSES[code] = isWord ? WORD_CLASS : OTHER
  return isWord
}

/** Names in a path have word characters and `@ + . -`. */
function isNameCharacter(code: number): boolean {
  return isWordCharacter(code) || code === 64 || code === 43 || code === DOT || code === HYPHEN
}
