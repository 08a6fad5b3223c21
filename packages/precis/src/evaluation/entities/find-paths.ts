/**
 * Finds paths in text: a chain of names with slashes between them, or a name with a known extension.
 * One pass: names of a run of characters are looked at once, however often a start inside it is tried.
 */

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

export function hasKnownExtension(name: string): boolean {
  const dot = name.lastIndexOf('.')
  return dot >= 0 && EXTENSIONS.has(name.slice(dot + 1))
}

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

/** Not inside a word or right behind a slash, a dot or a hyphen. */
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
  /** End of `name/name/…/name` from `start` on, without dots at its end; -1 when there are not two names. */
  chainEnd(start: number): number
  /** End of the longest `name.ext` from `start` on within its run; -1 when there is none. */
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

function findLastExtension(text: string, start: number, end: number): { dot: number; result: number } {
  for (let wordEnd = end, at = end - 1; at >= start; at--) {
    const code = text.charCodeAt(at)
    if (code === DOT) {
      const extension = wordEnd - at - 1 <= LONGEST_EXTENSION ? text.slice(at + 1, wordEnd) : ''
      if (EXTENSIONS.has(extension) && text.charCodeAt(wordEnd) !== SLASH) return { dot: at, result: wordEnd }
    }
    if (!isWordCharacter(code)) wordEnd = at
  }
  return { dot: -1, result: -1 }
}

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u
const UNKNOWN = 0
const WORD = 1
const OTHER = 2
const CLASSES = new Uint8Array(65_536)

/** A letter or number of any script, or an underscore. */
function isWordCharacter(code: number): boolean {
  const known = CLASSES[code]
  if (known !== UNKNOWN) return known === WORD
  const isWord = code === 95 || LETTER_OR_NUMBER.test(String.fromCharCode(code))
  CLASSES[code] = isWord ? WORD : OTHER
  return isWord
}

/** What a name in a path is made of: word characters and `@ + . -`. */
function isNameCharacter(code: number): boolean {
  return isWordCharacter(code) || code === 64 || code === 43 || code === DOT || code === HYPHEN
}
