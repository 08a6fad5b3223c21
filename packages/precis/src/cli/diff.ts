import type { Conversation } from '@precis/core'
import { type ByteSource, type Format, type FormatName, formats } from '@precis/core/formats'
import type { Command } from 'commander'
import { compareMessages, type Difference } from '../archive/compare-messages.ts'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { readOriginal } from '../archive/read-original.ts'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError, SessionError } from '../files/errors.ts'
import { createMemorySource } from '../files/read-document.ts'
import { createComparedSession } from '../pages/compared-session.ts'
import { renderDiffPage } from '../pages/diff-page.ts'
import {
  explainCompression,
  renderChanges,
  renderExplanation,
  toExplanationJson,
} from '../reports/explanation.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'
import { addArchivedSessionArgument, withArchivedSession } from './archived-session.ts'
import { addPageOptions, type PageFlags, printViews, refuseSessionFile } from './page-options.ts'
import { addJsonOption } from './session-argument.ts'

interface DiffFlags extends DatabaseFlags, PageFlags {
  readonly full?: boolean
}

const SHORT_LINES = 6

export function defineDiff(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command)
    .description(
      'Shows what a compression did: its steps, their price, and what happened to your words and to the facts. Then compares the session with its original, message by message. Later messages are shown as added.',
    )
    .option(
      '--full',
      `show every removed or changed record with its number, and all lines of every message (default: the first ${SHORT_LINES})`,
    )
  addJsonOption(addPageOptions(command, 'what happened to every message'))
    .addHelpText('after', DIFF_HELP)
    .action((name: string, flags: DiffFlags) => diff(name, flags, terminal))
}

async function diff(name: string, flags: DiffFlags, terminal: Terminal): Promise<void> {
  const { full = false } = flags
  terminal.progress.show('reading', 0.1)
  const { explanation, comparison, compared, damage } = await withArchivedSession(
    name,
    flags,
    terminal,
    async (database, compression, { damage: originalDamage }) => {
      const explanation = await explainCompression(database, compression, flags.database)
      const comparison = await compareWithOriginal(database, compression, flags, terminal)
      const damage = { ...comparison?.damage, ...(originalDamage && { originalDamage }) }
      if (flags.json || !comparison) return { explanation, comparison, compared: undefined, damage }
      terminal.progress.show('drawing', 0.6)
      const compared = createComparedSession({ ...explanation, ...comparison })
      return { explanation, comparison, compared, damage }
    },
  )
  const views = {
    page: () => (compared ? renderDiffPage(compared) : ''),
    json: () => ({
      ...toExplanationJson(explanation),
      ...(comparison && {
        ...countDifferences(comparison.differences),
        messages: comparison.differences,
      }),
      ...damage,
    }),
    print() {
      terminal.print(renderExplanation(explanation, terminal, full))
      if (!compared) return
      const mostLines = full ? Number.POSITIVE_INFINITY : SHORT_LINES
      for (const line of renderChanges(compared, mostLines, terminal)) terminal.print(line)
    },
  }
  await printViews(views, flags, terminal)
}

function countDifferences(differences: readonly Difference[]) {
  const counts = { kept: 0, removed: 0, added: 0 }
  for (const { type } of differences) counts[type]++
  return counts
}

/** Undefined, with a note, if the result is gone. A page is refused in this case. */
async function compareWithOriginal(
  database: Database,
  compression: ArchivedCompression,
  { html }: DiffFlags,
  terminal: Terminal,
) {
  try {
    const { conversation: after, damage } = await readAfter(compression, html, terminal)
    const { source, format, conversation: before } = await readBefore(database, compression)
    const differences = compareMessages(before.messages, after.messages)
    return { source, format: format.name, before, after, differences, damage }
  } catch (error) {
    const isGone = error instanceof ArchiveError || error instanceof SessionError
    if (!isGone || html !== undefined) throw error
    terminal.note(`precis: no messages to compare. ${error.message}`)
    return undefined
  }
}

interface Before {
  readonly source: ByteSource
  readonly format: Format
  readonly conversation: Conversation
}

async function readBefore(database: Database, compression: ArchivedCompression): Promise<Before> {
  const { [compression.format as FormatName]: format } = formats
  if (!format) {
    throw new ArchiveError(
      'archive-too-new',
      `Reading the original of ${compression.name}: its format "${compression.format}" is unknown. Install the latest precis.`,
    )
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of await readOriginal(database, compression)) chunks.push(chunk)
  const source = createMemorySource(Buffer.concat(chunks))
  return { source, format, conversation: format.parse(source) }
}

async function readAfter(
  { name, path, sessionId }: ArchivedCompression,
  html: string | undefined,
  terminal: Terminal,
) {
  const place = path ?? sessionId
  if (place === null) {
    throw new ArchiveError(
      'not-archived',
      `Comparing ${name} with its original: the result went to standard output. "precis restore ${name}" prints the original.`,
    )
  }
  return await withSession(place, undefined, terminal, (session) => {
    if (html !== undefined) refuseSessionFile(session, html)
    return { conversation: session.conversation, damage: toDamageJson(session) }
  })
}

const DIFF_HELP = `
Examples:
  precis diff 3f2a
  precis diff 3f2a --full | less
  precis diff 3f2a --html diff.html
  precis diff 3f2a --json | jq '.spans[] | select(.fate == "removed")'

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
