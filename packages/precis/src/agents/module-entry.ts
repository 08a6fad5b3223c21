/** A file of a few lines that an agent loads, and which loads the rest from this installation of precis. */
import { createHash } from 'node:crypto'
import type { FileEntry } from './integration.ts'

const HASH_DIGITS = 12
const OWN_LINE =
  /^\/\/ precis ([0-9a-f]{12}): written by "precis install [a-z-]+", removed by "precis uninstall [a-z-]+"\.$/

/** The first line names the hash of the others, so that a file somebody edited is told from one nobody did. */
export function createModuleEntry(path: string, what: string, agent: string, source: string): FileEntry {
  const line = `// precis ${hash(source)}: written by "precis install ${agent}", removed by "precis uninstall ${agent}".`
  return { type: 'file', path, what, text: `${line}\n${source}` }
}

/** `edited`: it was made by precis and is not what precis made of it. */
export function judgeModule(text: string): 'own' | 'edited' | 'foreign' {
  const end = text.indexOf('\n')
  const [, named] = OWN_LINE.exec(text.slice(0, end).trimEnd()) ?? []
  if (named === undefined) return 'foreign'
  return hash(text.slice(end + 1)) === named ? 'own' : 'edited'
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}

/** The module beside this one that the agent's process runs; in a checkout its source, which has another ending. */
export function findModuleUrl(name: string): string {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./${name}.${ending}`, import.meta.url).href
}
