const TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z$/

/**
 * Milliseconds since 1970 of an ISO 8601 time in UTC. Undefined for anything else. Does not use the
 * host's clock.
 */
export function parseTimestamp(text: string): number | undefined {
  const found = TIMESTAMP.exec(text)
  if (!found) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number)
  const milliseconds = Number((found[7] ?? '0').padEnd(3, '0'))
  return (
    (((countDays(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds
  )
}

const DAYS_BEFORE_1970 = 719_468

/** Years begin in March here, so a leap day is the last day of its year. */
function countDays(year: number, month: number, day: number): number {
  const isEarly = month <= 2
  const years = isEarly ? year - 1 : year
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const dayOfYear = Math.floor((153 * (month + (isEarly ? 9 : -3)) + 2) / 5) + day - 1
  return years * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970
}
