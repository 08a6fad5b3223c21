/** Threshold and kept ends as people type them: in flags, in files and in the chat. */

import { auto, type Keep, type Ladder, type Strategy } from '@precis/core'
import { type Spend, spends } from '@precis/core/context'
import { strategies } from '@precis/core/strategies'

/** A large model that reads 200,000 tokens takes minutes until its answer begins. */
export const LONGEST_TIMEOUT_MS = 30 * 60_000

/** How much stays verbatim at the start and at the end. */
export interface KeptEnds {
  readonly head?: Keep
  readonly tail?: Keep
}

/** Below this, a chat would be compressed at every message. */
export const LEAST_THRESHOLD = 0.01

export const THRESHOLD_HELP = 'Give a share of the window from 1% to 100%, as 0.8 or 80%.'

export const SPEND_HELP = `Give ${spends.join(', ')}.`

export const readSpend = (text: string): Spend | undefined =>
  spends.find((spend) => spend === text.trim().toLowerCase())

/** `0.8` or `80%`. Undefined for anything else. */
export function readThreshold(text: string): number | undefined {
  const [, digits = '', percent] = /^(\d{0,3}\.?\d{0,6})\s?(%?)$/.exec(text.trim()) ?? []
  const share = Number(digits) / (percent ? 100 : 1)
  return digits !== '' && share >= LEAST_THRESHOLD && share <= 1 ? share : undefined
}

export const LIMIT_HELP = `${THRESHOLD_HELP.slice(0, -1)}, or tokens, as 120000 or 120k.`

/** A share of the window, or a number above 1: tokens. Undefined for anything else. */
export function readLimit(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)\s?([km]?)$/i.exec(text.trim()) ?? []
  const tokens = Number(digits) * (FACTORS[unit.toLowerCase()] ?? 1)
  return readThreshold(text) ?? (tokens >= LEAST_LIMIT_TOKENS ? Math.round(tokens) : undefined)
}

// A smaller number is a percentage whose sign is missing.
const LEAST_LIMIT_TOKENS = 1000

/** A text that `readLimit` reads. */
export const renderLimit = (limit: number): string =>
  limit > 1 ? String(limit) : renderThreshold(limit)

/** `42%`, `7.5%`: a text that `readThreshold` reads. */
export function renderThreshold(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`
}

export const KEEP_HELP =
  'Give how much stays verbatim, at the end unless head is said: 20%, 5k tokens, 20 messages, 3 turns, head:5k, or both: head:10%,tail:3turns.'

const KEPT_END =
  /^(?:(head|tail)\s{0,3}[:=\s]\s{0,3})?(\d{1,9}(?:\.\d{1,6})?)\s{0,3}(%|[km]?\s{0,3}(?:tokens?|messages?|turns?)?)$/i

/** `3turns`, `head:10%,tail:5k`. Undefined for text that cannot be read. */
export function readKeep(text: string): KeptEnds | undefined {
  let kept: KeptEnds = {}
  for (const part of text.split(',')) {
    const [, end = 'tail', digits = '', unit = ''] = KEPT_END.exec(part.trim()) ?? []
    const amount =
      digits === ''
        ? undefined
        : readAmount(Number(digits), unit.toLowerCase().replaceAll(/\s/g, ''))
    const name = end.toLowerCase() === 'head' ? 'head' : 'tail'
    if (!amount || kept[name]) return undefined
    kept = { ...kept, [name]: amount }
  }
  return kept
}

const FACTORS: Readonly<Record<string, number>> = { k: 1000, m: 1_000_000 }

function readAmount(value: number, unit: string): Keep | undefined {
  if (unit === '%') return value <= 100 ? { fraction: value / 100 } : undefined
  if (unit === '' && value <= 1) return { fraction: value }
  const [, factor = '', noun = ''] = /^([km]?)(?:(token|message|turn)s?)?$/.exec(unit) ?? []
  const count = value * (FACTORS[factor] ?? 1)
  if (!Number.isSafeInteger(count)) return undefined
  if (noun === 'message') return { messages: count }
  if (noun === 'turn') return { turns: count }
  // A small number without a unit may mean turns or messages.
  return noun === 'token' || factor !== '' || count >= LEAST_BARE_TOKENS
    ? { tokens: count }
    : undefined
}

const LEAST_BARE_TOKENS = 100

/** `head:10%,tail:3turns`: a text that `readKeep` reads. */
export function renderKeep({ head, tail }: KeptEnds): string {
  return [head && `head:${renderAmount(head)}`, tail && `tail:${renderAmount(tail)}`]
    .filter(Boolean)
    .join(',')
}

function renderAmount(keep: Keep): string {
  if ('fraction' in keep) return renderThreshold(keep.fraction)
  if ('tokens' in keep) return `${keep.tokens}tokens`
  return 'messages' in keep ? `${keep.messages}messages` : `${keep.turns}turns`
}

/** Every strategy that a user may name: the ladder, and each single strategy. */
export const strategyChoices: Readonly<Record<string, Strategy | Ladder>> = {
  [auto.name]: auto,
  ...strategies,
}
