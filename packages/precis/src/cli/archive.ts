import { Argument, type Command } from 'commander'
import {
  type ArchiveSize,
  type Collected,
  collectGarbage,
  measureArchive,
  shrinkArchive,
  type Verified,
  verifyArchive,
} from '../archive/check-archive.ts'
import { type ArchivedCompression, listCompressions } from '../archive/compressions.ts'
import { explainArchiveError, findArchivePath, openArchive } from '../archive/open-archive.ts'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import { DEFAULT_QUOTA_MEGABYTES } from '../compression/ports.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { type Database, isDatabaseAddress, renderDatabaseAddress } from '../database/database.ts'
import {
  neutralizeLine,
  renderBytes,
  renderPath,
  renderPlural,
  renderTable,
  renderTime,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes } from './failure.ts'
import { addDatabaseOption } from './options.ts'
import { addJsonOption } from './session-argument.ts'

interface ArchiveFlags extends DatabaseFlags {
  readonly json?: boolean
}

type ArchiveAction = 'gc' | 'verify'

const MOST_LISTED = 20

export function defineArchive(command: Command, terminal: Terminal): void {
  command
    .addArgument(
      new Argument(
        '[action]',
        '"gc" deletes originals whose compressed sessions are gone, and "verify" compares every byte with its hash',
      ).choices(['gc', 'verify']),
    )
    .description(
      'Shows the originals in the archive and their size. By default the archive is one file that only you can read, and it never leaves this machine.',
    )
  addJsonOption(addDatabaseOption(command))
    .addHelpText('after', ARCHIVE_HELP)
    .action((action: ArchiveAction | undefined, flags: ArchiveFlags) =>
      archive(action, flags, terminal),
    )
}

async function archive(
  action: ArchiveAction | undefined,
  flags: ArchiveFlags,
  terminal: Terminal,
): Promise<void> {
  const { json } = flags
  const { archive: settings = {} } = await readConfigured(flags)
  const { quotaMegabytes = DEFAULT_QUOTA_MEGABYTES, database: place = findArchivePath() } = settings
  const database = await openArchive(place)
  const path = isDatabaseAddress(place) ? renderDatabaseAddress(place) : place
  if (!database) {
    if (json) terminal.printJson({ path, ...EMPTY, quotaMegabytes, entries: [] })
    else terminal.print(`Nothing is kept yet. The first compression creates ${renderPath(path)}.`)
    return
  }
  try {
    const done = await act(action, database)
    const size = await measureArchive(database)
    const entries = await listCompressions(database, MOST_LISTED)
    if (json) terminal.printJson({ path, ...size, quotaMegabytes, entries, ...done })
    else terminal.print(render({ path, size, quotaMegabytes, entries, ...done }, terminal))
    if (done.verified && done.verified.problems.length > 0) process.exitCode = exitCodes.failed
  } catch (error) {
    throw explainArchiveError(error, place)
  } finally {
    await database.close()
  }
}

const EMPTY: ArchiveSize = { bytes: 0, compressions: 0, records: 0, recordBytes: 0 }

interface ArchiveResult {
  readonly collected?: Collected
  readonly verified?: Verified
}

async function act(action: ArchiveAction | undefined, database: Database): Promise<ArchiveResult> {
  if (action === 'verify') return { verified: await verifyArchive(database) }
  if (action !== 'gc') return {}
  const collected = await collectGarbage(database)
  await shrinkArchive(database)
  return { collected }
}

interface Shown extends ArchiveResult {
  readonly path: string
  readonly size: ArchiveSize
  readonly quotaMegabytes: number
  readonly entries: readonly ArchivedCompression[]
}

function render(
  { path, size, quotaMegabytes, entries, collected, verified }: Shown,
  terminal: Terminal,
): string {
  const { colors } = terminal
  const space = `${renderBytes(size.bytes)} of ${renderBytes(quotaMegabytes * 1_000_000)}`
  const isEmpty = size.records === 0 && size.compressions === 0
  const lines = [
    renderPath(path),
    isEmpty
      ? `  empty, ${space} used`
      : `  ${space}: ${renderPlural(size.records, 'record')} with ${renderBytes(size.recordBytes)}, ${renderPlural(size.compressions, 'compression')}`,
  ]
  if (collected) {
    lines.push(
      `  forgotten: ${renderPlural(collected.compressions, 'compression')}, ${renderPlural(collected.records, 'record')}`,
    )
  }
  if (verified && (!isEmpty || verified.problems.length > 0))
    lines.push(`  ${renderVerified(verified, terminal)}`)
  if (entries.length > 0) lines.push('', renderEntries(entries, terminal))
  const more = size.compressions - entries.length
  if (more > 0) lines.push(colors.dim(`  and ${more} older`))
  return lines.join('\n')
}

function renderVerified(
  { records, compressions, problems }: Verified,
  { colors }: Terminal,
): string {
  if (problems.length > 0)
    return [colors.red('damaged:'), ...problems.map(neutralizeLine)].join('\n    ')
  return `${colors.green('whole')}: ${renderPlural(records, 'record')} and ${renderPlural(compressions, 'original')} match what was stored`
}

function renderEntries(entries: readonly ArchivedCompression[], terminal: Terminal): string {
  return renderTable(
    [
      'entry',
      { title: 'stored', style: terminal.colors.dim },
      'by',
      right('original'),
      { title: 'of', shrinkTo: 20 },
      { title: 'new session', shrinkTo: 20 },
    ],
    entries.map((entry) => [
      entry.name,
      renderTime(new Date(entry.storedAt)),
      entry.command,
      renderBytes(entry.originalBytes),
      renderPath(entry.originalId ?? entry.originalPath ?? 'standard input'),
      renderPath(entry.sessionId ?? entry.path ?? 'standard output'),
    ]),
    terminal,
  )
}

const ARCHIVE_HELP = `
Examples:
  precis archive
  precis archive gc
  precis archive verify --json | jq .verified.problems

Exit codes: 0 done, 1 failed or damaged, 2 wrong usage, 130 interrupted.
`
