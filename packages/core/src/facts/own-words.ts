/** What a person says in a message in their own words: without what they paste, quote or show. */
import { HOST_OPENINGS } from '../conversation/injected-text.ts'
import { removeReminders } from './outcome.ts'
import { splitSentences } from './sentences.ts'

const FENCE = /^\s*(?:```|~~~)/
const ELEMENT = /^\s*<([A-Za-z][\w-]{0,60})(?:[ >\n]|$)/
// Prompts, time stamps, levels, tags of tools, tables, diffs, stack frames, code.
const DATA =
  /^\s*(?:[❯➜$#%>|┃│┌└├+@]|\[[\w:. -]{1,40}\]|\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|(?:target|source|remote|stderr|stdout):|(?:error|warn|warning|info|debug|fatal|FAIL|ok|PASS)\b:?\s{1,8}\S{0,80}[:/[]|at \S{1,200} \(|---|===|\/\/|\/\*|"[\w-]{1,40}":|(?:const|let|var|func|def|class|import|export|return|package) \S)|[{};]\s*$|\blevel=|=>|for more information|^\s*[\w./-]{1,80}:\d{1,6}(?::|\b)/i
const LIST_MARK = /^\s*(?:[-*•–]|\d{1,3}[.)])\s+/
// A line this long that ends in the middle of a sentence was broken by a terminal or an editor.
const SHORTEST_BROKEN_LINE = 50
const LONGEST_LINE = 4_000
const LONGEST_MESSAGE = 200_000
// What hosts put beside the person's words in the same message, Codex the rules of a project too.
const OPENINGS = [...HOST_OPENINGS, '# AGENTS.md instructions']
/** From this length on, or with headings, a message is a document that the person hands over. */
const SHORTEST_DOCUMENT = 1_000

export interface OwnWords {
  readonly sentences: readonly string[]
  /** A plan or a review that was pasted rather than typed. */
  readonly isDocument: boolean
}

export function readOwnWords(text: string): OwnWords {
  if (OPENINGS.some((opening) => text.trimStart().startsWith(opening))) return { sentences: [], isDocument: false }
  const spoken = removeReminders(text.slice(0, LONGEST_MESSAGE))
  const lines = joinBrokenLines(dropQuoted(spoken.split('\n')))
  const isDocument = spoken.length >= SHORTEST_DOCUMENT || /^#{1,4} \S/m.test(spoken)
  const sentences = lines.flatMap((line) => splitLine(line).map((sentence) => sentence.replace(LIST_MARK, '').trim()))
  return { sentences: sentences.filter((sentence) => sentence !== ''), isDocument }
}

/** Without fences, quotes, elements and lines that have the shape of data; an empty line ends what may be joined. */
function dropQuoted(lines: readonly string[]): string[] {
  const kept: string[] = []
  const closings = findLastClosings(lines)
  let fenced = false
  let element: string | undefined
  lines.forEach((line, index) => {
    if (element !== undefined) {
      if (line.includes(`</${element}>`)) element = undefined
      kept.push('')
      return
    }
    const opening = ELEMENT.exec(line)?.[1]
    if (FENCE.test(line)) {
      fenced = !fenced
      kept.push('')
    } else if (fenced || line.length > LONGEST_LINE) kept.push('')
    else if (opening !== undefined && (closings.get(opening) ?? -1) >= index) {
      if (!line.includes(`</${opening}>`)) element = opening
      kept.push('')
    } else kept.push(looksLikeData(line) ? '' : line.trimEnd())
  })
  return kept
}

/** The last line on which each element is closed, so that one which never is hides nothing. */
function findLastClosings(lines: readonly string[]): Map<string, number> {
  const last = new Map<string, number>()
  lines.forEach((line, index) => {
    if (!line.includes('</')) return
    for (const [, name] of line.slice(0, LONGEST_LINE).matchAll(/<\/([A-Za-z][\w-]{0,60})>/g))
      if (name) last.set(name, index)
  })
  return last
}

function looksLikeData(line: string): boolean {
  if (/^(?: {4,}|\t)\S/.test(line) && !LIST_MARK.test(line)) return true
  return DATA.test(line)
}

function joinBrokenLines(lines: readonly string[]): string[] {
  const joined: string[] = []
  let open = false
  for (const line of lines) {
    const goesOn = open && /^\s*[\p{Ll}(`"']/u.test(line) && !LIST_MARK.test(line)
    if (goesOn) joined.push(`${joined.pop() ?? ''}\n${line}`)
    else if (line.trim() !== '') joined.push(line)
    open = line.length >= SHORTEST_BROKEN_LINE && !/[.!?:;。！？]["')\]]?$/.test(line)
  }
  return joined
}

/** By sentences; a line end inside does not end one here. */
function splitLine(line: string): string[] {
  if (!line.includes('\n')) return splitSentences(line)
  // A stand-in of the same length keeps positions.
  const flat = line.replaceAll('\n', ' ')
  let position = 0
  return splitSentences(flat).map((sentence) => {
    const start = flat.indexOf(sentence, position)
    position = start + sentence.length
    return line.slice(start, position)
  })
}
