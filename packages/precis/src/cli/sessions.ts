import { type Command, Option } from 'commander'
import { type CompressionOrigin, withCompressionOrigins } from '../archive/compression-origins.ts'
import type { DatabaseFlags } from '../archive/with-archive.ts'
import {
  arrange,
  chooseSessions,
  createDescriber,
  type SessionFilters,
  SORTS,
  searchAll,
} from '../reports/choose-sessions.ts'
import { noteCacheProblem } from '../reports/read-machine.ts'
import {
  explainNoSessions,
  renderSessions,
  type ShownSession,
  toSessionJson,
} from '../reports/sessions.ts'
import { addAmounts, findElsewhere } from '../sessions/bill.ts'
import { type FactsCache, openFactsCache } from '../sessions/facts-cache.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import { readSessions } from '../sessions/overview.ts'
import { type SessionFacts, sumRequests } from '../sessions/session-facts.ts'
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
  const facts = await readListed(matching, cache, terminal)
  const describe = createDescriber(cache)
  const listed: ShownSession[] = []
  const problem = await withCompressionOrigins(flags, async (origins) => {
    for (const session of matching) {
      const described = describe(session)
      const origin = origins.find(session)
      const money = countMoney(facts.get(session.path), origin)
      const { contextTokens } = described
      const tokens =
        contextTokens === undefined
          ? await origins.estimateTokens(session)
          : { value: contextTokens, isEstimated: false }
      listed.push({ ...session, ...described, tokens, money, origin })
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
  } else if (files.length === 0) terminal.note(explainNoSessions())
  else
    terminal.note(
      `None of ${renderPlural(files.length, 'session')} matches. "precis sessions" without filters lists all.`,
    )
}

/** What is known of the listed sessions by their paths. Reads those that the cache does not know. */
async function readListed(
  listed: readonly SessionFile[],
  cache: FactsCache,
  terminal: Terminal,
): Promise<ReadonlyMap<string, SessionFacts | undefined>> {
  const read = await readSessions(listed, {
    cache,
    isBrief: true,
    onProgress: (done, all) =>
      terminal.progress.show(`reading ${renderPlural(all, 'session')}`, done / all),
    onProblem: (problem) => noteCacheProblem(problem, terminal),
  })
  terminal.progress.clear()
  return new Map(read.map(({ file, facts }) => [file.path, facts]))
}

/**
 * What its requests cost, whatever is known of other sessions. A copy that precis made counts from
 * then on. Undefined if nothing is recorded, or a price is unknown.
 */
function countMoney(facts: SessionFacts | undefined, origin: CompressionOrigin | undefined) {
  if (!facts || facts.keys.length === 0 || facts.total.dollars === undefined) return undefined
  const startMs = origin && Date.parse(origin.at)
  const own =
    startMs === undefined
      ? facts.total
      : sumRequests(facts.requests.filter(({ timeMs = 0 }) => timeMs >= startMs))
  const { dollars } = addAmounts([own, ...findElsewhere([facts])])
  return dollars === undefined ? undefined : { value: dollars, isEstimated: own.isOutputCounted }
}

const SESSIONS_HELP = `
Examples:
  precis sessions
  precis sessions --project . --newer-than 7d
  precis sessions flaky test --agent claude --agent codex
  precis sessions --search ECONNREFUSED --limit 5
  precis sessions --larger-than 100k --json | jq -r '.sessions[].sessionId'

The id that is shown is long enough for every other command.

Exit codes: 0 done, also when nothing matches, 1 failed, 2 wrong usage, 130 interrupted.
`
