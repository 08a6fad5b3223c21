/** The agent's own words: what it found and concluded in each turn, and why. */

import type { Steps } from '../conversation/steps.ts'
import { isAnnouncement } from '../facts/decisions.ts'
import { isBinding, isConclusion, splitSentences } from '../facts/sentences.ts'
import { clip, flatten } from './clean.ts'
import {
  type Candidate,
  createGroup,
  type Draft,
  type Event,
  focusWorth,
  fullness,
  type Group,
  orderOf,
  type Placed,
  priorities,
  recencyOf,
  type WordsEvent,
} from './draft.ts'

const SHORTEST_REPORT = 80
// More than this is a paste: its names count like those of a file that was read.
const LONGEST_REQUEST = 20_000

export function* collectConversation(draft: Draft): Steps<void> {
  const { events, vocabulary } = draft
  const lastReport = findLastReport(draft)
  const turns = new Map<number, Group>()
  const candidatesOfRecord: Candidate[] = []
  for (const [index, event] of events.entries()) {
    yield
    if (event.type === 'request') {
      vocabulary.note(vocabulary.read(event.text.slice(0, LONGEST_REQUEST)), event.at, 'user')
    } else if (
      event.type === 'words' &&
      !draft.purposeWords.has(index) &&
      !draft.stateWords.has(index)
    ) {
      const role = closesTurn(draft, index) ? 'closing' : 'passing'
      const group =
        turns.get(event.turn) ??
        createGroup('conversation', event.turn, event.turn > 0 ? `[${event.turn}]` : undefined)
      turns.set(event.turn, group)
      const collected = collectWords(
        draft,
        event,
        group,
        index === lastReport ? 'lastReport' : role,
      )
      if (event.isRecord && !isOnFiles(event)) candidatesOfRecord.push(...collected)
    }
  }
  reserveRecord(draft, candidatesOfRecord)
}

// Of the words' share, what is kept for what a model's summary says of the time before.
const RECORD_SHARE = 0.25

/**
 * Gives room of their own to the lines of a summary that say most for their length: newer words
 * would take all of it.
 */
function reserveRecord({ weights, targetTokens }: Draft, candidates: readonly Candidate[]): void {
  const costOf = ({ text, lines = 1 }: Candidate) =>
    weights.lineCost * lines + text.length / CHARACTERS_PER_TOKEN
  const settledBy = ({ text }: Candidate) => new Set(text.toLowerCase().match(SETTLED)).size
  const worth = new Map(
    candidates.map((one) => [one, (one.value * (1 + settledBy(one))) / costOf(one)]),
  )
  let left = targetTokens * weights.wordsShare * RECORD_SHARE
  const best = candidates
    .filter(({ value }) => value > 0)
    .sort((a, b) => worth.get(b)! - worth.get(a)!)
  for (const [rank, candidate] of best.entries()) {
    const tokens = candidate.text.length / CHARACTERS_PER_TOKEN
    if (tokens > left) continue
    left -= tokens
    candidate.priority = priorities.record + rank / (best.length + 1)
  }
}

// What was settled, in the words of summaries: a passage with several of them tells how it came
// about.
const SETTLED =
  /\b(?:user|agreed|approved|rejected|chose|chosen|decided|corrected|retracted|root cause|instead)\b/g

/**
 * Whether nothing was called after it; a request that followed may be missing, since it stays
 * verbatim.
 */
function closesTurn({ events }: Draft, index: number): boolean {
  const event = events[index]
  const next = events[index + 1]
  if (event?.type !== 'words' || next?.type === 'call') return false
  return next?.type !== 'words' || (!event.isCarried && !next.isCarried)
}

/** The newest words that close a turn and are more than a nod. */
function findLastReport(draft: Draft): number {
  const isReport = (event: Event) =>
    event.type === 'words' && !event.isCarried && event.text.length >= SHORTEST_REPORT
  return draft.events.findLastIndex((event, index) => isReport(event) && closesTurn(draft, index))
}

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

/** Words report on the last turn, close an earlier one, or come between steps. */
type WordsRole = 'lastReport' | 'closing' | 'passing'

function collectWords(
  draft: Draft,
  event: Placed<WordsEvent>,
  group: Group,
  role: WordsRole,
): Candidate[] {
  const { vocabulary, visible } = draft
  const candidates: Candidate[] = []
  const closes = role !== 'passing'
  const isDistant = event.at < draft.nearStart
  if (isDistant && !closes && !event.isCarried) return candidates
  const report = Math.min(
    LONGEST_BLOCK,
    draft.targetTokens * CHARACTERS_PER_TOKEN * LONGEST_BLOCK_SHARE,
  )
  const isWhole = closes || (event.isCarried && event.text.length <= LONGEST_BLOCK)
  const whole = Math.max(LONGEST_PIECE, report)
  const usual = isWhole ? whole : LONGEST_PIECE
  // What the user wants kept above all is looked for line by line.
  const longest = draft.focus.length > 0 ? 0 : usual
  const text =
    isDistant && !event.isRecord ? event.text.slice(0, LONGEST_DISTANT_WORDS) : event.text
  const isNew = (line: WordsLine) =>
    line.text.length >= SHORTEST_LINE &&
    !isAnnouncement(line.text) &&
    !draft.reported.has(line.text) &&
    !visible.tells(line.text)
  const blocks = splitBlocks(text, longest, isNew, event.isRecord)
  const reported = role === 'lastReport' ? chooseReport(blocks, whole) : undefined
  let row = 0
  blocks.forEach((lines, order) => {
    if (
      event.isRecord &&
      isOnFiles(event) &&
      lines.every(({ isQuoted, isTitle }) => isQuoted || isTitle)
    )
      return
    const said = lines.map((line) => line.text).join('\n')
    const entities = vocabulary.read(said)
    vocabulary.note(entities, event.at, 'agent')
    let value = focusWorth(draft, said)
    for (const line of lines) value += worthOfLine(draft, event, closes, line, row++)
    candidates.push({
      kind: 'words',
      group,
      order: orderOf({ at: event.at, row: order }),
      text: renderBlock(lines),
      entities,
      value,
      lines: lines.length,
      priority: reported?.has(lines) ? priorities.lastReport + order / 1_000 : undefined,
    })
  })
  draft.candidates.push(...candidates)
  return candidates
}

/** Whether a section of a summary tells what is in files, which can be read again. */
const isOnFiles = ({ text }: WordsEvent): boolean =>
  /\b(?:files?|code)\b/i.test(text.slice(0, text.indexOf('\n') + 1))

/**
 * Chooses the blocks that are kept in any case: the last list, most often of what is left to do,
 * and the first that fit beside it.
 */
function chooseReport(blocks: readonly WordsLine[][], longest: number): Set<WordsLine[]> {
  const list = blocks.findLast(
    (lines) => lines.filter(({ isItem }) => isItem).length >= FEWEST_ITEMS,
  )
  const chosen = new Set<WordsLine[]>()
  let length = 0
  for (const block of list ? [list, ...blocks] : blocks) {
    if (chosen.has(block) || block.every(({ isQuoted, isTitle }) => isQuoted || isTitle)) continue
    length += block.reduce((sum, line) => sum + line.text.length, 0)
    if (length > longest && chosen.size > 0) break
    chosen.add(block)
  }
  return chosen
}

function worthOfLine(
  draft: Draft,
  event: WordsEvent & { at: number },
  closes: boolean,
  line: WordsLine,
  row: number,
) {
  const { weights } = draft
  // A format that was agreed on stands in no file.
  if (line.isQuoted)
    return event.isRecord && !isOnFiles(event) ? weights.otherWords * fullness(line.text) * 0.4 : 0
  const place = row === 0 && closes ? weights.openingWords : 1 / (1 + row / HALF_CLOSING_LINES)
  const base = event.isCarried || closes ? weights.closingWords * place : weights.otherWords
  const decides = isConclusion(line.text) || (event.isCarried && isBinding(line.text))
  const saying = line.isTitle ? 0.1 : Math.min(1, line.text.length / FULL_LINE)
  return (
    saying * (base * (0.4 + recencyOf(draft, event.at)) + (decides ? weights.decidingWords : 0))
  )
}

//   - Two things changed:
//     - `readAll` runs once.
//   	code
function renderBlock(lines: readonly WordsLine[]): string {
  const renderLine = ({ text, isQuoted, isItem }: WordsLine, index: number) => {
    if (isQuoted) return `\t${text}`
    return index === 0 ? `- ${text}` : `  ${isItem ? '- ' : ''}${text}`
  }
  return lines.map(renderLine).join('\n')
}

interface WordsLine {
  readonly text: string
  /** Whether it was inside a code fence. */
  readonly isQuoted: boolean
  readonly isItem: boolean
  /** Whether it says nothing without what follows. */
  readonly isTitle: boolean
  /** Whether it belongs to the paragraph or the list of the line before. */
  readonly continues: boolean
}

const LONGEST_LINE = 300
const LONGEST_WORDS_SENTENCE = 500
const MARK = /^\s*(?:[-*•]|#{1,6}|>)\s+/
const ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/

/**
 * Blocks of at most about `longest` characters, of the lines that `isNew` lets through; a title
 * without a line below it is left out, and one above code where the two are not joined.
 */
export function splitBlocks(
  text: string,
  longest: number,
  isNew: (line: WordsLine) => boolean,
  joinsCode = false,
): WordsLine[][] {
  const blocks: WordsLine[][] = []
  let block: WordsLine[] = []
  let length = 0
  const close = () => {
    if (block.some((line) => !line.isTitle)) blocks.push(block)
    block = []
    length = 0
  }
  for (const line of splitLines(text).filter((one) => one.isTitle || isNew(one))) {
    const last = block.at(-1)
    const hangs = last?.isTitle === true
    const isApart = (!line.continues && !hangs) || last?.isQuoted !== line.isQuoted
    if (last && (isApart || length + line.text.length > longest)) {
      // A title stays with the lines below it.
      const title = hangs && (!line.isQuoted || joinsCode) ? block.pop() : undefined
      close()
      if (title) block.push(title)
    }
    block.push(line)
    length += line.text.length
  }
  close()
  return blocks
}

/** "Scenarios:" and the head of a table say nothing without what follows. */
function isTitle(raw: string): boolean {
  const line = raw.replace(/^\d{1,2}[.)] /, '')
  return (
    /[:：][*_`\s]*$/.test(line) ||
    /^\*\*[^*]*\*\*$/.test(line) ||
    (line.length < 50 && !/\s[\p{Ll}\d]/u.test(line))
  )
}

function splitLines(text: string): WordsLine[] {
  const lines: WordsLine[] = []
  let isQuoted = false
  let isAfterGap = true
  for (const raw of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(raw)) {
      isQuoted = !isQuoted
      isAfterGap = true
      continue
    }
    const line = flatten(isQuoted ? raw : raw.replace(MARK, ''))
    if (line === '' || /^[|\s:`=*-]+$/.test(line)) {
      isAfterGap ||= line === ''
      continue
    }
    const isItem = !isQuoted && ITEM.test(raw)
    const isHeading = !isQuoted && /^\s*#/.test(raw)
    const continues = !isHeading && (!isAfterGap || (isItem && lines.at(-1)?.isItem === true))
    const pieces = line.length <= LONGEST_LINE ? [line] : splitSentences(line)
    for (const [index, piece] of pieces.entries()) {
      const isTitleLine = !isQuoted && (isHeading || isTitle(piece))
      const place = {
        isQuoted,
        isItem: isItem && index === 0,
        isTitle: isTitleLine,
        continues: continues || index > 0,
      }
      lines.push({ text: clip(piece, LONGEST_WORDS_SENTENCE), ...place })
    }
    isAfterGap = false
  }
  return lines
}
