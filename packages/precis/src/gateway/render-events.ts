/** Answers of our own as the bytes of a body. */
import type { ApiEvent } from '@precis/core/apis'

/** Events as they stand in a `text/event-stream` (html.spec.whatwg.org, 9.2). */
export function renderEvents(events: readonly ApiEvent[]): Uint8Array {
  const lines = events.map(({ name, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
  })
  return Buffer.from(lines.join(''))
}
