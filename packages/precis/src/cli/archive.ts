import { Argument, type Command } from 'commander'
import { type Collected, collectGarbage, shrinkArchive } from '../archive/collect-garbage.ts'
import { type ArchivedCompression, listCompressions } from '../archive/compressions.ts'
import { type ArchiveSize, measureArchive } from '../archive/measure-archive.ts'
import { explain, findArchivePath, openArchive } from '../archive/open-archive.ts'
import { type Verified, verifyArchive } from '../archive/verify-archive.ts'
import type { Database } from '../database/database.ts'
import { isDatabaseAddress, renderDatabaseAddress } from '../database/database-address.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { renderBytes, renderPlural, renderTable, renderTime } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { addDatabaseOption, type DatabaseFlags } from './database-option.ts'
import { exitCodes } from './exit-codes.ts'
import { DEFAULT_QUOTA_MEGABYTES } from './keep-original.ts'
import { readConfigured } from './read-configured.ts'
import { addJsonOption } from './session-argument.ts'

interface ArchiveFlags extends DatabaseFlags {
  readonly json?: boolean
}

type Action = 'gc' | 'verify'

const MOST_LISTED = 20

export function defineArchive(command: Command, terminal: Terminal): void {
  command
    .addArgument(
      new Argument(
        '[action]',
        '"gc" forgets originals whose compressed sessions are gone; "verify" compares every byte with its hash',
      ).choices(['gc', 'verify']),
    )
    .description(
      'Shows how much is kept of originals, and of which. By default it is one file that only you can read, and nothing in it leaves this machine.',
    )
  addJsonOption(addDatabaseOption(command))
    .addHelpText('after', ARCHIVE_HELP)
    .action((action: Action | undefined, flags: ArchiveFlags) => archive(action, flags, terminal))
}

async function archive(action: Action | undefined, flags: ArchiveFlags, terminal: Terminal): Promise<void> {
  const { json } = flags
  const { archive: settings = {} } = await readConfigured(flags)
  const { quotaMegabytes = DEFAULT_QUOTA_MEGABYTES, database: place = findArchivePath() } = settings
  const database = await openArchive(place)
  const path = isDatabaseAddress(place) ? renderDatabaseAddress(place) : place
  if (!database) {
    if (json) terminal.printJson({ path, ...EMPTY, quotaMegabytes, entries: [] })
    else terminal.print(`Nothing is kept yet. The first compression makes ${neutralizeLine(shortenHome(path))}.`)
    return
  }
  try {
    const { collected, verified } = await act(action, database)
    const size = await measureArchive(database)
    const entries = await listCompressions(database, MOST_LISTED)
    if (json) terminal.printJson({ path, ...size, quotaMegabytes, entries, ...collected, ...verified })
    else terminal.print(render({ path, size, quotaMegabytes, entries, ...collected, ...verified }, terminal))
    if (verified && verified.verified.problems.length > 0) process.exitCode = exitCodes.failed
  } catch (error) {
    throw explain(error, place)
  } finally {
    await database.close()
  }
}

const EMPTY: ArchiveSize = { bytes: 0, compressions: 0, records: 0, recordBytes: 0 }

interface Done {
  readonly collected?: { readonly collected: Collected }
  readonly verified?: { readonly verified: Verified }
}

async function act(action: Action | undefined, database: Database): Promise<Done> {
  if (action === 'verify') return { verified: { verified: await verifyArchive(database) } }
  if (action !== 'gc') return {}
  const collected = await collectGarbage(database)
  await shrinkArchive(database)
  return { collected: { collected } }
}

interface Shown {
  readonly path: string
  readonly size: ArchiveSize
  readonly quotaMegabytes: number
  readonly entries: readonly ArchivedCompression[]
  readonly collected?: Collected
  readonly verified?: Verified
}

function render({ path, size, quotaMegabytes, entries, collected, verified }: Shown, terminal: Terminal): string {
  const { colors } = terminal
  const lines = [
    neutralizeLine(shortenHome(path)),
    `  ${renderBytes(size.bytes)} of ${renderBytes(quotaMegabytes * 1_000_000)}: ${renderPlural(size.records, 'record')} with ${renderBytes(size.recordBytes)}, ${renderPlural(size.compressions, 'compression')}`,
  ]
  if (collected) {
    lines.push(
      `  forgotten: ${renderPlural(collected.compressions, 'compression')}, ${renderPlural(collected.records, 'record')}`,
    )
  }
  if (verified) lines.push(`  ${renderVerified(verified, terminal)}`)
  if (entries.length > 0) lines.push('', renderEntries(entries, terminal))
  const more = size.compressions - entries.length
  if (more > 0) lines.push(colors.dim(`  and ${more} older`))
  return lines.join('\n')
}

function renderVerified({ records, compressions, problems }: Verified, { colors }: Terminal): string {
  if (problems.length > 0) return [colors.red('damaged:'), ...problems.map(neutralizeLine)].join('\n    ')
  return `${colors.green('whole')}: ${renderPlural(records, 'record')} and ${renderPlural(compressions, 'original')} are what was stored`
}

function renderEntries(entries: readonly ArchivedCompression[], { columns, colors }: Terminal): string {
  return renderTable(
    {
      columns: [
        { title: 'entry' },
        { title: 'stored', style: colors.dim },
        { title: 'by' },
        { title: 'original', align: 'right' },
        { title: 'of', shrinkTo: 20 },
        { title: 'new session', shrinkTo: 20 },
      ],
      rows: entries.map((entry) => [
        entry.name,
        renderTime(new Date(entry.storedAt)),
        entry.command,
        renderBytes(entry.originalBytes),
        renderPlace(entry.originalId ?? entry.originalPath ?? 'standard input'),
        renderPlace(entry.sessionId ?? entry.path ?? 'standard output'),
      ]),
    },
    columns,
    colors,
  )
}

function renderPlace(place: string): string {
  return neutralizeLine(shortenHome(place))
}

const ARCHIVE_HELP = `
Examples:
  precis archive
  precis archive gc
  precis archive verify --json | jq .verified.problems

Exit codes: 0 done, 1 failed or damaged, 2 wrong usage, 130 interrupted.
`
