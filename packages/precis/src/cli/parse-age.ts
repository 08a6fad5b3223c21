import { InvalidArgumentError } from 'commander'

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}
const AGE = /^(\d{1,6}(?:\.\d{1,3})?)\s?([mhdw])$/i
const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/i

/** The moment that `90m`, `12h`, `7d` or `2w` ago was, or that a date names; one without a time is its midnight here. */
export function parseAge(text: string, now = new Date()): Date {
  const trimmed = text.trim()
  const [, count, unit = ''] = AGE.exec(trimmed) ?? []
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (UNIT_MS[unit.toLowerCase()] ?? 0))
  const [, year, month, day] = DATE.exec(trimmed) ?? []
  // The language reads a date without a time as midnight in London, and the 31st of June as the 1st of July.
  const date = new Date(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'))
  const lastDay = new Date(Number(year), Number(month), 0).getDate()
  if (day !== undefined && Number(day) <= lastDay && !Number.isNaN(date.getTime())) return date
  throw new InvalidArgumentError('Give an age as 30m, 12h, 7d or 2w, or a date as 2026-11-01.')
}
