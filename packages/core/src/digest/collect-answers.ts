/** The agent's answer in each turn: whole if it fits, otherwise the blocks that matter. */
import { splitBlocks, splitPieces, type WordsLine } from '../facts/answer-blocks.ts'
import { type AnswerSignals, readAnswer, separateOptions } from '../facts/answers.ts'
import { recommends } from '../facts/proposals.ts'
import { isUnspaced } from '../facts/sentences.ts'
import {
  type AnswerList,
  type Candidate,
  type Draft,
  focusWorth,
  type Group,
  orderOf,
  type Placed,
  priorities,
  type TurnAnswer,
  type WordsEvent,
} from './draft.ts'
import { isEmptyLine, withoutEmptySentences } from './empty-sentences.ts'
import { ASKS } from './find-answers.ts'
import type { Revisions } from './revisions.ts'
import type { Sayings } from './vocabulary.ts'

interface AnswerBlock {
  readonly event: Placed<WordsEvent>
  readonly lines: readonly WordsLine[]
}

const SHORTEST_LINE = 12
// A sign of a script without spaces says as much as several letters.
const SHORTEST_UNSPACED = 5
// What one paragraph, list or table of an answer has, in characters, and as a share of the target.
const SHORTEST_BLOCK = 800
const LONGEST_BLOCK = 2_000
const BLOCK_SHARE = 0.12
const CHARACTERS_PER_TOKEN = 4

/** `newer`, `revisions`: what later answers say. */
export function collectAnswer(
  draft: Draft,
  { turn, events }: TurnAnswer,
  newer: Sayings,
  revisions: Revisions,
  group: Group,
): void {
  const blocks = events.flatMap((event) =>
    separateOptions({ turn, blocks: splitAnswer(draft, event, newer) }, draft.requests).map(
      (lines): AnswerBlock => ({ event, lines }),
    ),
  )
  const signals = readAnswer({ turn, blocks: blocks.map(({ lines }) => lines) }, draft.requests)
  const worths = blocks.map((block, index) => worthOf(draft, block, signals[index]!))
  let row = 0
  const made = blocks.map((block, index) => {
    const signal = signals[index]!
    const { proposals, isWantedForm, isWantedList } = signal
    const kind = tellsOfFiles(draft, block, signal) ? 'words' : 'answer'
    const priority = isOpenList(draft, block) ? priorities.state : undefined
    // An option of a list is below the first one, which stands if it does.
    const isListed =
      block.lines[0]!.isItem && (proposals.indexOf(index) > 0 || goesOn(blocks, index))
    return splitPieces(block.lines).map((lines, piece): Candidate => {
      const text = renderBlock(lines, isListed || piece > 0)
      const entities = draft.vocabulary.read(text)
      draft.vocabulary.note(entities, block.event.at, 'agent')
      const tokens = draft.weights.lineCost + text.length / CHARACTERS_PER_TOKEN
      const isName = piece === 0 && proposals.includes(index)
      const { isOption, isAdvice, settles, isMethod, isCounted } = signal
      const isForm = isWantedForm && (lines[0]!.isRow || lines[0]!.isQuoted)
      // Beside advice may be a whole plan.
      const isSteady =
        isOption || (isAdvice && recommends(text)) || settles || isMethod || isCounted || isForm
      const isWantedItem = isWantedList && lines[0]!.isItem
      const isDetail = piece > 0 && !isSteady && !isWantedItem
      const isInFiles = !isName && signal.isChosen && isSettled(draft, signal)
      const worth = worths[index]! * (isInFiles ? TAKEN_SHARE : isDetail ? DETAIL_SHARE : 1)
      return {
        kind,
        group,
        order: orderOf({ at: block.event.at, row: row++ }),
        text,
        entities,
        value: worth * tokens + focusWorth(draft, text),
        isSought: isSought(signal),
        isSteady,
        priority,
      }
    })
  })
  linkPieces(blocks, signals, made)
  const texts = blocks.map(({ lines }) => lines.map(({ text }) => text).join('\n'))
  for (const [index, [head]] of made.entries()) {
    const revision = head!.together ? undefined : revisions.find(texts[index]!)
    if (revision) head!.needs = revision
  }
  // Blocks of one answer do not revise each other.
  for (const [index, [head]] of made.entries()) revisions.note(texts[index]!, head!)
  for (const pieces of made) for (const one of pieces) draft.candidates.push(one)
}

/** Sets which pieces of an answer say nothing without others. `made`: those of each block. */
function linkPieces(
  blocks: readonly AnswerBlock[],
  signals: readonly AnswerSignals[],
  made: readonly Candidate[][],
): void {
  const opening = made.find((_, index) => signals[index]!.isOpening)?.[0]
  for (const [index, [head, ...details]] of made.entries()) {
    const { proposals } = signals[index]!
    const unit = proposals.map((one) => made[one]![0]!)
    if (proposals.includes(index)) head!.together = unit
    else if (head !== opening) head!.needs = unit[0] ?? opening
    let above = head
    for (const detail of details) {
      const isItem = detail.text.startsWith('  - ')
      detail.needs = isItem ? head : above
      if (!detail.text.startsWith('    - ')) above = detail
    }
  }
  for (const list of findLists(blocks, made)) {
    for (const [index, head] of list.heads.entries()) {
      head.list = list
      // The first item may wait for the one that opens the answer.
      if (index > 0 && !head.together && list.heads[0]!.needs !== head) head.needs = list.heads[0]
    }
  }
}

/** Whether a block is more of the list before it. */
const goesOn = (blocks: readonly AnswerBlock[], index: number): boolean =>
  index > 0 && blocks[index]!.lines[0]!.isItem && blocks[index]!.lines[0]!.continues

/** A list may be several blocks. */
function findLists(blocks: readonly AnswerBlock[], made: readonly Candidate[][]) {
  const lists: (AnswerList & { heads: Candidate[]; pieces: Candidate[] })[] = []
  for (const [index, pieces] of made.entries()) {
    const { event } = blocks[index]!
    if (!goesOn(blocks, index)) lists.push({ heads: [], pieces: [], omitted: 0 })
    const list = lists.at(-1)!
    list.heads.push(pieces[0]!)
    for (const one of pieces) list.pieces.push(one)
    if (blocks[index + 1]?.event !== event) list.omitted += readOmitted(event.text)
  }
  return lists
}

const OMITTED = /^… (\d{1,4}) more$/gm

/** A line of a digest that says how many items of a list are left out. */
export const describeOmitted = (count: number): string => `  … ${count} more`

const readOmitted = (text: string): number =>
  [...text.matchAll(OMITTED)].reduce((sum, [, count]) => sum + Number(count), 0)

const isOpenList = ({ unanswered }: Draft, { event, lines }: AnswerBlock): boolean =>
  event.turn === unanswered && lines.some(({ text, isItem }) => isItem && ASKS.test(text))

function splitAnswer(draft: Draft, { text }: WordsEvent, newer: Sayings): WordsLine[][] {
  const share = draft.targetTokens * CHARACTERS_PER_TOKEN * BLOCK_SHARE
  // What the user wants kept above all is looked for line by line.
  const longest =
    draft.focus.length > 0 ? 0 : Math.max(SHORTEST_BLOCK, Math.min(LONGEST_BLOCK, share))
  const isNew = ({ text: line, isRow, isItem }: WordsLine) =>
    (isRow || isItem || line.length >= (isUnspaced(line) ? SHORTEST_UNSPACED : SHORTEST_LINE)) &&
    !isEmptyLine(line) &&
    !draft.reported.has(line) &&
    !draft.visible.tells(line) &&
    !newer.has(line)
  return splitBlocks(draft.readings.of(withoutEmptySentences, text), longest, isNew)
}

// The product of a turn that changed files is in the files.
const DONE_SHARE = 1 / 3
// What follows the first line of a block, which says what it is about.
const DETAIL_SHARE = 0.7
const QUESTION_WORTH = 0.8
const PROPOSAL_WORTH = 0.6
const CHOSEN_WORTH = 1
// The user may say "yes, do that".
const PENDING_WORTH = 2
const SETTLED_WORTH = 1
// What was proposed and then done is in the files, and told by later answers.
const TAKEN_SHARE = 0.3
const NAMED_WORTH = 0.8
// The user said how it should be told.
const FORM_WORTH = 2
const DECISION_WORTH = 0.8
const CODE_SHARE = 0.4
// After this many further requests an answer is worth half, but never less than this share of what
// was asked for or referred to.
const HALF_REQUESTS = 6
const LASTING_SHARE = 0.7
// What the user replies to next.
const NEWEST_SHARE = 1.5

/** Whether a block only says what was done to files, and nothing that the user asked for. */
function tellsOfFiles(
  draft: Draft,
  { event }: AnswerBlock,
  { asked, isNamed, isReferred, isProposal, isQuestion, decides, settles }: AnswerSignals,
): boolean {
  const isNewest = event.turn === draft.answers[0]?.turn
  if (!draft.changingTurns.has(event.turn) || event.isCarried || isNewest) return false
  return (
    asked === 0 && !isNamed && !isQuestion && !isReferred && !isProposal && !decides && !settles
  )
}

/** Whether files were changed when the user had chosen one of the proposals. */
const isSettled = ({ changingTurns }: Draft, { chosenIn }: AnswerSignals): boolean =>
  chosenIn.some((turn) => changingTurns.has(turn))

/** For each token. */
function worthOf(draft: Draft, block: AnswerBlock, signals: AnswerSignals): number {
  const { weights } = draft
  const { event, lines } = block
  const { asked, findings, isNamed, isReferred, isProposal, isChosen } = signals
  const { isQuestion, decides, isOpening, isAdvice, settles, isWantedForm } = signals
  const isPending =
    isAdvice &&
    ![event.turn, ...draft.requests.agreedAfter(event.turn)].some((turn) =>
      draft.changingTurns.has(turn),
    )
  const isDamped = tellsOfFiles(draft, block, signals)
  // If no file was changed, the answer is all that came of the request.
  const isProduct = isOpening && !draft.changingTurns.has(event.turn)
  const worth =
    1 +
    weights.askedFor * (isProduct ? 1 : asked) +
    weights.findings * findings +
    (isReferred ? weights.referred : 0) +
    (isNamed ? NAMED_WORTH : 0) +
    (isWantedForm ? FORM_WORTH : 0) +
    (isQuestion ? QUESTION_WORTH : 0) +
    (isProposal ? PROPOSAL_WORTH : 0) +
    (isPending ? PENDING_WORTH : 0) +
    (settles ? SETTLED_WORTH : 0) +
    (isChosen || isSettled(draft, signals) ? CHOSEN_WORTH : 0) +
    (decides ? DECISION_WORTH : 0)
  const isCode = isOnlyCode(lines) && asked === 0
  return (
    weights.answer *
    worth *
    (isOpening && !isProposal ? weights.openingWords : 1) *
    (isDamped ? DONE_SHARE : 1) *
    (isCode ? CODE_SHARE : 1) *
    fade(draft, event.turn, isWanted(signals))
  )
}

/** Whether a block is code, perhaps with a title. */
export const isOnlyCode = (lines: readonly WordsLine[]): boolean =>
  lines.every(({ isQuoted, isTitle }) => isQuoted || isTitle)

const isSought = ({ asked, isReferred, isProposal }: AnswerSignals): boolean =>
  asked >= 1 || (isReferred && isProposal)

const isWanted = ({ asked, isReferred }: AnswerSignals): boolean => asked > 0 || isReferred

function fade({ requests }: Draft, turn: number, lasts: boolean): number {
  const later = requests.countAfter(turn)
  if (later === 0) return NEWEST_SHARE
  const share = 1 / (1 + later / HALF_REQUESTS)
  return lasts ? Math.max(LASTING_SHARE, share) : share
}

//   - Two things changed:
//     - `readAll` runs once.
//       - Before it ran twice.
//     | Run | Time |
//   	code
/** `isContinued`: what is below another line. */
export function renderBlock(lines: readonly WordsLine[], isContinued = false): string {
  const renderLine = ({ text, isQuoted, isItem, isNested }: WordsLine, index: number) => {
    if (isQuoted) return `\t${text}`
    if (index === 0 && !isContinued) return `- ${text}`
    return `${isNested ? '    ' : '  '}${isItem ? '- ' : ''}${text}`
  }
  return lines.map(renderLine).join('\n')
}
