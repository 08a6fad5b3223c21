import { type Command, Option } from 'commander'
import { type Agent, findAgentHomes } from '../sessions/agent-home.ts'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import { filterSessions } from '../sessions/filter-sessions.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { toDamageJson } from '../sessions/load-session.ts'
import { searchSession } from '../sessions/search-session.ts'
import { createTextSearch } from '../sessions/search-text.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { createAgentOption } from './agent-option.ts'
import { readCompressionOrigins } from './compression-origins.ts'
import { addDatabaseOption, type DatabaseFlags } from './database-option.ts'
import { wrongUsage } from './failure.ts'
import { parseAge } from './parse-age.ts'
import { createLimitParser } from './parse-limit.ts'
import { parseWindow } from './parse-window.ts'
import { addJsonOption, noteDamage } from './session-argument.ts'
import { type ListedSession, renderSessions, toSessionJson } from './session-list.ts'

interface SessionsFlags extends DatabaseFlags {
  readonly agent?: readonly Agent[]
  readonly project?: string
  readonly newerThan?: Date
  readonly olderThan?: Date
  readonly largerThan?: number
  readonly search?: string
  readonly sort: SortKey
  readonly limit?: number
  readonly json?: boolean
}

type SortKey = 'modified' | 'size' | 'tokens'

type Sorted = SessionFile & { readonly contextTokens?: number | undefined }

const SORTS: Readonly<Record<SortKey, (session: Sorted) => number>> = {
  modified: ({ modified }) => modified.getTime(),
  size: ({ bytes }) => bytes,
  // What nobody counted comes last.
  tokens: ({ contextTokens = -1 }) => contextTokens,
}
const MOST_LISTED = 1_000_000

export function defineSessions(command: Command, terminal: Terminal): void {
  command
    .argument('[query...]', 'words that all have to stand in the id, agent, project, title or first prompt')
    .description(
      'Lists the sessions of coding agents on this machine, newest first. Tokens are the size of the context after the newest request, as its provider counted it.',
    )
    .addOption(createAgentOption())
    .option('--project <folder>', 'only sessions of this folder and those below it; "." is the current one')
    .option('--newer-than <age>', 'only sessions changed since: 30m, 12h, 7d, 2w or 2026-11-01', readAge)
    .option('--older-than <age>', 'only sessions not changed since', readAge)
    .option('--larger-than <tokens>', 'only sessions with a larger context: 100000 or 100k', parseWindow)
    .option('--search <text>', 'only sessions in which this was said, called or answered, and where')
    .addOption(new Option('--sort <key>', 'newest or largest first').choices(Object.keys(SORTS)).default('modified'))
    .option('-l, --limit <count>', 'show at most so many', createLimitParser(MOST_LISTED))
  addJsonOption(addDatabaseOption(command))
    .addHelpText('after', SESSIONS_HELP)
    .action((query: string[], flags: SessionsFlags) => listSessions(query, flags, terminal))
}

function readAge(text: string): Date {
  return parseAge(text)
}

async function listSessions(words: readonly string[], flags: SessionsFlags, terminal: Terminal): Promise<void> {
  const { search, limit = MOST_LISTED } = flags
  if (search?.trim() === '') {
    throw wrongUsage('Searching sessions: the text is empty. Give what to look for with --search.')
  }
  const files = listSessionFiles()
  const chosen = chooseSessions(files, words, flags, terminal)
  const matching = search === undefined ? chosen.slice(0, limit) : await searchAll(chosen, search, limit, terminal)
  const origins = await readCompressionOrigins(flags)
  const listed = matching.map((session): ListedSession => {
    return { ...session, ...describeSession(session), origin: origins.find(session) }
  })
  if (origins.problem !== undefined)
    terminal.note(neutralizeLine(`precis: compressed sessions may not be marked. ${origins.problem}`))
  if (flags.json) terminal.printJson({ sessions: listed.map(toSessionJson) })
  else if (listed.length > 0) terminal.print(renderSessions(listed, terminal))
  else terminal.note(files.length === 0 ? explainNone() : explainNoMatch(files.length))
}

/** Sorted. Only what has to be opened to know that is. */
function chooseSessions(
  files: readonly SessionFile[],
  words: readonly string[],
  { agent, project, newerThan, olderThan, largerThan, sort }: SessionsFlags,
  terminal: Terminal,
): (SessionFile | DescribedSession)[] {
  const known = filterSessions(files, { agents: agent, newerThan, olderThan })
  const isTold = project === undefined && largerThan === undefined && words.length === 0 && sort !== 'tokens'
  if (isTold) return sortSessions(known, sort)
  const matching = filterSessions(known.map(describeSession), { project, words })
  const uncounted = matching.filter(({ contextTokens }) => contextTokens === undefined).length
  if (largerThan !== undefined && uncounted > 0) {
    terminal.note(`precis: ${renderPlural(uncounted, 'session')} without recorded usage left out.`)
  }
  return sortSessions(filterSessions(matching, { largerThanTokens: largerThan }), sort)
}

function sortSessions<Session extends Sorted>(sessions: readonly Session[], key: SortKey): Session[] {
  const measure = SORTS[key]
  return [...sessions].sort((a, b) => measure(b) - measure(a))
}

type FoundSession = SessionFile & Pick<ListedSession, 'found' | 'damage'>

/** Stops when there are enough. */
async function searchAll(
  sessions: readonly SessionFile[],
  text: string,
  limit: number,
  terminal: Terminal,
): Promise<FoundSession[]> {
  const { progress } = terminal
  const search = createTextSearch(text)
  const totalBytes = sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  const matching: FoundSession[] = []
  let searchedBytes = 0
  for (const session of sessions) {
    if (matching.length >= limit) break
    progress.show(`searching, ${renderPlural(matching.length, 'session')} found`, searchedBytes / totalBytes)
    const { found, damage } = await searchSession(session, search)
    noteDamage({ name: session.path, damage }, terminal)
    if (found) matching.push({ ...session, found, ...toDamageJson({ damage }) })
    searchedBytes += session.bytes
  }
  progress.clear()
  return matching
}

function explainNone(): string {
  const places = findAgentHomes().map(({ name, sessionsDirectory }) => `${name} in ${shortenHome(sessionsDirectory)}`)
  return `No sessions found: looked for ${places.join(', ')}. CLAUDE_CONFIG_DIR, CODEX_HOME, XDG_DATA_HOME, GEMINI_CLI_HOME, PI_CODING_AGENT_DIR, PI_CODING_AGENT_SESSION_DIR and VSCODE_APPDATA name other folders.`
}

function explainNoMatch(count: number): string {
  return `None of ${renderPlural(count, 'session')} matches. "precis sessions" without filters lists all.`
}

const SESSIONS_HELP = `
Examples:
  precis sessions
  precis sessions --project . --newer-than 7d
  precis sessions flaky test --agent claude --agent codex
  precis sessions --search ECONNREFUSED --limit 5
  precis sessions --larger-than 100k --json | jq -r '.sessions[].sessionId'

The id that is shown is long enough for every other command. Exit codes: 0 done, also when nothing matches, 1 failed,
2 wrong usage, 130 interrupted.
`
