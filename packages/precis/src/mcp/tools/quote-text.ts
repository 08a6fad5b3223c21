/** Text of a session, quoted and safe for a model and for any terminal of its client. */
import { redactSecrets } from '@precis/core/secrets'

// C0 except tab and line feed, DEL, C1, line separators, lone surrogates, direction overrides and
// invisible tags.
const UNSAFE = /[\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u{e0000}-\u{e007f}]|[^\P{Cc}\t\n]/gu

/**
 * Nothing in the result acts on a terminal. Every other character, including tab and line feed, is
 * unchanged.
 */
export function makeHarmless(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '\u{fffd}')
}

/**
 * JSON of the same value in which such characters are spelled, `\u009b`. Line breaks between values
 * stay.
 */
export function spellHarmful(json: string): string {
  const spell = (text: string) =>
    text.replace(UNSAFE, (character) =>
      character
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    )
  return json.split('\r\n').map(spell).join('\r\n')
}

/**
 * Puts `> ` before every line and removes secrets. No quoted text can look like the end of the
 * quotation.
 */
export function quoteText(text: string): string {
  return makeHarmless(redactSecrets(text))
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}

// Half a key is not recognized, so more text is checked than is shown.
const MARGIN = 2_000

/** One safe line of at most this many characters, with secrets removed. */
export function quoteLine(text: string, characters: number): string {
  const line = makeHarmless(redactSecrets(text.slice(0, characters * 2 + MARGIN)))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > characters ? `${cutBetweenCharacters(line, 0, characters - 1)}…` : line
}

interface QuotedFact {
  readonly kind: string
  readonly text: string
  readonly turn: number
  /** `retrievable`: in the archive, or would be if this were not a dry run. */
  readonly state: string
  readonly recall: {
    readonly reference: string
    readonly query?: string
    readonly span?: number
  } | null
}

const FACT_CHARACTERS = 250

/** A block of facts, each with the tool input that recalls it. */
export function quoteFacts(facts: readonly QuotedFact[]): string {
  const lines = facts.flatMap(({ kind, text, turn, state, recall }) => {
    const { reference, query, span } = recall ?? {}
    const lost = state === 'retrievable' ? 'can be recalled once it is written' : 'not kept'
    const way = recall ? JSON.stringify({ reference, query, span }) : lost
    return [
      `> ${quoteLine(text, FACT_CHARACTERS)}`,
      `${kind} of turn ${turn}: ${makeHarmless(way)}`,
    ]
  })
  return [
    'The weightiest facts that are gone, quoted, each with the input of "recall" that gives it:',
    ...lines,
  ].join('\n')
}

/** Never cuts through a character of two units. */
export function cutBetweenCharacters(text: string, start: number, end: number): string {
  return text.slice(start, findBorder(text, end))
}

/** `position`, or the next one if it is inside a character. */
export function findBorder(text: string, position: number): number {
  const isInside =
    /[\ud800-\udbff]/.test(text.charAt(position - 1)) &&
    /[\udc00-\udfff]/.test(text.charAt(position))
  return isInside ? position + 1 : position
}
