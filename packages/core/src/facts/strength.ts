/** How strongly a sentence of the person binds all later work; most sentences do not. */
import { isSettling } from './settling.ts'
import { createWordList, isUnspaced, readSentenceWords, type Word } from './word-lists.ts'

/** 3 forbids or binds for good, 2 sets a choice, 1 is mild. */
export type Strength = 1 | 2 | 3

const strong = createWordList('strong')
const binding = createWordList('binding')
const firm = createWordList('firm')
const orders = createWordList('orders')
const mild = createWordList('mild')
const general = createWordList('general')
const leads = createWordList('leads')
const states = createWordList('states')
const asks = createWordList('asks')
const momentary = createWordList('momentary')
const SHORTEST_SENTENCE = 4
const MOST_WORDS = 1_000
// A mild word in a long sentence is one of many things it says.
const LONGEST_MILD = 200

const listOf = (words: string) => new Set(words.split(' '))
// "Don't worry", "don't forget to push": no prohibitions.
const IDLE = listOf('worry know think care mind see understand get have need forget remember bother be seem believe')
// After these a strong word is an order even inside a clause: "you should never push".
const ADDRESSED = listOf('you we should must please shall also just ever agents')
// "I told you to never push", but "this causes it to always fail".
const JOINED = listOf('and but to or')
const TELLING = listOf('told tell asked ask remember want need sure try remind please instructed')
// What "only" must be followed by to limit what is done; "only the first fails" tells what is.
const ACTS = listOf(
  'use run commit push edit change modify touch add write do ever make create install work answer reply test log export import allow deploy read call show stop ask when if after with',
)
// "My tests always fail" tells what is.
const HAPPENS = listOf(
  'fail work return get happen crash hang error ran was were did had went saw came been seen got done true false going sure right mind',
)
const NOT_VERBS = listOf('always this us its tests as is types docs comments commits emojis')
const SPECULATION = listOf('be have')
const SUBJECTS = listOf('it this that there he she they i which')
const HABITS = listOf('run write add document test commit format name put follow ask check explain answer reply')
// "No problems", "no changes yet" are answers.
const NO_RULES = listOf("problems worries issues changes errors thanks ideas this its it's is was does yes as us")

/** Undefined for a wish of the moment, a question, or a sentence that tells what is. */
export function readStrength(sentence: string): Strength | undefined {
  if (sentence.length < SHORTEST_SENTENCE) return undefined
  const words = readSentenceWords(sentence).slice(0, MOST_WORDS)
  if (words.length < 2 && !isUnspaced(sentence)) return undefined
  const found = readBinding(sentence, words) ?? (!isQuestion(sentence) && isSettling(sentence, words) ? 2 : undefined)
  if (found !== undefined && isQuestion(sentence)) return found === 3 && isAskedOfAgent(words) ? found : undefined
  return found
}

/** Whether it forbids or binds whoever reads it, as a rule in a document does, and does not only tell of something. */
export function isCommand(sentence: string): boolean {
  const words = readSentenceWords(sentence).slice(0, MOST_WORDS)
  return !isQuestion(sentence) && (binding.has(sentence, words) || hasStrong(words, true))
}

/** The strongest thing the sentence says, were it no question. */
function readBinding(sentence: string, words: readonly Word[]): Strength | undefined {
  if (hasStrong(words, false) || binding.has(sentence, words)) return 3
  if (momentary.has(sentence, words)) return undefined
  if (hasRequirement(words)) return 2
  // "Can you only show the first": a wish, whatever else is in it.
  if (words[0] !== undefined && asks.lengthAt(words, 0) > 0 && words[0].text !== 'please') return undefined
  if (hasFirm(sentence, words) || hasOrder(words)) return 2
  if (isUnspaced(sentence) && orders.has(sentence, words)) return 2
  return hasMild(words) && sentence.length <= LONGEST_MILD ? 1 : undefined
}

function hasStrong(words: readonly Word[], onlyCommands: boolean): boolean {
  return words.some((word, position) => {
    const length = strong.lengthAt(words, position)
    const next = words[position + length]?.text ?? ''
    if (length === 0 || next === '' || IDLE.has(next) || isHappening(word.text, next)) return false
    if (opensClause(words, position)) return true
    const previous = words[position - 1]?.text ?? ''
    if (ADDRESSED.has(previous)) return !describes(words, position - 1)
    if (JOINED.has(previous)) return words.slice(0, position).some(({ text }) => TELLING.has(text))
    // "Tests never touch the network" is a rule; negated verbs describe more often than not: "the tests don't pass".
    return !onlyCommands && !describes(words, position) && !word.text.startsWith('do')
  })
}

function describes(words: readonly Word[], position: number): boolean {
  return position > 0 && states.lengthAt(words, position - 1) > 0
}

function isHappening(adverb: string, word: string): boolean {
  if (adverb !== 'never' && adverb !== 'always') return false
  if (HAPPENS.has(word)) return true
  return word.length > 4 && /^[a-z]+(?:ed|[^su]s)$/.test(word) && !NOT_VERBS.has(word)
}

/** Whether nothing but polite and joining words stands between the beginning of a clause and this word. */
export function opensClause(words: readonly Word[], position: number): boolean {
  let at = position
  while (at > 0 && !words[at]!.opensClause) {
    if (leads.lengthAt(words, at - 1) === 0) return false
    at--
  }
  return true
}

function hasFirm(sentence: string, words: readonly Word[]): boolean {
  const found = words.some((word, position) => {
    if (firm.lengthAt(words, position) === 0) return false
    const previous = words[position - 1]?.text ?? ''
    const next = words[position + 1]?.text ?? ''
    // "It must be the cache", "that should not happen"
    if (word.text === 'must') return !(next === 'have' || (SPECULATION.has(next) && SUBJECTS.has(previous)))
    return !((word.text === 'should' || word.text === "shouldn't") && SUBJECTS.has(previous))
  })
  return found || (isUnspaced(sentence) && firm.has(sentence, words))
}

function hasOrder(words: readonly Word[]): boolean {
  return words.some(({ text, opensClause: isFirst }, position) => {
    const next = words[position + 1]?.text ?? ''
    if (text === 'only') return ACTS.has(next) && opensClause(words, position)
    if (text === 'stop') return next.endsWith('ing') && opensClause(words, position)
    if (text === 'no' && isFirst) return bansThings(words, position)
    // "Leave config.yml alone", but "leave me alone"
    if (text === 'leave' && !/^(?:me|us|him|her|them)$/.test(next))
      return opensClause(words, position) && words.slice(position + 2).some(({ text }) => text === 'alone')
    return next !== '' && orders.lengthAt(words, position) > 0 && opensClause(words, position)
  })
}

/** "No emojis", "no console logs!" */
function bansThings(words: readonly Word[], position: number): boolean {
  const things = words.slice(position + 1, position + 3)
  if (words.length > 8 || things.some((thing) => thing.opensClause || NO_RULES.has(thing.text))) return false
  return things.some(({ text }) => /^[a-z-]{3,30}s$/.test(text))
}

/** "I want replicate to not use materialize at all", "we don't want new dependencies", "all new code needs tests" */
function hasRequirement(words: readonly Word[]): boolean {
  const [first, second, third] = words
  const isSpeaker = first !== undefined && /^(?:i|we)$/.test(first.text)
  if (isSpeaker && /^(?:don't|do|dont)$/.test(second?.text ?? '')) {
    const rest = second?.text === 'do' ? words.slice(3) : words.slice(2)
    const wants = second?.text === 'do' ? third?.text === 'not' && words[3]?.text === 'want' : third?.text === 'want'
    return wants && /^(?:any|new|more|another|you)$/.test(rest[1]?.text ?? '')
  }
  if (/^(?:all|every|each|any)$/.test(first?.text ?? '')) {
    return words.some(({ text }, at) => at > 1 && at < 7 && /^(?:need|needs|must|requires?)$/.test(text))
  }
  if (!first || !second || !/^(?:i|we)$/.test(first.text) || !/^(?:want|need|expect)$/.test(second.text)) return false
  return words.some(({ text }) => /^(?:not|never|always|no|without|every)$/.test(text))
}

function hasMild(words: readonly Word[]): boolean {
  return words.some((word, position) => {
    const length = mild.lengthAt(words, position)
    if (length === 0 || !opensClause(words, position)) return false
    const rest = words.slice(position + length)
    const next = rest[0]?.text ?? ''
    if (next === '' || /^(?:it|this|in)$/.test(next)) return false
    if (word.text === 'keep' && !next.endsWith('ing')) return true
    if (HABITS.has(word.text) || word.text === 'keep')
      return rest.some(({ text }) => /^(?:every|each|always|whenever)$/.test(text))
    return rest.some((_, other) => general.lengthAt(rest, other) > 0)
  })
}

function isQuestion(sentence: string): boolean {
  return /[?？]["')\]]?$/.test(sentence) || sentence.endsWith('吗')
}

/** "Could you please always run the linter?" */
function isAskedOfAgent(words: readonly Word[]): boolean {
  const isAsked = words[0] !== undefined && asks.lengthAt(words, 0) > 0
  return isAsked && words.some(({ text }) => text === 'you' || text === 'please')
}
