/** Which standing instructions a sentence of the person ends: taken back, allowed again, replaced or contradicted. */
import { isSettling, readSetting } from './settling.ts'
import { opensClause, readStrength } from './strength.ts'
import { readSubject, shareOf } from './subject.ts'
import { createWordList, type Hit, isUnspaced, readSentenceWords, type Word } from './word-lists.ts'

/** What is needed to tell whether a later sentence speaks of this one. */
export interface Standing {
  readonly text: string
  readonly subject: ReadonlySet<string>
  readonly polarity: 'do' | 'do-not'
  /** The imperative it opens with, when it sets a choice. */
  readonly order: string | undefined
  /** What it gives a value to, when it sets a fact right. */
  readonly setting: string | undefined
  /** Position of the message; undefined when it was carried on. */
  readonly message: number | undefined
}

interface Place {
  /** Position of the message that speaks. */
  readonly message: number
  /** Position of what the person said before it. */
  readonly previousRequest: number | undefined
}

/** Picks from those in force the ones that end. */
export interface Effect {
  (inForce: readonly Standing[], place: Place): readonly Standing[]
  /** What was named, when something was taken back by name: pins of that name go too. */
  readonly subject?: ReadonlySet<string>
}

const ends = createWordList('ends')
const lapses = createWordList('lapses')
const allows = createWordList('allows')
const now = createWordList('now')
const replaces = createWordList('replaces')
const corrects = createWordList('corrects')
const orders = createWordList('orders')
const denies = createWordList('denies')

const LONGEST_SENTENCE = 600
const NEGATIONS = new Set("don't dont not never nicht ne no não non не n't nie can't".split(' '))
// "Never mind" may mean a question, or that something was found: it ends a rule only alone or by name.
const LOOSE =
  /^(?:never ?mind|forget (?:it|this)|egal|laisse tomber|lascia (?:perdere|stare)|deixa p(?:ra|ara) lá|неважно|отмена|算了)/i
const NAMES_A_RULE =
  /\b(?:about|rules?|instructions?|said|told|regel|anweisung|gesagt|règle|consigne|regla|instrucción|regra|instrução|regola|istruzione)\b|правил|сказал|规则|说/i
const EVERYTHING =
  /\b(?:all|everything|every|alles|alle|tout|toutes|todo|todos|todas|tudo|tutto|tutte|всё|все)\b|所有|全部|すべて|全て|모든|모두/i
const CONDITION = /\b(?:if|unless|once|until|wenn|falls|sobald|si|se|если)\b|如果|たら|れば|만약/i
const SCOPE = new Set('for in when on at to because since für bei wenn weil pour para per для при'.split(' '))
// Half of the named words have to stand in what is meant.
const NAMED_SHARE = 0.5

/** What a sentence ends, and what of it may be an instruction of its own. */
export interface Reading {
  readonly effects: readonly Effect[]
  readonly rest: string
}

export function readEffects(sentence: string): Reading {
  if (sentence.length > LONGEST_SENTENCE) return { effects: [], rest: sentence }
  const words = readSentenceWords(sentence)
  const taken = takeBack(sentence, words)
  if (taken) {
    const { effects, rest } = taken.rest === '' ? { effects: [], rest: '' } : readEffects(taken.rest)
    return { effects: [taken.effect, ...effects], rest }
  }
  if (/[?？]\s*$/.test(sentence)) return { effects: [], rest: sentence }
  const allowed = allow(sentence, words)
  const isOpposed = readStrength(sentence) !== undefined || replaces.has(sentence, words)
  const effects = [...(allowed ? [allowed] : []), ...(isOpposed ? contradict(sentence, words) : [])]
  return { effects, rest: sentence }
}

/** Whether a sentence forbids, the imperative it sets a choice with, and the fact it sets right. */
export function readPolarity(
  sentence: string,
  words: readonly Word[],
): Pick<Standing, 'polarity' | 'order' | 'setting'> {
  const setting = readSetting(sentence, words)
  const position = words.findIndex((_, at) => orders.lengthAt(words, at) > 0)
  // The "no" in front of a correction forbids nothing.
  if (position < 0 && isSettling(sentence, words)) return { polarity: 'do', order: undefined, setting }
  const end = findReplacement(sentence, words)?.start ?? words.length
  const isForbidden = denies.has(sentence, words.slice(0, end))
  return { polarity: isForbidden ? 'do-not' : 'do', order: words[position]?.text, setting }
}

interface Taken {
  readonly effect: Effect
  /** What follows: "forget that, use yarn" goes on with "use yarn". */
  readonly rest: string
}

//   forget what I said about | the linter        the tab rule | no longer applies
function takeBack(sentence: string, words: readonly Word[]): Taken | undefined {
  const lapse = lapses.find(sentence, words)
  if (lapse) {
    const subject = readSubject(words.slice(0, lapse.start))
    return subject.size > 0 ? { effect: byName(subject), rest: '' } : undefined
  }
  const hit = findEnding(sentence, words)
  if (!hit) return undefined
  const { named, rest } = splitBehind(sentence, words, hit)
  const subject = readSubject(named)
  const namesRule = NAMES_A_RULE.test(sentence)
  if (EVERYTHING.test(sentence) && subject.size === 0 && namesRule) return { effect: (inForce) => inForce, rest }
  if (LOOSE.test(sentence.slice(hit.textStart)) && subject.size > 0 && !namesRule) return undefined
  return { effect: subject.size > 0 ? byName(subject) : endNewest, rest }
}

function findEnding(sentence: string, words: readonly Word[]): Hit | undefined {
  const hit = ends.find(sentence, words)
  if (!hit || isUnspaced(sentence)) return hit
  if (NEGATIONS.has(words[hit.start - 1]?.text ?? '')) return undefined
  return opensClause(words, hit.start) ? hit : undefined
}

/** What is named, up to the order that follows. Where verbs stand last, what is named stands in front of them. */
function splitBehind(sentence: string, words: readonly Word[], hit: Hit): { named: readonly Word[]; rest: string } {
  if (isUnspaced(sentence)) {
    const comma = sentence.slice(hit.textEnd).search(/[，、,；]/)
    const end = comma < 0 ? sentence.length : hit.textEnd + comma
    const named = [...words.filter((word) => word.end <= hit.textStart), ...cutWord(words, hit)]
    return { named: named.filter(({ start }) => start < end), rest: comma < 0 ? '' : sentence.slice(end + 1).trim() }
  }
  const after = words.slice(hit.end)
  const next = after.findIndex(
    (word, at) => word.opensClause && (orders.lengthAt(after, at) > 0 || corrects.lengthAt(after, at) > 0),
  )
  const first = after[next]
  return first ? { named: after.slice(0, next), rest: sentence.slice(first.start) } : { named: after, rest: '' }
}

/** What stands before and behind the phrase inside the words it stands in. */
function cutWord(words: readonly Word[], { textStart, textEnd }: Hit): Word[] {
  return words
    .filter(({ end }) => end > textStart)
    .flatMap((word) => {
      if (word.start >= textEnd) return [word]
      const before = word.text.slice(0, Math.max(0, textStart - word.start))
      const behind = word.text.slice(Math.max(0, textEnd - word.start))
      return [before, behind].filter((text) => text !== '').map((text) => ({ ...word, text }))
    })
}

function byName(subject: ReadonlySet<string>): Effect {
  const pick = (inForce: readonly Standing[]) => {
    const shares = inForce.map((standing) => shareOf(subject, standing.subject))
    const best = shares.reduce((most, share) => Math.max(most, share), 0)
    return best < NAMED_SHARE ? [] : inForce.filter((_, at) => shares[at] === best)
  }
  return Object.assign(pick, { subject })
}

/** What was said before in the same message, else all that the message before it said. */
const endNewest: Effect = (inForce, { message, previousRequest }) => {
  const own = inForce.findLast((standing) => standing.message === message)
  if (own) return [own]
  return previousRequest === undefined ? [] : inForce.filter((standing) => standing.message === previousRequest)
}

//   Never touch the database.   …   You may touch the database now.   The database is fine now.
function allow(sentence: string, words: readonly Word[]): Effect | undefined {
  if (!allows.has(sentence, words) || CONDITION.test(sentence) || denies.has(sentence, words)) return undefined
  const isNew = now.has(sentence, words)
  const subject = readSubject(words)
  if (subject.size === 0) return undefined
  return (inForce) =>
    inForce.filter((standing) => {
      if (standing.polarity === 'do') return false
      // What must not be done to it comes first, and need not be said again when the permission is new.
      const [, ...object] = standing.subject
      const needed = isNew && object.length > 0 ? new Set(object) : standing.subject
      return shareOf(needed, subject) === 1
    })
}

function contradict(sentence: string, words: readonly Word[]): Effect[] {
  const { polarity, order, setting } = readPolarity(sentence, words)
  const subject = readSubject(words)
  const effects: Effect[] = []
  const opposes: Effect = (inForce) =>
    inForce.filter((other) => other.polarity !== polarity && isSame(other.subject, subject))
  if (subject.size > 0) effects.push(opposes)
  // "No, the port is 8443" – and later "Actually the port is 9000".
  if (setting !== undefined)
    effects.push((inForce) => inForce.filter((other) => other.setting === setting && other.text !== sentence))
  const old = readReplaced(sentence, words)
  if (old.size > 0) {
    const mentioned = new Set([...old, ...subject])
    effects.push((inForce) =>
      inForce.filter(
        (other) =>
          other.polarity === 'do' &&
          shareOf(old, other.subject) === 1 &&
          shareOf(other.subject, mentioned) >= NAMED_SHARE,
      ),
    )
  }
  if (polarity === 'do' && order !== undefined && corrects.lengthAt(words, 0) > 0) effects.push(correct(order, subject))
  return effects
}

/** "Actually, use yarn": of the last choices of this kind the only one, or the one that shares a word. */
function correct(order: string, subject: ReadonlySet<string>): Effect {
  return (inForce, { message, previousRequest }) => {
    const choices = inForce.filter(
      (other) =>
        other.polarity === 'do' &&
        other.order === order &&
        other.message !== undefined &&
        (other.message === message || other.message === previousRequest),
    )
    const alike = choices.filter((other) => [...subject].some((word) => other.subject.has(word)))
    return alike.length > 0 ? alike : choices.length === 1 ? choices : []
  }
}

function findReplacement(sentence: string, words: readonly Word[]): Hit | undefined {
  const hit = replaces.find(sentence, words)
  if (!hit || isUnspaced(sentence)) return hit
  const isBare = /^(?:not|and not|stop|und nicht|et non|et pas|y no|e não|e non)$/.test(
    words
      .slice(hit.start, hit.end)
      .map(({ text }) => text)
      .join(' '),
  )
  // "Use yarn, not pnpm" and "yarn, not npm" name an old choice; "do not use pnpm" does not.
  const isAfterOrder = words.slice(0, hit.start).some((_, at) => orders.lengthAt(words, at) > 0)
  return isBare && !isAfterOrder && !isSettling(sentence, words) ? undefined : hit
}

/** What stood in the place of the new choice. */
function readReplaced(sentence: string, words: readonly Word[]): Set<string> {
  const hit = findReplacement(sentence, words)
  if (!hit) return new Set()
  const after = isUnspaced(sentence) ? words.filter(({ start }) => start >= hit.textEnd) : words.slice(hit.end)
  const end = after.findIndex(({ text, opensClause }, at) => at > 0 && (opensClause || SCOPE.has(text)))
  return readSubject(end < 0 ? after : after.slice(0, end))
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((word) => b.has(word))
}
