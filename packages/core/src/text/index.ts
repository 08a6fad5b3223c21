/**
 * Strings for people: what sessions hold, safe to be shown, and numbers with their units.
 *
 * ```ts
 * import { neutralizeLine, neutralizeText, renderAge, renderBytes, renderCount } from '@precis/core/text'
 * import { renderDollars, renderJson, renderPlural, renderShare } from '@precis/core/text'
 *
 * const hostile = '\u001b[31mred\ntwo'
 * console.log(neutralizeLine(hostile), neutralizeText(hostile), renderJson({ hostile }))
 * console.log(renderCount(1234), renderPlural(2, 'message'), renderBytes(376_000))
 * console.log(renderDollars(3.7), renderShare(1, 4), renderAge(90_000))
 * ```
 */

import { aText, checkValue, type Kind } from '../conversation/check-options.ts'

const anyNumber: Kind = { allowed: 'a number', accepts: (value) => typeof value === 'number' }
const checkNumber = (value: unknown) => checkValue('Rendering', 'the number', value, anyNumber)
const checkText = (text: unknown) => checkValue('Rendering', 'text', text, aText)

// Control characters (C0 with ESC, DEL, C1), line separators, lone surrogates, direction overrides
// and invisible tags.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u{e0000}-\u{e007f}]/u
const UNSAFE_RUN = new RegExp(`${UNSAFE.source}+`, 'gu')
const BREAKS = /^[\s\u0085]+$/u

/**
 * One line without any character that acts on a terminal: breaks and tabs become a space, the rest
 * U+FFFD.
 */
export function neutralizeLine(text: string): string {
  checkText(text)
  return neutralize(text)
}

const neutralize = (line: string): string =>
  line.replace(UNSAFE_RUN, (run) => (BREAKS.test(run) ? ' ' : '\u{fffd}'))

/** As `neutralizeLine`, but line feeds stay. */
export function neutralizeText(text: string): string {
  checkText(text)
  return text.split('\n').map(neutralize).join('\n')
}

/**
 * JSON that is also safe on a terminal. It parses to the same value, or to null if JSON cannot
 * represent it.
 */
export function renderJson(value: unknown): string {
  const unsafe = new RegExp(UNSAFE.source.replace('\\p{Cc}', '\\x7f-\\x9f'), 'gu')
  return (JSON.stringify(value, undefined, 2) ?? 'null').replace(unsafe, (character) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/**
 * With commas between thousands. Avoids `Intl.NumberFormat`, which loads as long as `node` itself.
 */
export function renderCount(count: number): string {
  checkNumber(count)
  return String(Math.round(count)).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',')
}

/** "1 message", "2 messages". */
export function renderPlural(count: number, noun: string): string {
  return `${renderCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

export function renderBytes(bytes: number): string {
  checkNumber(bytes)
  const units = ['B', 'kB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export function renderShare(part: number, whole: number): string {
  checkNumber(part)
  checkNumber(whole)
  if (whole <= 0) return '–'
  const percent = (part / whole) * 100
  if (part > 0 && percent < 1) return '<1 %'
  return `${Math.round(percent)} %`
}

export function renderDollars(dollars: number): string {
  checkNumber(dollars)
  if (dollars > 0 && dollars < 0.01) return '< $0.01'
  const [whole = '', cents = ''] = Math.abs(dollars).toFixed(2).split('.')
  return `${dollars <= -0.005 ? '-' : ''}$${renderCount(Number(whole))}.${cents}`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Short, for lists that have to fit a narrow terminal: `7m`, `3h`, `12d`. */
export function renderAge(ms: number): string {
  checkNumber(ms)
  if (ms < HOUR_MS) return `${Math.max(Math.floor(ms / MINUTE_MS), 0)}m`
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.floor(ms / DAY_MS)}d`
}
