import { type Command, Option } from 'commander'
import { agents } from '../agents/index.ts'
import { withCompressionOrigins } from '../archive/compression-origins.ts'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import { shortenHome } from '../files/user-folders.ts'
import {
  arrange,
  chooseSessions,
  type SessionFilters,
  SORTS,
  searchAll,
} from '../reports/choose-sessions.ts'
import { renderSessions, type ShownSession, toSessionJson } from '../reports/sessions.ts'
import { describeSession } from '../sessions/describe-session.ts'
import { type FactsCache, openFactsCache } from '../sessions/facts-cache.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import { countWithoutCopies, type KnownSession, readSessions } from '../sessions/overview.ts'
import { neutralizeLine, renderCount, renderPlural } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrongUsage } from './failure.ts'
import {
  addDatabaseOption,
  createAgentOption,
  createLimitParser,
  parseAge,
  parseWindow,
} from './options.ts'
import { addJsonOption } from './session-argument.ts'

interface SessionsFlags extends SessionFilters, DatabaseFlags {
  readonly search?: string
  readonly limit?: number
  readonly json?: boolean
}

const MOST_LISTED = 1_000_000
const SHOWN = 50
// Reading more than that takes longer than a list may take.
const MOST_READ_BYTES = 1 << 26

export function defineSessions(command: Command, terminal: Terminal): void {
  command
    .argument(
      '[query...]',
      'words that the id, agent, project, title or first prompt must all contain',
    )
    .description(
      'Lists the sessions of coding agents on this machine, latest first, or on a terminal latest last. A session that was made from another is listed below it. Tokens are the size of the context after the latest request, as its provider counted it, including system prompt and tools. With ~, precis counted them when it made the session.',
    )
    .addOption(createAgentOption())
    .option(
      '--project <folder>',
      'only sessions of this folder and its subfolders ("." is the current folder)',
    )
    .option(
      '--newer-than <age>',
      'only sessions changed since 30m, 12h, 7d, 2w or 2026-11-01',
      (text) => parseAge(text),
    )
    .option('--older-than <age>', 'only sessions unchanged since', (text) => parseAge(text))
    .option(
      '--larger-than <tokens>',
      'only sessions with a larger context: 100000 or 100k',
      parseWindow,
    )
    .option('--search <text>', 'only sessions that contain this text, with the place')
    .addOption(
      new Option('--sort <key>', 'latest or largest first')
        .choices(Object.keys(SORTS))
        .default('modified'),
    )
    .option(
      '-l, --limit <count>',
      `show at most this many (default: ${SHOWN}, and all with --json)`,
      createLimitParser(MOST_LISTED),
    )
  addJsonOption(addDatabaseOption(command))
    .addHelpText('after', SESSIONS_HELP)
    .action((query: string[], flags: SessionsFlags) => listSessions(query, flags, terminal))
}

async function listSessions(
  words: readonly string[],
  flags: SessionsFlags,
  terminal: Terminal,
): Promise<void> {
  const { search, limit = flags.json ? MOST_LISTED : SHOWN } = flags
  if (search?.trim() === '') {
    throw wrongUsage('Searching sessions: the text is empty. Give a text with --search.')
  }
  const files = listSessionFiles()
  const cache = openFactsCache()
  const chosen = chooseSessions(files, words, flags, cache, terminal)
  const { matching, left } =
    search === undefined
      ? { matching: chosen.slice(0, limit), left: chosen.length - limit }
      : await searchAll(chosen, search, limit, terminal)
  const known = await readListed(files, matching, cache, terminal)
  const moneyOf = new Map(
    countWithoutCopies(known).map((counted) => [counted.file.path, toMoney(counted)]),
  )
  const listed: ShownSession[] = []
  const problem = await withCompressionOrigins(flags, async (origins) => {
    for (const session of matching) {
      const described = describeSession(session)
      const money = moneyOf.get(session.path)
      const { contextTokens } = described
      const tokens =
        contextTokens === undefined
          ? await origins.estimateTokens(session)
          : { value: contextTokens, isEstimated: false }
      listed.push({ ...session, ...described, tokens, money, origin: origins.find(session) })
    }
  })
  if (problem !== undefined)
    terminal.note(neutralizeLine(`precis: compressed sessions may not be marked. ${problem}`))
  if (flags.json) terminal.printJson({ sessions: listed.map(toSessionJson) })
  else if (listed.length > 0) {
    terminal.print(renderSessions(arrange(listed, flags.sort), terminal))
    const [what, does] = search === undefined ? ['more', 'shows'] : ['not searched', 'searches']
    if (left > 0)
      terminal.note(
        terminal.colors.dim(
          `  … ${renderCount(left)} ${what}. --limit ${chosen.length} ${does} all, and words or --project choose`,
        ),
      )
  } else if (files.length === 0) terminal.note(explainNone())
  else
    terminal.note(
      `None of ${renderPlural(files.length, 'session')} matches. "precis sessions" without filters lists all.`,
    )
}

/** Every session with its cached facts. Reads listed sessions first, unless they are large. */
async function readListed(
  files: readonly SessionFile[],
  listed: readonly SessionFile[],
  cache: FactsCache,
  terminal: Terminal,
): Promise<KnownSession[]> {
  const known = files.map((file) => ({ file, facts: cache.find(file) }))
  const paths = new Set(listed.map(({ path }) => path))
  const unread = known.filter(({ file, facts }) => facts === undefined && paths.has(file.path))
  const bytes = unread.reduce((sum, { file }) => sum + file.bytes, 0)
  if (unread.length === 0 || bytes > MOST_READ_BYTES) return known
  const read = await readSessions(
    unread.map(({ file }) => file),
    {
      cache,
      onProgress: (done, all) =>
        terminal.progress.show(`reading ${renderPlural(all, 'session')}`, done / all),
      onProblem: (problem) =>
        terminal.note(neutralizeLine(`precis: the results are not cached. ${problem}`)),
    },
  )
  terminal.progress.clear()
  const found = new Map(read.map(({ file, facts }) => [file.path, facts]))
  return known.map(({ file, facts }) => ({ file, facts: facts ?? found.get(file.path) }))
}

/** Undefined if it is not known. A copy that was not continued has cost nothing yet. */
function toMoney({ dollars, isOutputCounted }: ReturnType<typeof countWithoutCopies>[number]) {
  return dollars === undefined ? undefined : { value: dollars, isEstimated: isOutputCounted }
}

function explainNone(): string {
  const places = agents.map(
    (agent) => `${agent.title} in ${shortenHome(agent.findHome(process.env))}`,
  )
  const variables = agents.flatMap(({ homeVariables }) => homeVariables)
  return `No sessions found: looked for ${places.join(', ')}. ${variables.slice(0, -1).join(', ')} and ${variables.at(-1)} name other folders.`
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
