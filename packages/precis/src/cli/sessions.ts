import { type Command, Option } from 'commander'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { shortenHome } from '../files/user-folders.ts'
import { arrangeFamilies, type InFamily } from '../sessions/arrange-families.ts'
import {
  type DescribedSession,
  describeSession,
  nameSession,
} from '../sessions/describe-session.ts'
import { openFactsCache } from '../sessions/facts-cache.ts'
import { filterSessions, findUniquePrefixes } from '../sessions/filter-sessions.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import { type Damage, toDamageJson } from '../sessions/load-session.ts'
import { countOnce, type Measured } from '../sessions/overview.ts'
import { createTextSearch, type FoundText, searchSession } from '../sessions/search-session.ts'
import { renderMeasured } from '../terminal/compaction-cells.ts'
import {
  neutralizeLine,
  renderBytes,
  renderCount,
  renderDollars,
  renderPlural,
  renderPreview,
  renderTable,
  renderTime,
  right,
} from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type CompressionOrigin, withCompressionOrigins } from './compression-origins.ts'
import { wrongUsage } from './failure.ts'
import { createAgentOption, createLimitParser, parseAge, parseWindow } from './options.ts'
import { addDatabaseOption, type DatabaseFlags } from './read-configured.ts'
import { addJsonOption, noteDamage } from './session-argument.ts'

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
  // A session without recorded usage comes last.
  tokens: ({ contextTokens = -1 }) => contextTokens,
}
const MOST_LISTED = 1_000_000

export function defineSessions(command: Command, terminal: Terminal): void {
  command
    .argument(
      '[query...]',
      'words that all have to stand in the id, agent, project, title or first prompt',
    )
    .description(
      'Lists the sessions of coding agents on this machine, newest first; on a terminal newest last, beside the prompt. A session that was made from another stands below it. Tokens are the size of the context after the newest request, as its provider counted it, system prompt and tools included; ~ as precis counted it when it made the session.',
    )
    .addOption(createAgentOption())
    .option(
      '--project <folder>',
      'only sessions of this folder and those below it; "." is the current one',
    )
    .option(
      '--newer-than <age>',
      'only sessions changed since: 30m, 12h, 7d, 2w or 2026-11-01',
      (text) => parseAge(text),
    )
    .option('--older-than <age>', 'only sessions not changed since', (text) => parseAge(text))
    .option(
      '--larger-than <tokens>',
      'only sessions with a larger context: 100000 or 100k',
      parseWindow,
    )
    .option(
      '--search <text>',
      'only sessions in which this was said, called or answered, and where',
    )
    .addOption(
      new Option('--sort <key>', 'newest or largest first')
        .choices(Object.keys(SORTS))
        .default('modified'),
    )
    .option('-l, --limit <count>', 'show at most so many', createLimitParser(MOST_LISTED))
  addJsonOption(addDatabaseOption(command))
    .addHelpText('after', SESSIONS_HELP)
    .action((query: string[], flags: SessionsFlags) => listSessions(query, flags, terminal))
}

async function listSessions(
  words: readonly string[],
  flags: SessionsFlags,
  terminal: Terminal,
): Promise<void> {
  const { search, limit = MOST_LISTED } = flags
  if (search?.trim() === '') {
    throw wrongUsage('Searching sessions: the text is empty. Give what to look for with --search.')
  }
  const files = listSessionFiles()
  const chosen = chooseSessions(files, words, flags, terminal)
  const matching =
    search === undefined ? chosen.slice(0, limit) : await searchAll(chosen, search, limit, terminal)
  const cache = openFactsCache()
  const known = files.map((file) => ({ file, facts: cache.find(file) }))
  const moneyOf = new Map(countOnce(known).map((counted) => [counted.file.path, toMoney(counted)]))
  const listed: ListedSession[] = []
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
  else if (listed.length > 0) terminal.print(renderSessions(arrange(listed, flags.sort), terminal))
  else if (files.length === 0) terminal.note(explainNone())
  else
    terminal.note(
      `None of ${renderPlural(files.length, 'session')} matches. "precis sessions" without filters lists all.`,
    )
}

/** A copy that was not continued has cost nothing yet. */
function toMoney({ dollars, isOutputCounted }: ReturnType<typeof countOnce>[number]) {
  return dollars ? { value: dollars, isEstimated: isOutputCounted } : undefined
}

/** Sorted. A session is opened only where a filter needs its content. */
function chooseSessions(
  files: readonly SessionFile[],
  words: readonly string[],
  { agent, project, newerThan, olderThan, largerThan, sort }: SessionsFlags,
  terminal: Terminal,
): (SessionFile | DescribedSession)[] {
  const known = filterSessions(files, { agents: agent, newerThan, olderThan })
  const isUnread =
    project === undefined && largerThan === undefined && words.length === 0 && sort !== 'tokens'
  if (isUnread) return sortSessions(known, sort)
  const matching = filterSessions(known.map(describeSession), { project, words })
  const uncounted = matching.filter(({ contextTokens }) => contextTokens === undefined).length
  if (largerThan !== undefined && uncounted > 0) {
    terminal.note(`precis: ${renderPlural(uncounted, 'session')} without recorded usage left out.`)
  }
  return sortSessions(filterSessions(matching, { largerThanTokens: largerThan }), sort)
}

function sortSessions<Session extends Sorted>(
  sessions: readonly Session[],
  key: SortKey,
): Session[] {
  return sessions.toSorted((a, b) => SORTS[key](b) - SORTS[key](a))
}

type FoundSession = SessionFile & Pick<ListedSession, 'found' | 'damage'>

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
    progress.show(
      `searching, ${renderPlural(matching.length, 'session')} found`,
      searchedBytes / totalBytes,
    )
    const { found, damage } = await searchSession(session, search)
    noteDamage({ name: session.path, damage }, terminal)
    if (found) matching.push({ ...session, found, ...toDamageJson({ damage }) })
    searchedBytes += session.bytes
  }
  progress.clear()
  return matching
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

interface ListedSession extends DescribedSession {
  /** Undefined for one that precis did not write. */
  readonly origin: CompressionOrigin | undefined
  /**
   * Of the context. Estimated for one that was compressed and not yet continued: as precis counted
   * it then.
   */
  readonly tokens: Measured | undefined
  /** US dollars at list prices, where "precis overview" has read the session as it is now. */
  readonly money: Measured | undefined
  /** These two of a session whose content was searched. */
  readonly found?: FoundText
  readonly damage?: Damage
}

const LONGEST_PROMPT = 1000
const LONGEST_PROJECT = 200

function toSessionJson({ origin, found, damage, ...session }: ListedSession) {
  const { agent, id, path, workingDirectory, title, firstPrompt, bytes, tokens, money, modified } =
    session
  return {
    agent: agent.name,
    sessionId: id,
    path,
    project: workingDirectory ?? null,
    title: title?.slice(0, LONGEST_PROMPT) ?? null,
    firstPrompt: firstPrompt?.slice(0, LONGEST_PROMPT) ?? null,
    bytes,
    tokens: tokens?.value ?? null,
    ...(tokens?.isEstimated && { tokensAreEstimated: true }),
    dollars: money?.value ?? null,
    ...(money?.isEstimated && { dollarsAreEstimated: true }),
    modified: modified.toISOString(),
    madeFrom: origin
      ? { ...origin, sessionId: origin.sessionId ?? null, path: origin.path ?? null }
      : null,
    ...(found && { found }),
    ...(damage && { damage }),
  }
}

/** On a terminal the list ends beside the prompt, so the newest come last. */
function arrange(sessions: readonly ListedSession[], sort: SortKey): InFamily<ListedSession>[] {
  if (sort !== 'modified') return sessions.map((session) => ({ ...session, isChild: false }))
  return arrangeFamilies(sessions, { isNewestLast: process.stdout.isTTY })
}

const FOUND_INDENT = '    '

function renderSessions(sessions: readonly InFamily<ListedSession>[], terminal: Terminal): string {
  const { columns: width, colors } = terminal
  const hasOrigins = sessions.some(({ origin }) => origin !== undefined)
  const hasMoney = sessions.some(({ money }) => money !== undefined)
  const columns = [
    { title: 'id', style: colors.bold },
    'agent',
    { title: 'modified', style: colors.dim, leaves: 5 },
    { ...right('size'), leaves: 3 },
    { ...right('tokens'), leaves: 6 },
    ...(hasMoney ? [{ ...right('money'), leaves: 1 }] : []),
    ...(hasOrigins ? [{ title: 'made from', shrinkTo: 8, leaves: 2 }] : []),
    { title: 'project', shrinkTo: 14, leaves: 4, keepsEnd: true },
    { title: 'title', shrinkTo: 24 },
  ]
  const prefixes = findUniquePrefixes(sessions.map(({ id }) => id))
  const rows = sessions.map(
    ({ id, agent, modified, bytes, tokens, workingDirectory, ...session }) => [
      prefixes.get(id) ?? id,
      agent.name,
      renderTime(modified),
      renderBytes(bytes),
      renderMeasured(tokens, renderCount),
      ...(hasMoney ? [renderMeasured(session.money, renderDollars)] : []),
      ...(hasOrigins ? [renderOrigin(session.origin)] : []),
      workingDirectory === undefined
        ? '–'
        : renderPreview(shortenHome(workingDirectory), LONGEST_PROJECT),
      (session.isChild ? '└ ' : '') +
        renderPreview(nameSession(session, session.origin?.command) ?? '–', 100),
    ],
  )
  const [heading = '', ...lines] = renderTable(columns, rows, terminal).split('\n')
  const shown = lines.flatMap((line, index) => [
    line,
    ...renderFound(sessions[index]?.found, width, colors),
  ])
  return [heading, ...shown].join('\n')
}

function renderOrigin(origin: CompressionOrigin | undefined): string {
  if (!origin) return '–'
  const { sessionId, path, command } = origin
  return renderPreview(
    sessionId?.slice(0, 13) ?? (path === undefined ? command : shortenHome(path)),
    30,
  )
}

function renderFound(
  found: FoundText | undefined,
  width: number,
  { dim }: Terminal['colors'],
): string[] {
  if (!found) return []
  const { count, places } = found
  const room = Math.max(width - FOUND_INDENT.length, 20)
  const more = count - places.length
  return [
    ...places.map(({ record, excerpt }) =>
      dim(FOUND_INDENT + renderPreview(`${record}: ${excerpt}`, room)),
    ),
    ...(more > 0 ? [dim(`${FOUND_INDENT}… ${renderPlural(more, 'more place')}`)] : []),
  ]
}
