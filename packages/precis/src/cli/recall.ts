import { type Command, Option } from 'commander'
import { type ArchivedCompression, listCompressions } from '../archive/compressions.ts'
import { type FoundSpan, searchRemoved } from '../archive/search-index.ts'
import { listSearchedEntries, withArchive } from '../archive/with-archive.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import { shortenHome } from '../files/user-folders.ts'
import { isDamaged } from '../sessions/load-session.ts'
import { neutralizeLine, renderBytes, renderTime } from '../terminal/render.ts'
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
      'Searches what all compressions removed from a session or changed in it. If the first word names no session, all words are searched in everything that is archived. Known kinds of keys and passwords are neither found nor shown. "precis restore" prints every byte.',
    )
    .addOption(
      new Option('-l, --limit <count>', 'show at most this many')
        .argParser(createLimitParser(MOST_FOUND))
        .default(DEFAULT_LIMIT, String(DEFAULT_LIMIT)),
    )
  addJsonOption(command)
    .addHelpText('after', RECALL_HELP)
    .action(async (name: string, words: string[], flags: RecallFlags) => {
      await recall(name, words, flags, terminal)
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

interface RecallSearch {
  readonly query: string
  readonly entries: readonly ArchivedCompression[]
}

async function recall(
  name: string,
  words: readonly string[],
  flags: RecallFlags,
  terminal: Terminal,
): Promise<void> {
  const { limit, json } = flags
  const { query, entries, found, damaged } = await withArchive(
    `"${name}"`,
    flags,
    async (database) => {
      const { query, entries } = await findSearched(database, name, words, flags)
      return {
        query,
        entries: new Map(entries.map((entry) => [entry.name, entry])),
        found: await searchRemoved(database, entries, query, limit),
        damaged: await listDamaged(database, entries),
      }
    },
  )
  for (const original of damaged) noteDamage(original, terminal)
  if (json) {
    const sessions = damaged.map(({ name: session, damage }) => ({ session, ...damage }))
    const spans = found.map((span) => {
      const { originalId = null, originalPath = null } = entries.get(span.compression) ?? {}
      return { ...span, sessionId: originalId, path: originalPath }
    })
    terminal.printJson({ query, found: spans, ...(sessions.length > 0 && { damaged: sessions }) })
  } else if (found.length === 0)
    terminal.note(
      `No removed text matches these words. "precis sessions --search <text>" searches sessions.`,
    )
  else {
    const isSessionNamed = isWide(found, entries)
    const shown = found.map((span) =>
      renderFound(span, entries.get(span.compression), isSessionNamed, terminal),
    )
    terminal.print(shown.join('\n\n'))
  }
}

/** The named session, or everything that is archived if the first word names none. */
async function findSearched(
  database: Database,
  name: string,
  words: readonly string[],
  flags: RecallFlags,
): Promise<RecallSearch> {
  try {
    const entries = await listSearchedEntries(database, name)
    return { query: words.length > 0 ? words.join(' ') : await askWords(flags), entries }
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'not-archived') throw error
    // Words of another session are no answer to who named one.
    if (isId(name)) {
      throw new ArchiveError(
        'not-archived',
        `${error.message} To search for it as a word, put another word before it.`,
      )
    }
    const query = [name, ...words].join(' ')
    const entries = await listCompressions(database)
    const [first] = await searchRemoved(database, entries, query, 1)
    // What looks like a session and is none is more likely a mistake than a word.
    if (!first && SESSION.test(name)) throw error
    return { query, entries }
  }
}

// A path, or a word such as "add" and "404" that an id may begin with.
const SESSION = /[/\\.]|^[\da-f]{3,}$/i
const ID = /^ses_|^[\da-f]{8}(?:-|[\da-f]*$)|\.jsonl$/i
const SHORT_ID = /^(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{4,}$/i

/** Whether no word is written like this: `3f2a`, `5024790ee2`, a reference, the file of a session. */
const isId = (name: string): boolean => ID.test(name) || SHORT_ID.test(name)

/** Whether results of several sessions have to be told apart. */
function isWide(
  found: readonly FoundSpan[],
  entries: ReadonlyMap<string, ArchivedCompression>,
): boolean {
  const name = (entry: ArchivedCompression | undefined) =>
    entry?.originalId ?? entry?.originalPath ?? undefined
  return new Set(found.map(({ compression }) => name(entries.get(compression)))).size > 1
}

/** One session may be the original of several entries. */
async function listDamaged(database: Database, entries: readonly ArchivedCompression[]) {
  const originals = await Promise.all(
    entries.map(async (entry) => await readDamage(database, entry)),
  )
  const damaged = originals.filter(({ damage }) => isDamaged(damage))
  return [...new Map(damaged.map((original) => [original.name, original])).values()]
}

const ID_CHARACTERS = 13

function renderFound(
  { compression, span, fate, label, bytes, excerpt }: FoundSpan,
  entry: ArchivedCompression | undefined,
  isSessionNamed: boolean,
  { colors }: Terminal,
): string {
  const title = `${neutralizeLine(label)}, ${fate}, ${renderBytes(bytes)}`
  const text = neutralizeLine(excerpt).replace(/ {2,}/g, ' ')
  const { originalId, originalPath, format = '', storedAt = '' } = entry ?? {}
  const session = originalId?.slice(0, ID_CHARACTERS) ?? (originalPath && shortenHome(originalPath))
  const source = `${session ?? 'standard input'} (${format}, ${renderTime(new Date(storedAt))})`
  return [
    `${colors.bold(title)}  ${colors.dim(`precis restore ${compression} ${span}`)}`,
    ...(isSessionNamed && entry ? [colors.dim(`  in ${neutralizeLine(source)}`)] : []),
    `  ${text}`,
  ].join('\n')
}

const RECALL_HELP = `
Examples:
  precis recall 3f2a migration plan
  precis recall migration plan
  precis recall 3f2a "ECONNREFUSED 5432" --limit 3
  precis recall 3f2a flaky test --json | jq '.found[].excerpt'

Exit codes: 0 done, also when nothing is found, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
