import { type Command, InvalidArgumentError } from 'commander'
import type { Budget } from '../batch/budget-tokens.ts'
import type { KeptEnds } from '../configuration/configuration.ts'
import { KEEP_HELP, readKeep, readThreshold, THRESHOLD_HELP } from '../configuration/threshold.ts'

export const DEFAULT_BUDGET = '50%'

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Reads `8000`, `8_000`, `8k`, `1.5m` and `20%`. */
export function parseBudget(text: string): Budget {
  const [, digits = '', unit = ''] = /^(\d[\d_]{0,15}(?:\.\d{1,6})?)\s?([km%]?)$/i.exec(text.trim()) ?? []
  const value = Number(digits.replaceAll('_', ''))
  const tokens = Math.floor(value * (FACTORS[unit.toLowerCase()] ?? 0))
  if (unit === '%' && value > 0 && value <= 100) return { type: 'share', fraction: value / 100 }
  if (tokens >= 1 && Number.isSafeInteger(tokens)) return { type: 'tokens', tokens }
  throw new InvalidArgumentError('Give tokens, as 8000 or 8k, or a share of the session above 0 and up to 100, as 20%.')
}

/** The text itself, when it can be read. */
export function checkBudget(text: string): string {
  parseBudget(text)
  return text
}

export function parseThreshold(text: string): number {
  const share = readThreshold(text)
  if (share === undefined) throw new InvalidArgumentError(THRESHOLD_HELP)
  return share
}

/** Given several times the ends add up. */
function parseKeep(text: string, before: KeptEnds = {}): KeptEnds {
  const kept = readKeep(text)
  if (!kept) throw new InvalidArgumentError(KEEP_HELP)
  return { ...before, ...kept }
}

export function addKeepOption(command: Command): Command {
  return command.option(
    '--keep <[head:|tail:]amount>',
    'what stays verbatim at an end, with strategies that keep both: 20%, 5k tokens, "20 messages", 3turns; of the end unless head: stands before',
    parseKeep,
  )
}
