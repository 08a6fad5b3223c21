/** ISO 8601 to the second in the time zone of this machine, without its offset: `2026-11-21T13:05:09`. */
export function renderLocalTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
