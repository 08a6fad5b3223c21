/** The agent's own words: what closes a turn in whole paragraphs and lists, the rest in small pieces. */
import { isDecision, isDemand } from '../../facts/demands.ts'
import { priorities } from './candidate.ts'
import { createGroup, type Draft } from './draft.ts'
import type { Placed, WordsEvent } from './event.ts'
import { splitBlocks, type WordsLine } from './words-blocks.ts'
import { focusWorth, recencyOf } from './worth.ts'

const SHORTEST_LINE = 12
const LONGEST_DISTANT_WORDS = 400
// A conclusion begins with what counts; after this many lines it says half as much.
const HALF_CLOSING_LINES = 20
// A sentence of this many characters says something on its own.
const FULL_LINE = 80
// About 250 tokens, or this share of the target: what one paragraph or list of a report has.
const LONGEST_BLOCK = 1_000
const LONGEST_BLOCK_SHARE = 0.12
const LONGEST_PIECE = 300
const CHARACTERS_PER_TOKEN = 4
const FEWEST_ITEMS = 3

/** What words are for: they report on the last turn, close an earlier one, or stand between steps. */
type WordsRole = 'lastReport' | 'closing' | 'passing'

export function collectWords(draft: Draft, event: Placed<WordsEvent>, role: WordsRole): void {
  const { vocabulary, candidates, visible } = draft
  const closes = role !== 'passing'
  const isDistant = event.at < draft.nearStart
  if (isDistant && !closes && !event.isCarried) return
  const group = createGroup('course', event.at)
  const report = Math.min(LONGEST_BLOCK, draft.targetTokens * CHARACTERS_PER_TOKEN * LONGEST_BLOCK_SHARE)
  const isWhole = closes || (event.isCarried && event.text.length <= LONGEST_BLOCK)
  // What the person wants kept above all is looked for line by line.
  const longest = draft.focus.length > 0 ? 0 : isWhole ? Math.max(LONGEST_PIECE, report) : LONGEST_PIECE
  const text = isDistant ? event.text.slice(0, LONGEST_DISTANT_WORDS) : event.text
  const isNew = (line: WordsLine) => line.text.length >= SHORTEST_LINE && !visible.tells(line.text)
  const blocks = splitBlocks(text, longest, isNew)
  const reported = role === 'lastReport' ? chooseReport(blocks, Math.max(LONGEST_PIECE, report)) : undefined
  let row = 0
  blocks.forEach((lines, order) => {
    const said = lines.map((line) => line.text).join('\n')
    const entities = vocabulary.read(said)
    vocabulary.note(entities, event.at, 'agent')
    let value = focusWorth(draft, said)
    for (const line of lines) value += worthOfLine(draft, event, closes, line, row++)
    candidates.push({
      kind: 'words',
      group,
      order,
      text: renderBlock(lines),
      entities,
      value,
      lines: lines.length,
      ...(reported?.has(lines) && { priority: priorities.lastReport + order / 1_000 }),
    })
  })
}

/** What stands in any case: the last list, which most often says what is left to do, and from the start what fits beside it. */
function chooseReport(blocks: readonly WordsLine[][], longest: number): Set<WordsLine[]> {
  const list = blocks.findLast((lines) => lines.filter(({ isItem }) => isItem).length >= FEWEST_ITEMS)
  const chosen = new Set<WordsLine[]>()
  let length = 0
  for (const block of list ? [list, ...blocks] : blocks) {
    if (chosen.has(block) || block.every(({ isQuoted }) => isQuoted)) continue
    length += block.reduce((sum, line) => sum + line.text.length, 0)
    if (length > longest && chosen.size > 0) break
    chosen.add(block)
  }
  return chosen
}

function worthOfLine(draft: Draft, event: WordsEvent & { at: number }, closes: boolean, line: WordsLine, row: number) {
  if (line.isQuoted) return 0
  const { weights } = draft
  const place = row === 0 && closes ? weights.openingWords : 1 / (1 + row / HALF_CLOSING_LINES)
  const other = isAnnouncement(line.text) ? 0 : weights.otherWords
  const standing = event.isCarried || closes ? weights.closingWords * place : other
  const decides = isDecision(line.text) || (event.isCarried && isDemand(line.text))
  const saying = line.isTitle ? 0.1 : Math.min(1, line.text.length / FULL_LINE)
  return saying * (standing * (0.4 + recencyOf(draft, event.at)) + (decides ? weights.decidingWords : 0))
}

//   - Two things changed:
//     - `readAll` runs once.
//   	code
function renderBlock(lines: readonly WordsLine[]): string {
  return lines
    .map(({ text, isQuoted, isItem }, index) =>
      isQuoted ? `\t${text}` : index === 0 ? `- ${text}` : `  ${isItem ? '- ' : ''}${text}`,
    )
    .join('\n')
}

/** "Let me look at …" tells what was about to be done; that it was done stands elsewhere. */
function isAnnouncement(line: string): boolean {
  return /^(?:(?:now|ok(?:ay)?|good|great|first|next),? )?(?:let me|let's|i'll|i will|i'm going to|i need to|now i|lass mich|ich werde)\b/i.test(
    line,
  )
}
