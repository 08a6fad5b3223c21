/** Where a result was written, and what the archive has of its original. */
import type { Destination, Kept } from '../compression/ports.ts'
import {
  type Colors,
  neutralizeLine,
  renderBytes,
  renderPath,
  renderPlural,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { SizedResult } from './sizes.ts'

export function describeUnchanged(
  destination: Destination,
  renderName: (path: string) => string,
): string {
  if (destination.type === 'standard-output') return 'It was passed on unchanged.'
  return 'path' in destination
    ? `It was written unchanged to ${renderName(destination.path)}.`
    : 'Nothing was written.'
}

/**
 * One line about the archive. Empty if nothing was kept, because the problem was already reported.
 * A result on standard output has no path, so the commands need the name of its entry.
 */
export function renderKept(kept: Kept | undefined, { type }: Destination): string[] {
  if (!kept || 'problem' in kept) return []
  const name = type === 'standard-output' ? ` ${kept.name}` : ''
  // A session that was converted whole.
  if (kept.spans === 0) return [`archive: it has the original; "precis restore${name}" prints it`]
  const records = `${renderPlural(kept.spans, 'record')} ${kept.spans === 1 ? 'was' : 'were'} removed or changed`
  return [
    `archive: ${records}; "precis recall${name}" searches them, "precis restore${name}" prints them`,
  ]
}

export function renderDestination(
  { destination, session, report, bytes }: SizedResult,
  colors: Colors,
): string {
  switch (destination.type) {
    case 'nowhere':
      return `Nothing written. The result would be ${renderBytes(bytes)}.`
    case 'standard-output':
      return `Wrote ${renderPlural(report.after.messages, 'message')} to standard output.`
    case 'file':
      return `Wrote ${neutralizeLine(destination.path)}`
    case 'agent':
      return `Wrote ${renderPath(destination.path)}

Continue in ${session.agent?.title ?? 'its agent'}:
  ${colors.bold(destination.placement.resumeCommand)}`
  }
}

/** Prints a report. If the result itself went to standard output, the report is a note. */
export function printWritten(
  report: string,
  { type }: Pick<Destination, 'type'>,
  terminal: Terminal,
): void {
  if (type === 'standard-output') terminal.note(report)
  else terminal.print(report)
}
