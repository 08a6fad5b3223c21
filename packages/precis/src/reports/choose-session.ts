/** Sessions as rows of a list to choose from. */
import type { ArchivedCompression } from '../archive/compressions.ts'
import { shortenHome } from '../files/user-folders.ts'
import {
  type DescribedSession,
  describeSession,
  nameSession,
  readLastWords,
} from '../sessions/describe-session.ts'
import { type FactsCache, openFactsCache } from '../sessions/facts-cache.ts'
import { isInside, renderSearchable } from '../sessions/filter-sessions.ts'
import { listSessionFiles, type SessionFile } from '../sessions/find-sessions.ts'
import { readOrigin } from '../sessions/lineage.ts'
import { searchSession } from '../sessions/search-session.ts'
import { createWordSearch } from '../sessions/text-search.ts'
import { findUniquePrefixes } from '../sessions/unique-prefixes.ts'
import type { ChoiceRow, ContentSearch, ListChoice } from '../terminal/pick.ts'
import {
  neutralizeLine,
  renderAge,
  renderBytes,
  renderCount,
  renderPreview,
  right,
} from '../terminal/render.ts'
import { createDescriber } from './choose-sessions.ts'

const SESSION_COLUMNS: ListChoice<object>['columns'] = [
  { title: 'id', shrinkTo: 8, leaves: 3 },
  'agent',
  right('age'),
  { ...right('size'), leaves: 1 },
  { ...right('tokens'), leaves: 4 },
  { title: 'project', shrinkTo: 12, leaves: 2, keepsEnd: true },
  { title: 'title', shrinkTo: 24 },
]

// The width of the terminal cuts the rest.
const PROJECT_COLUMNS = 200
const ORIGIN_COLUMNS = 40
const PROMPT_COLUMNS = 100
const DETAIL_COLUMNS = 400

export function chooseSession(command: string): ListChoice<SessionFile> {
  const cache = openFactsCache()
  const describe = createDescriber(cache)
  const items = putHereFirst(listSessionFiles(), process.cwd(), cache)
  const now = Date.now()
  return {
    title: `which session? (precis ${command})`,
    columns: SESSION_COLUMNS,
    items,
    readText: (file) => renderSearchable(describe(file)),
    describe: (file) => renderSession(describe(file), now),
    preview: renderLastWords,
    search: createContentSearch,
    renderPicked: createCommandLine(command),
  }
}

// As many as can be read without a noticeable delay. Others are described from earlier reads.
const MOST_DESCRIBED = 100

/** Sessions of this folder, then all others, both latest first. */
function putHereFirst(
  files: readonly SessionFile[],
  directory: string,
  cache: FactsCache,
): SessionFile[] {
  const findProject = (file: SessionFile, index: number) =>
    cache.find(file)?.project ??
    (index < MOST_DESCRIBED ? describeSession(file).workingDirectory : undefined)
  const here = new Set(files.filter((file, index) => isInside(findProject(file, index), directory)))
  return [...here, ...files.filter((file) => !here.has(file))]
}

/** The command line to type next time. */
function createCommandLine(command: string): ListChoice<object>['renderPicked'] {
  return ({ cells: [id] }) => `› precis ${command} ${id}`
}

function renderSession(session: DescribedSession, now: number): ChoiceRow {
  const { shortId, agent, bytes, modified, workingDirectory, firstPrompt, contextTokens } = session
  const prompt = nameSession(session, readOrigin(session)?.command)
  const tokens = contextTokens === undefined ? undefined : renderCount(contextTokens)
  const project = workingDirectory && shortenHome(workingDirectory)
  const facts = [
    project && renderPreview(project, DETAIL_COLUMNS),
    renderBytes(bytes),
    tokens && `${tokens} tokens`,
    shortId,
  ]
  const words = firstPrompt ?? prompt
  const said = words === undefined ? '' : `\n“${renderPreview(words, DETAIL_COLUMNS)}”`
  return {
    cells: [
      shortId,
      agent.name,
      renderAge(now - modified.getTime()),
      renderBytes(bytes),
      tokens ?? '–',
      project === undefined ? '–' : renderPreview(project, PROJECT_COLUMNS),
      prompt === undefined ? '–' : renderPreview(prompt, PROMPT_COLUMNS),
    ],
    detail: facts.filter(Boolean).join(' · ') + said,
  }
}

function renderLastWords(file: SessionFile): string {
  const { user, agent } = readLastWords(file)
  return [
    ...(user === undefined ? [] : [`you, last: ${renderPreview(user, DETAIL_COLUMNS)}`]),
    ...(agent === undefined ? [] : [`agent, last: ${renderPreview(agent, DETAIL_COLUMNS)}`]),
  ].join('\n')
}

// Fewer letters match every session.
const SHORTEST_SEARCHED = 3

function createContentSearch(words: readonly string[]): ContentSearch<SessionFile> | undefined {
  if (words.every((word) => Buffer.byteLength(word) < SHORTEST_SEARCHED)) return undefined
  const search = createWordSearch(words)
  return async (file, signal) => {
    const { found } = await searchSession(file, search, { signal, isOneEnough: true })
    const excerpt = found?.places[0]?.excerpt
    return excerpt === undefined
      ? undefined
      : `in the text: ${renderPreview(excerpt, DETAIL_COLUMNS)}`
  }
}

const ARCHIVED_COLUMNS: ListChoice<object>['columns'] = [
  { title: 'id', shrinkTo: 8 },
  { title: 'agent', shrinkTo: 6 },
  right('age'),
  { title: 'by', leaves: 2 },
  { ...right('was'), leaves: 1 },
  { title: 'made from', shrinkTo: 8 },
]

export function chooseArchived(
  command: string,
  items: readonly ArchivedCompression[],
): ListChoice<ArchivedCompression> {
  const prefixes = findUniquePrefixes(items.flatMap(({ sessionId }) => sessionId ?? []))
  const now = Date.now()
  return {
    title: `which compressed session? (precis ${command})`,
    columns: ARCHIVED_COLUMNS,
    items,
    readText: ({ name, command: by, format, sessionId, path, originalId, originalPath }) =>
      [name, by, format, sessionId, path, originalId, originalPath].join('\n'),
    describe: (entry) => renderArchived(entry, prefixes, now),
    renderPicked: createCommandLine(command),
  }
}

function renderArchived(
  entry: ArchivedCompression,
  prefixes: ReadonlyMap<string, string>,
  now: number,
): ChoiceRow {
  const {
    name,
    command,
    storedAt,
    format,
    sessionId,
    path,
    originalId,
    originalPath,
    originalBytes,
  } = entry
  const id = neutralizeLine(sessionId === null ? name : (prefixes.get(sessionId) ?? sessionId))
  const places = [path, originalPath].map((place) => (place === null ? '–' : shortenHome(place)))
  return {
    cells: [
      id,
      neutralizeLine(format),
      renderAge(now - Date.parse(storedAt)),
      neutralizeLine(command),
      renderBytes(originalBytes),
      renderPreview(originalId ?? originalPath ?? 'standard input', ORIGIN_COLUMNS),
    ],
    detail: places.map((place) => renderPreview(place, DETAIL_COLUMNS)).join('\nfrom '),
  }
}
