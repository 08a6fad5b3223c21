/**
 * What matters of an answer of the agent: what was asked for, what later words speak of, what was
 * proposed, measured and asked.
 *
 *   user    Give me options A, B and C.     asks for a choice
 *   agent   A: …   B: …   C: …              proposals: they stay together
 *           I would take A.                 the one that opens an answer, or decides
 *   user    B, but only for numbers.        speaks of B: of A and C too, which were turned down
 */
import type { WordsLine } from './answer-blocks.ts'
import { isAnnouncement, isDecision } from './decisions.ts'
import { scanEntities } from './entities.ts'
import { isConclusion } from './is-conclusion.ts'
import {
  findChoices,
  findChosen,
  findLabels,
  labelOf,
  namesFault,
  readLabels,
  recommends,
  splitProposals,
  turnsDown,
} from './proposals.ts'
import type { Readings } from './readings.ts'
import { type Requests, WORD } from './requests.ts'
import { isQuestion } from './sentences.ts'
import type { Want } from './wants.ts'

/** A request, the blocks of the answer to it, and their places in the conversation. */
export interface AnswerText {
  readonly turn: number
  readonly blocks: readonly (readonly WordsLine[])[]
}

/** What makes a block of an answer worth keeping. */
export interface AnswerSignals {
  /** The share of the requested content that it contains, 0 to 1. */
  readonly asked: number
  /** Whether its title has a word of the request. */
  readonly isNamed: boolean
  /** Numbers with units, places and reasons for its length, 0 to 1. */
  readonly findings: number
  /** Whether a later message of the user mentions it or its alternative. */
  readonly isReferred: boolean
  /** Whether it is one of several proposals, or a recommendation. */
  readonly isProposal: boolean
  /** Whether it says what the agent would do. */
  readonly isAdvice: boolean
  /** Whether it says what was turned down, or takes back what was said before. */
  readonly settles: boolean
  /** Whether it says how the numbers of the answer were found. */
  readonly isMethod: boolean
  /** Whether it has a table or a quote that was asked for. */
  readonly isWantedForm: boolean
  /** Whether it is a list that was asked for. */
  readonly isWantedList: boolean
  /** Whether it has as many items as the user asked for: "name the three worst". */
  readonly isCounted: boolean
  /** Whether it is one of several things to choose from, and not of several faults. */
  readonly isOption: boolean
  /** Whether it is the proposal that the user chose. */
  readonly isChosen: boolean
  /** The turns in which the user chose one of the proposals, and then spoke of it. */
  readonly chosenIn: readonly number[]
  /** Whether it contains a choice or a cause. */
  readonly decides: boolean
  /** Whether it asks the user something that may have no answer. */
  readonly isQuestion: boolean
  /** Whether nothing of the answer says something before it. */
  readonly isOpening: boolean
  /** The blocks that name the proposals, if it is one of them or recommends one. */
  readonly proposals: readonly number[]
}

const BESIDE_FORM = 0.5

type Read = Readings['of']

/** What stands over a block, or bold at its start. */
function titleOf([first]: readonly WordsLine[]): string {
  if (!first || first.isQuoted) return ''
  return first.isTitle ? first.text : (/^\*\*([^*]{3,80})\*\*/.exec(first.text)?.[1] ?? '')
}

/** Blocks of an answer in which each option is a block of its own. */
export const separateOptions = ({ turn, blocks }: AnswerText, requests: Requests): WordsLine[][] =>
  splitProposals(blocks, requests.wantsOf(turn), requests.referencesAfter(turn))

export function readAnswer({ turn, blocks }: AnswerText, requests: Requests): AnswerSignals[] {
  const wants = requests.wantsOf(turn)
  const texts = blocks.map((lines) => lines.map(({ text }) => text).join('\n'))
  const read: Read = (find, text) => requests.readings.of(find, text)
  const [next] = requests.referencesAfter(turn)
  const { labels, chosen, chosenIn, proposals, namesOne } = readProposals(
    { turn, blocks },
    requests,
  )
  const isProposal = (index: number) => labels[index] !== undefined
  // "Let me think through the options:" opens nothing.
  const opening = blocks.findIndex((lines) =>
    lines.some(({ text, isQuoted }) => !isQuoted && !read(isAnnouncement, text)),
  )
  const forms = blocks.map((lines) => hasWantedForm(lines, wants))
  const askedOf = blocks.map((lines, index) =>
    forms[index] ? 1 : measureAsked(lines, texts[index]!, wants, isProposal(index), read),
  )
  const mostAsked = askedOf.reduce((most, asked) => Math.max(most, asked), 0)
  // Beside a table or a quote that was asked for, other words are less of what was asked for.
  const hasForm = forms.includes(true)
  const hasMeasures = wants.has('number') && texts.some((text) => read(countMeasures, text) > 0)
  const asking = blocks.filter((lines) => lines.some(asksUser)).length
  return blocks.map((lines, index): AnswerSignals => {
    const text = texts[index]!
    const isMethod = hasMeasures && METHOD.test(text)
    const isWantedForm = forms[index]!
    const isBeside = hasForm && !isWantedForm
    const asked = isMethod
      ? mostAsked
      : isBeside
        ? Math.min(askedOf[index]!, BESIDE_FORM)
        : askedOf[index]!
    const isOpening = index === opening
    const isAdvice = read(recommends, text)
    const decides = lines.some((line) => !line.isQuoted && read(isDecision, line.text))
    const isMeant =
      next?.isGeneral === true &&
      (isProposal(index) || isAdvice || (isOpening && proposals.length === 0))
    const hangs = chosen.size > 0 && (isProposal(index) || isAdvice)
    return {
      asked: wants.size > 0 && isOpening ? 1 : asked,
      isNamed: wants.size > 0 && requests.names(turn, titleOf(lines)),
      findings: measureFindings(lines, text, read),
      isReferred: hangs || namesOne(lines) || isMeant || isCoined(text, turn, requests),
      isProposal: isProposal(index) || isAdvice,
      isAdvice,
      settles: turnsDown(lines[0]!.text) || CORRECTS.test(text),
      isMethod,
      isWantedForm,
      isWantedList: wants.has('list') && countItems(lines) > 1,
      isCounted: wants.size > 0 && requests.countsOf(turn).has(countItems(lines)),
      isOption: isProposal(index) && !namesFault(texts[labels.indexOf(labels[index])]!),
      isChosen: chosen.has(labels[index] ?? ''),
      chosenIn: isProposal(index) ? chosenIn : [],
      decides,
      // "Should I go on?" is answered by the user's next words. If there are several questions,
      // some stay open.
      isQuestion: lines.some(asksUser) && (next === undefined || asking > 1 || lines.length > 2),
      isOpening,
      proposals: isProposal(index) || isAdvice ? proposals : [],
    }
  })
}

/** What an answer proposes, and what the user chose of it. */
function readProposals({ turn, blocks }: AnswerText, requests: Requests) {
  const references = requests.referencesAfter(turn)
  const named = readLabels(references)
  /** By block. Undefined for one that is no proposal. */
  const labels = findLabels(blocks, requests.wantsOf(turn), named)
  const chosen = findChosen(labels, named, references)
  const choices = findChoices(chosen, references)
  return {
    labels,
    chosen,
    chosenIn: requests.turnsAfter(turn).filter((_, index) => choices[index]),
    /** The first block of each. */
    proposals: labels.flatMap((label, index) =>
      label !== undefined && labels.indexOf(label) === index ? [index] : [],
    ),
    namesOne: (lines: readonly WordsLine[]) =>
      lines.some(({ text }) => named.has(labelOf(text) ?? '')),
  }
}

const countItems = (lines: readonly WordsLine[]): number =>
  lines.filter(({ isItem, isNested }) => isItem && !isNested).length

const asksUser = ({ text, isQuoted, isRow }: WordsLine): boolean =>
  !isQuoted && !isRow && isQuestion(text.replace(/[*_`)"'\s]+$/, ''))

// "**Correction:** last time I said …"
const CORRECTS =
  /^[*_\s]{0,4}(?:correction|korrektur|berichtigung|rectification|corrección|correção|correzione|исправление|更正|訂正|정정)(?!\p{L})|\b(?:last time|earlier|before|previously) i (?:said|wrote|told|gave|claimed)|\bi (?:said|wrote|told you|claimed) (?:earlier|before|last time)|\bi was wrong\b|\bmy (?:mistake|earlier (?:number|figure|answer|statement))/iu

const PLACE =
  /[\w-]\.[a-z]{1,5}:\d{1,6}\b|\blines? \d{1,6}\b|\b(?:Zeilen?|lignes?|líneas?|linhas?|righe?) \d{1,6}\b/g
const CODE = /`[^`\n]{2,120}`/
// A count, a measure: no year, no number of a list.
const NUMBERS =
  /(?<![\w.#/-])\d[\d.,\u00a0 ]{0,14}\d(?:\s?(?:%|[a-zA-Zµ]{1,8}\b))?|(?<![\w.#/-])\d\s?(?:%|ms|s|x|×|kB|MB|GB)(?![\w])/g

// `add` (440), line 88: where something is.
const NUMBERED_LINE = /\(\d{1,6}(?:[–-]\d{1,6})?\)|\[\d{1,6}\]/g

const countMeasures = (text: string): number =>
  (text.replace(PLACE, ' ').replace(NUMBERED_LINE, ' ').match(NUMBERS) ?? []).length

function hasWantedForm(lines: readonly WordsLine[], wants: ReadonlySet<Want>): boolean {
  return (
    (wants.has('quote') && lines.some(({ isQuoted }) => isQuoted)) ||
    (wants.has('table') && lines.filter(({ isRow }) => isRow).length > 1)
  )
}

function measureAsked(
  lines: readonly WordsLine[],
  text: string,
  wants: ReadonlySet<Want>,
  isProposal: boolean,
  read: Read,
): number {
  if (wants.size === 0) return 0
  const rows = lines.filter(({ isRow }) => isRow).length
  const quotes = lines.some(({ isQuoted }) => isQuoted)
  const items = countItems(lines)
  const has: Readonly<Record<Want, boolean>> = {
    table: rows > 1,
    number: read(countMeasures, text) > 0,
    proposal: isProposal,
    advice: read(recommends, text),
    list: items > 1 || rows > 1,
    name: quotes || (CODE.test(text) && (rows > 1 || items > 0 || text.length < LONG_NAMING)),
    place: text.search(PLACE) >= 0,
    reason: read(isConclusion, text) || read(isDecision, text),
    quote: quotes || CODE.test(text),
    answer: false,
  }
  const found = [...wants].filter((want) => has[want]).length
  return Math.min(1, found / Math.max(1, Math.min(FULLY_ASKED, wants.size - 1)))
}

// `**Set-up:** five runs, each in a process of its own`, "Measured by taking one piece out"
const METHOD =
  /^[*_\s]{0,4}(?:how|method(?:ology)?|set-?up|conditions|environment|measured (?:by|with|on)|vorgehen|aufbau|méthode|método|metodo|методика|方法|条件|手順|방법)(?!\p{L})/iu

// Of so many wants. That there is an answer is one.
const FULLY_ASKED = 2
const LONG_NAMING = 400

const MOST_FINDINGS = 6

/** For each 200 characters. */
function measureFindings(lines: readonly WordsLine[], text: string, read: Read): number {
  const numbers = Math.min(read(countMeasures, text), 8)
  const places = Math.min((text.match(PLACE) ?? []).length, 4)
  const reasons = lines.filter((line) => !line.isQuoted && read(isConclusion, line.text)).length
  const found = numbers + 2 * places + 2 * reasons
  return Math.min(1, found / Math.max(1, text.length / 200) / MOST_FINDINGS)
}

const LONGEST_LOOK = 2_000
const SHORTEST_NAME = 4

/** Whether it has a name that the user wrote later and never before. */
function isCoined(text: string, turn: number, requests: Requests): boolean {
  return requests.readings.of(listNames, text).some((name) => requests.isTakenUp(name, turn))
}

function listNames(text: string): string[] {
  const names: string[] = []
  scanEntities(text.slice(0, LONGEST_LOOK), (_, name) => {
    names.push(name)
  })
  for (const [marked] of text.slice(0, LONGEST_LOOK).matchAll(MARKED))
    names.push(...(marked.match(WORD) ?? []))
  return names.filter((name) => name.length >= SHORTEST_NAME && NAME_LIKE.test(name))
}

// Files have their names without the agent.
const NAME_LIKE = /^(?!.*(?:\/|\.\p{L}{1,5}$)).*(?:[\d_.-]|\p{Ll}\p{Lu})/u
const MARKED = /`[^`\n]{2,80}`|\*\*[^*\n]{2,80}\*\*/g
