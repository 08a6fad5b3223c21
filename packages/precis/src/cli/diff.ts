import type { Conversation } from '@precis/core'
import { type FormatName, formats } from '@precis/core/formats'
import type { Command } from 'commander'
import { ArchiveError } from '../archive/archive-error.ts'
import { compareMessages, type Difference } from '../archive/compare-messages.ts'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { readOriginal } from '../archive/read-original.ts'
import type { Sqlite } from '../archive/sqlite.ts'
import { loadSession } from '../sessions/load-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import { addArchivedSessionArgument, withArchivedSession } from './archived-session.ts'
import { renderCount, renderPlural } from './render.ts'
import { addJsonOption } from './session-argument.ts'
import type { Terminal } from './terminal.ts'
import { neutralizeLine } from './terminal-text.ts'

interface DiffFlags {
  readonly full?: boolean
  readonly json?: boolean
}

const SHORT_LINES = 6

export function defineDiff(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command)
    .description(
      'Shows what a session says now beside what its original said, message by message. What was said in it since is shown as added.',
    )
    .option('--full', `all lines of every message; without it the first ${SHORT_LINES}`)
  addJsonOption(command)
    .addHelpText('after', DIFF_HELP)
    .action((name: string, flags: DiffFlags) => diff(name, flags, terminal))
}

async function diff(name: string, { full, json }: DiffFlags, terminal: Terminal): Promise<void> {
  const differences = await withArchivedSession(name, async (database, compression) => {
    const before = parseOriginal(database, compression)
    const after = await loadResult(compression)
    return compareMessages(before.messages, after.messages)
  })
  const counts = { kept: 0, removed: 0, added: 0 }
  for (const { type } of differences) counts[type]++
  if (json) {
    terminal.printJson({ ...counts, messages: differences })
    return
  }
  const lines = [
    `${renderPlural(counts.kept, 'message')} kept, ${renderCount(counts.removed)} removed or changed, ${renderCount(counts.added)} new`,
    ...renderDifferences(differences, full ? Number.POSITIVE_INFINITY : SHORT_LINES, terminal),
  ]
  for (const line of lines) terminal.print(line)
}

function parseOriginal(database: Sqlite, compression: ArchivedCompression): Conversation {
  const { [compression.format as FormatName]: format } = formats
  if (!format) {
    throw new ArchiveError(
      'archive-too-new',
      `Reading the original of ${compression.name}: its format "${compression.format}" is not known. Install the newest precis.`,
    )
  }
  return format.parse(createMemorySource(Buffer.concat([...readOriginal(database, compression)])))
}

async function loadResult({ name, path, sessionId }: ArchivedCompression): Promise<Conversation> {
  const place = path ?? sessionId
  if (place === null) {
    throw new ArchiveError(
      'not-archived',
      `Comparing ${name} with its original: the result went to standard output. Its original is there: "precis restore ${name}".`,
    )
  }
  const { document, conversation } = await loadSession(place)
  document.close()
  return conversation
}

function* renderDifferences(
  differences: readonly Difference[],
  mostLines: number,
  { colors }: Terminal,
): Generator<string> {
  let kept = 0
  const renderKept = () => colors.dim(`\n  ${renderPlural(kept, 'message')} kept`)
  for (const { type, role, text } of differences) {
    if (type === 'kept') {
      kept++
      continue
    }
    if (kept > 0) yield renderKept()
    kept = 0
    const [sign, color] = type === 'removed' ? ['-', colors.red] : ['+', colors.green]
    const lines = text.split('\n')
    yield `\n${color(`${sign} ${role}`)}`
    for (const line of lines.slice(0, mostLines)) yield color(`${sign}   ${neutralizeLine(line)}`)
    if (lines.length > mostLines) yield colors.dim(`${sign}   … ${renderPlural(lines.length - mostLines, 'more line')}`)
  }
  if (kept > 0) yield renderKept()
}

const DIFF_HELP = `
Examples:
  precis diff 3f2a
  precis diff 3f2a --full | less
  precis diff 3f2a --json | jq '.messages[] | select(.type == "added") | .text'

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
