import { type Command, Option } from 'commander'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { type FoundSpan, searchRemoved } from '../archive/search-index.ts'
import { listSearchedEntries, withArchive } from '../archive/with-archive.ts'
import type { Database } from '../database/database.ts'
import { isDamaged } from '../sessions/load-session.ts'
import { neutralizeLine, renderBytes } from '../terminal/render.ts'
import { askLine, isInteractive, type Terminal } from '../terminal/terminal.ts'
import { noteDamage } from '../terminal/with-session.ts'
import {
  type ArchivedSessionFlags,
  addArchivedSessionArgument,
  readDamage,
} from './archived-session.ts'
import { wrongUsage } from './failure.ts'
import { createLimitParser } from './options.ts'
import { addJsonOption } from './session-argument.ts'

interface RecallFlags extends ArchivedSessionFlags {
  readonly limit: number
}

const DEFAULT_LIMIT = 10
const MOST_FOUND = 1000

export function defineRecall(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command)
    .argument('[query...]', 'words to search for (records with all of them come first)')
    .description(
      'Searches what all compressions removed from a session or changed in it. Known kinds of keys and passwords are neither found nor shown. "precis restore" prints every byte.',
    )
    .addOption(
      new Option('-l, --limit <count>', 'show at most this many')
        .argParser(createLimitParser(MOST_FOUND))
        .default(DEFAULT_LIMIT, String(DEFAULT_LIMIT)),
    )
  addJsonOption(command)
    .addHelpText('after', RECALL_HELP)
    .action(async (name: string, words: string[], flags: RecallFlags) => {
      const query = words.length > 0 ? words.join(' ') : await askWords(flags)
      await recall(name, query, flags, terminal)
    })
}

/** For a user who chose the session from a list. */
async function askWords({ json }: RecallFlags): Promise<string> {
  const words = isInteractive({ json }) ? await askLine('words to search for: ') : ''
  if (words.trim() !== '') return words
  throw wrongUsage(
    'Nothing to search for. Give words after the session: "precis recall <session> <words>".',
  )
}

async function recall(
  name: string,
  query: string,
  flags: RecallFlags,
  terminal: Terminal,
): Promise<void> {
  const { limit, json } = flags
  const { found, damaged } = await withArchive(`"${name}"`, flags, async (database) => {
    const entries = await listSearchedEntries(database, name)
    return {
      found: await searchRemoved(database, entries, query, limit),
      damaged: await listDamaged(database, entries),
    }
  })
  for (const original of damaged) noteDamage(original, terminal)
  if (json) {
    const sessions = damaged.map(({ name: session, damage }) => ({ session, ...damage }))
    terminal.printJson({ query, found, ...(sessions.length > 0 && { damaged: sessions }) })
  } else if (found.length === 0) terminal.note('No removed text matches these words.')
  else terminal.print(found.map((span) => renderFound(span, terminal)).join('\n\n'))
}

/** One session may be the original of several entries. */
async function listDamaged(database: Database, entries: readonly ArchivedCompression[]) {
  const originals = await Promise.all(
    entries.map(async (entry) => await readDamage(database, entry)),
  )
  const damaged = originals.filter(({ damage }) => isDamaged(damage))
  return [...new Map(damaged.map((original) => [original.name, original])).values()]
}

function renderFound(
  { compression, span, fate, label, bytes, excerpt }: FoundSpan,
  { colors }: Terminal,
): string {
  const title = `${neutralizeLine(label)}, ${fate}, ${renderBytes(bytes)}`
  const text = neutralizeLine(excerpt).replace(/ {2,}/g, ' ')
  return `${colors.bold(title)}  ${colors.dim(`precis restore ${compression} ${span}`)}\n  ${text}`
}

const RECALL_HELP = `
Examples:
  precis recall 3f2a migration plan
  precis recall 3f2a "ECONNREFUSED 5432" --limit 3
  precis recall 3f2a flaky test --json | jq '.found[].excerpt'

Exit codes: 0 done, also when nothing is found, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
