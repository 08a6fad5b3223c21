/**
 * Proposals in an answer, and which of them the user chose.
 *
 *   **A: a pre-pass**      label A
 *   - Risk: low            belongs to it
 *   **B: tokens**          label B
 *   I would take A.        recommends
 */
import type { WordsLine } from './answer-blocks.ts'
import type { Reference, Want } from './wants.ts'

type Blocks = readonly (readonly WordsLine[])[]

/** The labels that messages of the user name. */
export const readLabels = (references: readonly Reference[]): ReadonlySet<string> =>
  new Set(references.flatMap(({ labels }) => [...labels]))

/** Whether it says what the agent would do. */
export const recommends = (text: string): boolean => RECOMMENDS.test(text)

const RECOMMENDS =
  /\b(?:i(?:['’]d| would) (?:take|pick|choose|go|recommend|prefer|suggest|do)|i would (?:only |rather |also |just )?(?!not\b|be\b|have\b|need\b|like\b|love\b|expect\b|guess\b|assume\b|think\b|call\b)[a-z]{2,20}|i (?:plan|propose|intend) to|my (?:pick|choice|recommendation|preference|suggestion|proposal)|i (?:recommend|suggest|propose)|recommended)\b|(?:^|[.!?] )[*_]{0,2}(?:(?:suggested|proposed|possible|the) )?(?:fix|plan|next steps?)[*_]{0,2}:|^[*_]{0,2}what (?:that|this|it) means for\b|(?<!\p{L})(?:ich würde|empfehle|je prendrais|recommande|recomiendo|recomendaría|recomendo|consiglio|рекомендую|推荐|建议|おすすめ|추천)/iu

/** Whether it opens with what was turned down: `**What I decided against**`. */
export const turnsDown = (line: string): boolean => TURNED_DOWN.test(line)

const TURNED_DOWN =
  /\b(?:decided against|rejected|ruled out|turned down|discarded|(?:alternatives?|options?) (?:i |we )?considered|did(?:n['’]t| not) (?:take|choose|use|pick)|not (?:chosen|taken|worth))\b|(?<!\p{L})(?:verworfen|dagegen entschieden|écartée?s?|rejetée?s?|descartad[ao]s?|rechazad[ao]s?|rejeitad[ao]s?|scartat[aoie]|отклонен[оыа]?|отвергнут[оыа]?)(?!\p{L})|不采用|放弃|却下|기각/iu

/** Whether a block with a label opens with a fault: `**Bug 1: the cap**`. */
export const namesFault = (text: string): boolean =>
  /^[#*_\s>]{0,8}(?:bug|finding|issue|problem|cause)\b/i.test(text)

// `**A: one pass**`, `Option 2`, and not `a.ts`
const NAMED =
  /^[#*_\s>]{0,8}(?:[A-H](?:[:)\]]|\.(?!\w)|\s[—–-]\s|\*\*)|(?:option|variant|variante|design|approach|proposal|alternative|bug|finding|issue|problem|cause|vorschlag|opción|opção|opzione|вариант|方案|案)\s{0,2}(?:[A-H]|\d{1,2})(?!\w))/iu
// `**A: one pass**`, `### Option 2 — tokens`, `Design 1.`, `First design: events`
const LABEL =
  /^[#*_\s>]{0,8}(?:(?:option|variant|variante|design|plan|approach|proposal|alternative|bug|finding|issue|problem|cause|vorschlag|opción|opção|opzione|вариант|方案|案)\s{0,2})?(?:([A-H])|(\d{1,2}))(?:[:)\]]|\.(?!\w)|,(?= \p{L})|\s[—–-]\s|\*\*)/iu
const NUMBER_WORDS: ReadonlyMap<string, string> = new Map([
  ['first', '1'],
  ['second', '2'],
  ['third', '3'],
  ['fourth', '4'],
])
const WORDED =
  /^[#*_\s>]{0,8}(?:the )?(first|second|third|fourth) (?:option|variant|design|plan|approach|proposal|alternative|idea|way)\b/i

export function labelOf(line: string): string | undefined {
  const [, letter, number] = LABEL.exec(line) ?? []
  const word = WORDED.exec(line)?.[1]?.toLowerCase()
  return (
    letter ??
    number ??
    (word === undefined ? undefined : NUMBER_WORDS.get(word))
  )?.toUpperCase()
}

/**
 * The label of each block that is one of several proposals. If the user asked for a choice, these
 * are also pieces with titles of their own.
 */
export function findLabels(
  blocks: Blocks,
  wants: ReadonlySet<Want>,
  chosen: ReadonlySet<string>,
): (string | undefined)[] {
  // Any list has numbers. They name proposals if the user asked for some, or mentions one, and if
  // nothing else does.
  const heads = blocks.map((lines) => lines.slice(0, lines.findIndex((one) => !one.isTitle) + 1))
  const isNamed = heads.some((lines) => lines.some(({ text }) => NAMED.test(text)))
  const mayName = ({ text }: WordsLine) => !isNamed || NAMED.test(text) || WORDED.test(text)
  const labels = heads.map((lines) => {
    const named = lines.find((line) => mayName(line) && labelOf(line.text) !== undefined)
    return named && labelOf(named.text)
  })
  const names = new Set(labels.filter((label) => label !== undefined))
  const mayChoose = isNamed || wants.has('proposal') || [...chosen].some((one) => names.has(one))
  if (names.size > 1 && mayChoose) return carryLabels(labels, blocks)
  if (!wants.has('proposal')) return blocks.map(() => undefined)
  const titled = blocks.map(([first]) => first?.isTitle === true)
  let count = 0
  return titled.filter(Boolean).length > 1
    ? titled.map((isTitled) => (isTitled ? String(++count) : undefined))
    : blocks.map((lines) => (lines.filter(({ isItem }) => isItem).length > 1 ? '1' : undefined))
}

/** What follows a labelled block without a title of its own belongs to it, up to the next one. */
function carryLabels(
  labels: readonly (string | undefined)[],
  blocks: Blocks,
): (string | undefined)[] {
  const last = labels.findLastIndex((label) => label !== undefined)
  let current: string | undefined
  return labels.map((label, index) => {
    const opens = blocks[index]![0]?.isTitle === true
    const isPiece = blocks[index]![0]?.continues === true
    current = label ?? (opens || (index > last && !isPiece) ? undefined : current)
    return current
  })
}

/** Options may be items of one list. Each is then a block of its own. */
export function splitProposals(
  blocks: Blocks,
  wants: ReadonlySet<Want>,
  references: readonly Reference[],
): WordsLine[][] {
  const named = readLabels(references)
  const isNamed = blocks.some((lines) => lines.some(({ text }) => NAMED.test(text)))
  return blocks.flatMap((lines) => {
    const opens = ({ text, isItem, isTitle }: WordsLine) => {
      const label = isItem || isTitle ? labelOf(text) : undefined
      if (label === undefined || isNamed) return label !== undefined && NAMED.test(text)
      return wants.has('proposal') || named.has(label)
    }
    if (lines.filter(opens).length < 2) return [[...lines]]
    const parts: WordsLine[][] = [[]]
    for (const line of lines) {
      if (opens(line) && parts.at(-1)!.some(({ isTitle }) => !isTitle)) parts.push([])
      parts.at(-1)!.push(line)
    }
    return parts
  })
}

/** The labels that the user chose. "The second one" may be `B`. */
export function findChosen(
  labels: readonly (string | undefined)[],
  named: ReadonlySet<string>,
  references: readonly Reference[],
): ReadonlySet<string> {
  const known = [...new Set(labels.filter((label) => label !== undefined))]
  const chosen = known.filter((label) => named.has(label))
  if (chosen.length > 0) return new Set(chosen)
  const counted = references.find(({ ordinals }) => ordinals.length > 0)?.ordinals ?? []
  return new Set(counted.flatMap((ordinal) => known[ordinal - 1] ?? []))
}

/** Of each reference, whether it chose these labels, or speaks of what was chosen before it. */
export function findChoices(
  chosen: ReadonlySet<string>,
  references: readonly Reference[],
): boolean[] {
  let isMade = false
  return references.map(({ labels, ordinals, isGeneral }) => {
    const chooses = ordinals.length > 0 || [...labels].some((one) => chosen.has(one))
    isMade ||= chosen.size > 0 && chooses
    return isMade && (chooses || isGeneral)
  })
}
