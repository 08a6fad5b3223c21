/**
 * What an agent's own compaction lost, and the message that says it again: the words of the user
 * first, and the most important facts.
 */

import {
  aConversation,
  aListOfMessages,
  checkArguments,
  objectOf,
} from '../conversation/check-options.ts'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import {
  createSummaryMessage,
  type RecallPath,
  renderRecallPath,
  withoutRecallText,
} from '../conversation/summary-message.ts'
import { readOwnSentences } from './clip-words.ts'
import { flatten } from './flatten.ts'
import { collectPins, createLedger, renderLedger } from './ledger.ts'
import type { LedgerRecord } from './ledger-record.ts'
import { isFact } from './part-facts.ts'
import { createReceipt } from './receipt.ts'
import { isBinding, isUnspaced, UNSPACED } from './sentences.ts'
import { OPERATOR, PROVIDER, REFUSING } from './user-words.ts'
import { clipSentence, type GoneFact } from './weigh.ts'

export interface CompactionLosses extends LostWords {
  /** As `words`, of facts that no later event took the meaning of. */
  readonly facts: Count
  /** Missing facts, except those in the user's words. At most 40, most important first. */
  readonly weightiest: readonly GoneFact[]
}

export interface LostWords {
  /** Messages of the user that were there, and how many of them the agent continues without. */
  readonly words: Count
  /** The missing words, verbatim except keys and passwords, with missing pins and open tasks. */
  readonly ledger: LedgerRecord
}

interface Count {
  readonly total: number
  readonly gone: number
}

export interface CompactedConversation {
  /** As the agent sent it before. */
  readonly before: Conversation
  /** The same with what earlier compactions took, if it is known. */
  readonly history?: readonly Message[]
  /** What the agent continues with: its summary, and messages that it keeps. */
  readonly after: readonly Message[]
}

const COMPACTED = objectOf(
  { before: aConversation, history: aListOfMessages, after: aListOfMessages },
  ['before', 'after'],
)

/**
 * Facts are taken from what was sent, words from the whole history. The user's words are not
 * missing if a summary quotes them. Without anything after, everything is missing, because some
 * agents report too late what they continue with.
 */
export function findCompactionLosses(compacted: CompactedConversation): CompactionLosses {
  const lost = findLostWords(compacted)
  const { before, after } = compacted
  // The way to look up an earlier compaction is not a fact of this work.
  const { kinds, gone } = createReceipt({
    removed: before.messages.map(withoutRecallText),
    output: after,
    workingDirectory: before.workingDirectory,
    mostNamed: MOST_NAMED,
  })
  const counts = Object.values(kinds)
  const sum = (read: (one: (typeof counts)[number]) => number) =>
    counts.reduce((total, one) => total + read(one), 0)
  return {
    ...lost,
    facts: { total: sum(({ total, stale }) => total - stale), gone: sum(({ missing }) => missing) },
    weightiest: gone.filter(({ writer }) => writer !== 'user'),
  }
}

/** The words alone, which takes a fraction of the time of all losses. */
export function findLostWords(compacted: CompactedConversation): LostWords {
  checkArguments('Finding losses', { compacted }, { compacted: COMPACTED })
  const { before, history = [], after } = compacted
  const { messages, workingDirectory } = before
  const ledgers = [messages, history].map((told) =>
    createLedger({ messages: told, workingDirectory }),
  )
  // Only the summary that a session begins with contains what was before it.
  const [known] = ledgers.sort((a, b) => b.words.length - a.words.length)
  const { words, omitted, pins, tasks } = known!
  const says = createTextSearch(after)
  const carried = new Set(collectPins(after))
  const missing = words.filter(({ text }) => !says(text))
  return {
    words: { total: words.length + omitted.count, gone: missing.length + omitted.count },
    ledger: {
      words: missing,
      omitted,
      pins: pins.filter((pin) => !carried.has(pin) && !says(pin)),
      tasks: tasks.filter(
        ({ text, status }) => (status === 'open' || status === 'active') && !says(text),
      ),
    },
  }
}

/** What a reader can recognize one or more missing words by. */
export interface LostSentence {
  /** One line, cut at the end of a word if it is long. */
  readonly text: string
  /** As in the ledger. */
  readonly message: number | undefined
  /** Whether it has a word that binds. Otherwise it is the beginning of a message. */
  readonly isBinding: boolean
}

/**
 * Sentences of missing words, in three groups, each with the latest first. What people type is
 * mostly one line, and several lines are mostly pasted. So these come last.
 *
 *   sentences that bind, of one line │ beginnings of one line │ first sentences of several lines
 */
export function findLostSentences({ words }: LedgerRecord): readonly (readonly LostSentence[])[] {
  const groups: LostSentence[][] = [[], [], []]
  for (const { text, message, about } of words.toReversed()) {
    if (about === OPERATOR || about === PROVIDER) continue
    const own = readOwnSentences(text).filter(isFact)
    const [first] = own
    if (first === undefined) continue
    // An answer to a question is mostly one that the agent offered.
    const isTyped = !text.includes('\n') && (about?.startsWith(REFUSING) ?? true)
    const binding = isTyped ? own.filter(isBinding) : []
    const add = (group: number, sentence: string) =>
      groups[group]!.push({ text: clipSentence(sentence), message, isBinding: group === 0 })
    for (const sentence of binding) add(0, sentence)
    if (isTyped && binding.length === 0) add(1, text)
    else if (!isTyped && text.startsWith(first)) add(2, first)
  }
  return groups
}

// More than fits next to the words of most sessions.
const MOST_NAMED = 40

/**
 * Looks up texts in messages: as whole words, with any white space in them. A word or two count
 * only if they stand alone, because "no" is not said by "no errors" or by "now".
 */
export function createTextSearch(messages: readonly Message[]): (text: string) => boolean {
  const all = messages.map(readText).join('\n')
  const said = flatten(all)
  let marked: string | undefined
  let sayings: ReadonlySet<string> | undefined
  return (text) => {
    const flat = flatten(text)
    const at = said.indexOf(flat)
    if (at < 0) return false
    const isShort = flat.length <= (isUnspaced(flat) ? SHORT_UNSPACED : SHORT)
    const [saying, ...others] = isShort ? listSayings(flat) : []
    if (saying !== undefined && others.length === 0) {
      sayings ??= new Set(listSayings(all))
      return sayings.has(saying)
    }
    const words = markWords(flat)
    // Most are whole words where they are found first.
    const around = said.slice(Math.max(0, at - BESIDE), at + flat.length + BESIDE)
    if (markWords(around).includes(words)) return true
    marked ??= markWords(said)
    return marked.includes(words)
  }
}

const BESIDE = 2
const SHORT = 12
const SHORT_UNSPACED = 2

/** With a sign at the beginning and the end of each word, so that only whole words are found. */
const markWords = (text: string): string => text.replace(WORD_BORDER, '\0')

const IN_WORD = `(?!${UNSPACED.source})[\\p{L}\\p{M}\\p{N}_]`
const WORD_BORDER = new RegExp(`(?<=${IN_WORD})(?!${IN_WORD})|(?<!${IN_WORD})(?=${IN_WORD})`, 'gu')

/** Short texts between punctuation or the ends of lines, without the numbers of lists and turns. */
const listSayings = (text: string): string[] =>
  text
    .replace(NUMBERING, '\n')
    .split(PUNCTUATION)
    .flatMap((saying) => (saying.length <= 2 * SHORT ? saying.replace(EDGES, '') : []))
    .filter((saying) => saying !== '')

// `2. `, `b) `, and the turns `[2]` and `[2, answer to: …]`
const NUMBERING = /^[ \t>]{0,8}(?:\d{1,3}|[A-Za-z])[.)][ \t]|\[\d{1,6}(?=[\],])/gm
const PUNCTUATION =
  /[^\p{L}\p{M}\p{N}\t _'’/.@#+~-]+|(?<![\p{L}\p{N}])['’.-]|['’.-](?![\p{L}\p{N}])/u
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

export interface RestoreOptions {
  /** The most that the agent takes, in UTF-16 units. */
  readonly limitCharacters: number
  readonly recall?: RecallPath | undefined
  /** The agent's own summary, which is kept before what is said again. Not counted. */
  readonly summary?: string
}

// A bound is wanted, not a count: texts that are measured in pieces are then no longer than the
// sum.
const CHARACTERS_PER_TOKEN = 4
const FACTS_HEADING = '## Named before, weightiest first'

/**
 * The message to add to the agent's summary: a summary of precis without a summarizer, so that the
 * next compression reads its ledger. Undefined if there is nothing to say, or if it does not fit.
 */
export function restoreLosses(
  { ledger, weightiest }: CompactionLosses,
  { limitCharacters, recall, summary = '' }: RestoreOptions,
): Message | undefined {
  const path = recall ? renderRecallPath(recall) : ''
  const room = limitCharacters - readText(createSummaryMessage('', '', path)).length
  const said = renderLedger(ledger, {
    limitTokens: Math.floor(room / CHARACTERS_PER_TOKEN),
    countTokens: (text) => Math.ceil(escapedLength(text) / CHARACTERS_PER_TOKEN),
  })
  const lines = weightiest.map(({ kind, text }) => `- ${kind}: ${text.replaceAll(/\s+/g, ' ')}`)
  for (let count = lines.length; count >= 0; count--) {
    const facts = count > 0 ? [FACTS_HEADING, ...lines.slice(0, count)].join('\n') : ''
    if (path === '' && said === '' && facts === '') return undefined
    const text = readText(createSummaryMessage(facts, said, path))
    if (text.length <= limitCharacters)
      return createSummaryMessage([summary, facts].join('\n\n'), said, path)
  }
  return undefined
}

/** Tags that look like a summary's are written with one more character. */
const escapedLength = (text: string) => text.length + text.split('<').length - 1
