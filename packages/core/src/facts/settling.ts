/**
 * What the person settles without an imperative: a fact set right ("No, the port is 8443"), a choice told by contrast
 * ("tabs, not spaces"), the language things are written in ("commit messages in English, please"). What is said has to
 * consist of known words and one value with a shape of its own: telling what happened looks much the same.
 */
import { correctionWords, UNSPACED_CORRECTION } from './correction-words.ts'
import { isUnspaced, type Word } from './word-lists.ts'

type Part = keyof (typeof correctionWords)[number]

/** Phrases of one part, in all languages, by their first word. */
class Phrases {
  readonly #byFirst = new Map<string, (readonly string[])[]>()

  constructor(...parts: readonly Part[]) {
    for (const language of correctionWords) {
      for (const phrase of parts.flatMap((part) => language[part].split('|'))) {
        const [first = '', ...rest] = phrase.split(' ')
        const known = this.#byFirst.get(first) ?? []
        this.#byFirst.set(
          first,
          [...known, rest].sort((a, b) => b.length - a.length),
        )
      }
    }
  }

  /** How many words the longest phrase has that starts here; 0 for none. */
  lengthAt(words: readonly Word[], position: number): number {
    const found = this.#byFirst
      .get(words[position]?.text ?? '')
      ?.find((rest) => rest.every((text, index) => words[position + 1 + index]?.text === text))
    return found ? found.length + 1 : 0
  }
}

const opens = new Phrases('opens')
const articles = new Phrases('articles')
const settings = new Phrases('settings')
const copulas = new Phrases('copulas')
const naming = new Phrases('naming')
const places = new Phrases('places')
const polite = new Phrases('polite')
const things = new Phrases('things')
const tongues = new Phrases('tongues')
const glue = new Phrases('glue')

const LONGEST = 200
const MOST_WORDS = 16
const MOST_ARTICLES = 3
const MOST_WORDS_ABOUT_TONGUE = 4
// What a bare number can be the value of: "the file is 200 lines" tells how it is.
const NUMERIC =
  /^(?:ports?|version|release|id|ticket|limit|deadline|timeout|threshold|interval|frist|grenze|schwelle|délai|limite|seuil|puerto|versión|límite|plazo|umbral|porta|versão|prazo|versione|scadenza|soglia|порт|версия|лимит|срок)$/
// "The function is called twice"
const CALLABLES = /^(?:function|method|class|script|command|task|service|module)$/
const UNITS =
  /^(?:ms|s|sec|seconds?|minutes?|min|hours?|days?|weeks?|kb|mb|gb|bytes|tokens|characters|chars|lines|columns|retries|percent)$/
const NOT = new Set('not nicht keine kein non pas no não нет не'.split(' '))

/** Whether it settles something for good in one of these ways; a question never does. */
export function isSettling(sentence: string, words: readonly Word[]): boolean {
  if (sentence.length > LONGEST || words.length > MOST_WORDS) return false
  if (isUnspaced(sentence)) return UNSPACED_CORRECTION.test(sentence)
  return (
    readSetting(sentence, words) !== undefined ||
    isContrast(sentence, words) ||
    isMeant(words) ||
    isPlace(sentence, words) ||
    choosesTongue(words) ||
    choosesStyle(sentence, words)
  )
}

//   No, the default port is 8443, not 8080.   ──►   default port
/** What a correction gives a value to; undefined for any other sentence. */
export function readSetting(sentence: string, words: readonly Word[]): string | undefined {
  const start = skipOpenings(words)
  let at = start
  const isBeforeNoun = (next: number) => articles.lengthAt(words, next) + settings.lengthAt(words, next) > 0
  while (at - start < MOST_ARTICLES && articles.lengthAt(words, at) > 0 && isBeforeNoun(at + 1)) at++
  const subject = at
  while (settings.lengthAt(words, at) > 0 && at - subject < 2) at++
  if (at === subject) return undefined
  const head = words[at - 1]!.text
  const named = naming.lengthAt(words, at)
  const link = named > 0 ? named : copulas.lengthAt(words, at)
  if (link === 0) return undefined
  const isFree = named > 0 && !CALLABLES.test(head)
  const end = readValue(sentence, words, at + link, isFree ? 'any' : NUMERIC.test(head) ? 'named' : 'not a number')
  const isCorrected = start > 0 || isReplaced(words, end)
  if (end === 0 || !isCorrected || !endsAt(words, end)) return undefined
  return words
    .slice(start, at)
    .map(({ text }) => text)
    .filter((text) => !/^(?:the|der|die|das|le|la|el|o|a|il|l)$/.test(text))
    .join(' ')
}

function skipOpenings(words: readonly Word[]): number {
  let at = 0
  for (let length = opens.lengthAt(words, at); length > 0 && at < 4; length = opens.lengthAt(words, at)) at += length
  return at
}

/** Position behind the value; 0 when there is none of the shape that is asked for. */
function readValue(
  sentence: string,
  words: readonly Word[],
  start: number,
  shape: 'any' | 'named' | 'not a number',
): number {
  let at = start
  while (places.lengthAt(words, at) > 0 && at - start < 2) at++
  const value = words[at]
  if (!value || value.opensClause || sentence.charAt(value.end) === '%') return 0
  const isNumber = /^[\d.,]+$/.test(value.text)
  if (shape === 'any' ? value.text.length < 2 : !isNamed(sentence, value) || (isNumber && shape !== 'named')) return 0
  const quote = sentence.charAt(value.start - 1)
  if (quote === '`' || quote === '"') {
    const end = words.findIndex((word, index) => index >= at && sentence.charAt(word.end) === quote)
    return end < 0 ? 0 : end + 1
  }
  return isNumber && UNITS.test(words[at + 1]?.text ?? '') ? at + 2 : at + 1
}

/** A number, a path, an identifier, something in quotes: nothing that an everyday word looks like. */
function isNamed(sentence: string, { start, end }: Word): boolean {
  const text = sentence.slice(start, end)
  return /[\d_./\\@#+~]/.test(text) || /[a-z][A-Z]/.test(text) || '`"\''.includes(sentence.charAt(start - 1) || ' ')
}

function isReplaced(words: readonly Word[], at: number): boolean {
  const word = words[at]
  return at > 0 && word !== undefined && word.opensClause && NOT.has(word.text)
}

/** Nothing follows but what it is not, and a please. */
function endsAt(words: readonly Word[], end: number): boolean {
  let at = end
  if (isReplaced(words, at)) {
    at++
    const old = at
    while (at < words.length && at - old < 4 && !words[at]!.opensClause) at++
  }
  while (at < words.length && polite.lengthAt(words, at) > 0) at += polite.lengthAt(words, at)
  return at >= words.length
}

//   tabs, not spaces   ·   no, pnpm, not npm   ·   not npm, pnpm!
function isContrast(sentence: string, words: readonly Word[]): boolean {
  let start = skipOpenings(words)
  let end = words.length
  while (end > start && polite.lengthAt(words, end - 1) > 0) end--
  const isFirst = NOT.has(words[start]?.text ?? '') && words[start + 1]?.opensClause === false
  if (isFirst) start++
  const rest = words.slice(start, end)
  const middle = rest.findIndex(({ opensClause }, index) => index > 0 && opensClause)
  if (middle < 0 || middle > 2) return false
  const second = rest.slice(isFirst ? middle : middle + 1)
  if (!isFirst && !NOT.has(rest[middle]!.text)) return false
  if (second.length === 0 || second.length > 2 || second.some(({ opensClause }, index) => index > 0 && opensClause))
    return false
  const choices = [rest.slice(0, middle), second]
  return choices.every((choice) => choice.some((word) => isTool(sentence, word))) || choices.every(isLayout)
}

const MEANT = /^(?:i meant|ich meinte|je voulais dire|quise decir|eu quis dizer|intendevo|я имела? в виду)$/
// "I meant that, not sure why"
const DOUBTS = /^(?:sure|yet|now|really|quite|sicher|sûr|seguro|sicuro|уверен|уверена)$/

//   I meant the staging server, not production
function isMeant(words: readonly Word[]): boolean {
  const start = skipOpenings(words)
  const before = [3, 2, 1].map((count) => words.slice(Math.max(0, start - count), start))
  if (!before.some((opening) => MEANT.test(opening.map(({ text }) => text).join(' ')))) return false
  const not = words.findIndex((_, at) => at > start && isReplaced(words, at))
  return not > 0 && endsAt(words, not) && not + 1 < words.length && !DOUBTS.test(words[not + 1]!.text)
}

//   No, it's in src/server.ts
function isPlace(sentence: string, words: readonly Word[]): boolean {
  const start = skipOpenings(words)
  const isIt = /^(?:it's|they're)$/.test(words[start]?.text ?? '')
  const place = words[start + 2]
  if (start === 0 || !isIt || !/^(?:in|at|under)$/.test(words[start + 1]?.text ?? '') || !place) return false
  return /[/\\]|\.[a-z]/i.test(sentence.slice(place.start, place.end)) && endsAt(words, start + 3)
}

/** `pnpm`, `v2`, `src/a.ts`: what nobody says of how things went. */
function isTool(sentence: string, word: Word): boolean {
  if (/^[\d.,]+$/.test(word.text)) return false
  return isNamed(sentence, word) || (word.text.length > 2 && /^[^aeiouy\W\d]+$/.test(word.text) && word.text !== 'lgtm')
}

const LAYOUT = new Set(
  'tabs spaces semicolons commas quotes functions classes types interfaces enums camelcase kebab-case'.split(' '),
)

function isLayout(words: readonly Word[]): boolean {
  return LAYOUT.has(words.at(-1)?.text ?? '')
}

//   commit messages in English, please   ·   auf Deutsch bitte   ·   comments in English only
function choosesTongue(words: readonly Word[]): boolean {
  let hasTongue = false
  let isAsked = false
  let isAboutThings = false
  let others = 0
  for (let at = 0; at < words.length; ) {
    const lengths = [tongues, things, polite, glue].map((phrases) => phrases.lengthAt(words, at))
    const length = Math.max(...lengths)
    if (length === 0) return false
    if (lengths[0] === length) hasTongue = true
    else if (lengths[1] === length) isAboutThings = true
    else if (lengths[2] === length || /^(?:only|nur|solo|sólo|seulement|только|always|immer)$/.test(words[at]!.text))
      isAsked = true
    if (lengths[2] !== length) others += length
    at += length
  }
  return hasTongue && isAsked && (isAboutThings || others <= MOST_WORDS_ABOUT_TONGUE)
}

const STYLE =
  /^(?:(?:and|also|only) )?(?:(?:very )?(?:short|shorter|small|smaller|brief|concise|terse|one-line|single-line|atomic|conventional|lowercase|imperative) [a-z -]{3,30}|one [a-z-]{2,20} per [a-z -]{2,20}),? please[.!]?$/i

//   short answers, please   ·   one commit per change please
function choosesStyle(sentence: string, words: readonly Word[]): boolean {
  if (!STYLE.test(sentence)) return false
  return words.some(
    ({ text }, at) => text === 'per' || (words.at(-2)?.text.endsWith('s') && things.lengthAt(words, at) > 0),
  )
}
