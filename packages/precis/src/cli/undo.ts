import { type Command, Option } from 'commander'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import { createPorts } from '../compression/compress-named.ts'
import type { DestinationOptions } from '../compression/destination.ts'
import { findQuotaBytes } from '../compression/ports.ts'
import { putBackWords } from '../compression/put-back-words.ts'
import { undoSession } from '../compression/undo-session.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { printWritten } from '../reports/destination.ts'
import { renderRestored, renderUndo, toUndoJson } from '../reports/undo.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { noteDamage, withSession } from '../terminal/with-session.ts'
import { addArchivedSessionArgument, withArchivedSession } from './archived-session.ts'
import { wrongUsage } from './failure.ts'
import { assertOther } from './restore.ts'
import { addJsonOption } from './session-argument.ts'

interface UndoFlags extends DatabaseFlags, DestinationOptions {
  readonly words?: boolean
  readonly remove?: boolean
}

export function defineUndo(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command, ({ words }) => (words ? 'session' : 'archived-session'))
    .description(
      'Returns to the original of a compressed session. If nothing was added since, that is the original itself, and its file is restored if it is missing. If something was added, it is a new session: the whole original, followed by everything that was added.\n\n' +
        'Neither the original nor the compressed session changes.',
    )
    .option(
      '--words',
      "add back your words that the agent's own compactions lost, at the end of a copy of any session",
    )
    .option(
      '-o, --out <file>',
      'write the session to continue to this file, or to standard output with "-"',
    )
    .option('-n, --dry-run', 'only report what would be done: write and remove nothing')
    .addOption(
      new Option(
        '--remove',
        'remove the compressed session if everything in it is also somewhere else',
      ).conflicts('words'),
    )
  addJsonOption(command)
    .addHelpText('after', UNDO_HELP)
    .action((name: string, flags: UndoFlags) => undo(name, flags, terminal))
}

async function undo(name: string, flags: UndoFlags, terminal: Terminal): Promise<void> {
  const { out, remove, json, database: place } = flags
  if (json && out === '-') {
    throw wrongUsage(
      'The session and --json cannot both go to standard output. Give a file with --out.',
    )
  }
  if (remove && out === '-') {
    throw wrongUsage(
      '--remove needs a file that keeps the session, not standard output. Give a file with --out.',
    )
  }
  if (flags.words) {
    await undoForgetting(name, flags, terminal)
    return
  }
  const { archive } = await readConfigured({ database: place })
  const { write } = createPorts({ archive: true }, {}, terminal)
  const quotaBytes = findQuotaBytes(archive)
  const undone = await withArchivedSession(
    name,
    flags,
    terminal,
    async (database, entry, { damage }) => {
      if (out !== undefined && out !== '-') assertOther(out, entry)
      const onLoaded = (session: LoadedSession) => noteDamage(session, terminal)
      const undone = await undoSession(name, entry, flags, {
        write,
        database,
        quotaBytes,
        onLoaded,
      })
      return { ...undone, ...(damage && { originalDamage: damage }) }
    },
  )
  if (json) terminal.printJson(toUndoJson(undone))
  else
    printWritten(
      renderUndo(undone, terminal.colors),
      { type: out === '-' ? 'standard-output' : 'file' },
      terminal,
    )
}

/** For a session that its agent compacted. */
async function undoForgetting(name: string, flags: UndoFlags, terminal: Terminal): Promise<void> {
  const { write } = createPorts({ archive: false }, {}, terminal)
  const restored = await withSession(
    name,
    undefined,
    terminal,
    async (session) => await putBackWords(session, flags, write),
  )
  if (flags.json) {
    const { agentName: _, isDryRun: __, ...json } = restored
    const { input = null, output = null } = restored
    terminal.printJson({ action: 'words', ...json, input, output })
  } else
    printWritten(
      renderRestored(restored, terminal.colors),
      { type: flags.out === '-' ? 'standard-output' : 'file' },
      terminal,
    )
}

const UNDO_HELP = `
Examples:
  precis undo 3f2a                  back to the original, with what was said since
  precis undo 3f2a --dry-run        what would happen
  precis undo 3f2a --remove         and without the compressed session
  precis undo 3f2a --out whole.jsonl
  precis undo 3f2a --words          a copy with your words that the agent's compactions lost

A session that was compressed several times returns by one compression.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
