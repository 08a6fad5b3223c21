import { existsSync, type Stats, statSync } from 'node:fs'
import { sep } from 'node:path'
import { agents as allAgents } from '../agents/index.ts'
import type { Agent, ListedSession, StoredPlace } from '../agents/shared/agent.ts'
import { resolveRealPlace } from '../agents/shared/session-files.ts'
import { quietly, SessionError, systemErrorCode } from '../files/errors.ts'
import { type OpenDocument, openDocument } from '../files/read-document.ts'
import { shortenHome } from '../files/user-folders.ts'
import { findUniquePrefixes } from './unique-prefixes.ts'

/** A session and whose it is. */
export interface SessionFile extends ListedSession {
  readonly agent: Agent
  /** The beginning of its id that no other session of this machine has. */
  readonly shortId: string
}

const MAX_CANDIDATES = 10

/** Every session of every agent, newest first. No session is opened. */
export function listSessionFiles(agents = allAgents, environment = process.env): SessionFile[] {
  const lists = agents.map((agent) => ({ agent, sessions: agent.list(environment) }))
  const shortIds = findUniquePrefixes(lists.flatMap(({ sessions }) => sessions.map(({ id }) => id)))
  return lists
    .flatMap(({ agent, sessions }) =>
      sessions.map(({ id, path, bytes, modified }) => {
        return { agent, id, shortId: shortIds.get(id) ?? id, path, bytes, modified }
      }),
    )
    .sort(byNewest)
}

const byNewest = (a: ListedSession, b: ListedSession): number =>
  b.modified.getTime() - a.modified.getTime()

/**
 * The agent of a document in a format. If several agents have that format, it is the agent whose
 * home contains the document, or else the first. Undefined for a format without an agent.
 */
export function findAgent(
  formatName: string,
  path: string | undefined,
  agents = allAgents,
): Agent | undefined {
  const known = agents.filter(({ format }) => format.name === formatName)
  if (known.length < 2 || path === undefined) return known[0]
  return known.find((agent) => isAtHome(agent, path)) ?? known[0]
}

/** Whether the agent looks for sessions there. */
export function isAtHome(agent: Agent, path: string, environment = process.env): boolean {
  return resolveRealPlace(path).startsWith(`${resolveRealPlace(agent.findHome(environment))}${sep}`)
}

/** The place inside of a file that the path names. Undefined for the path of a file. */
export function locateStored(path: string, agents = allAgents): StoredPlace | undefined {
  for (const { store } of agents) {
    const stored = store?.locate(path)
    if (stored) return stored
  }
  return undefined
}

/** Whether the file exists. Only opening it shows if it contains the session. */
export function isSessionThere(path: string, agents = allAgents): boolean {
  return existsSync(locateStored(path, agents)?.file ?? path)
}

/**
 * Whether the system says that the file does not exist. A file that cannot be looked at, as in a
 * folder without permission, may exist.
 */
export function isSessionMissing(path: string, agents = allAgents): boolean {
  try {
    return !statSync(locateStored(path, agents)?.file ?? path, { throwIfNoEntry: false })
  } catch (error) {
    return systemErrorCode(error) === 'ENOTDIR'
  }
}

/** Whether a file is the one that a session was read from, perhaps with other sessions in it. */
export function isFileOf(
  { path, stats }: Pick<OpenDocument, 'path' | 'stats'>,
  file: Stats | undefined,
): boolean {
  if (!file || path === undefined) return false
  const own = stats ?? quietly(() => statSync(locateStored(path)?.file ?? path))
  return own?.ino === file.ino && own.dev === file.dev
}

/**
 * A session in the form of its agent's document: a file, or an export from a store of rows or
 * files.
 */
export async function openSession(path: string, agents = allAgents): Promise<OpenDocument> {
  for (const { store } of agents) {
    const exported = store?.export(path)
    if (!exported) continue
    return { ...exported, path, stats: undefined, close: () => {} }
  }
  return await openDocument(path)
}

/**
 * The document with everything that it only refers to, as its session is read and kept. Throws
 * `SessionError` if that is missing.
 */
export function completeDocument(document: OpenDocument, agent: Agent | undefined): OpenDocument {
  const source = agent?.completeSession?.(document.source, process.env)
  return source ? { ...document, source } : document
}

/** The same, but as it is if what it refers to is missing. */
export function completeIfPossible(document: OpenDocument, agent: Agent | undefined): OpenDocument {
  try {
    return completeDocument(document, agent)
  } catch (error) {
    if (error instanceof SessionError) return document
    throw error
  }
}

/**
 * A path is used unchanged. Anything else has to be the id of an agent's session, or its beginning.
 */
export function findSessionPath(session: string, agents = allAgents): string {
  if (isSessionThere(session, agents)) return session
  const possible = agents.filter(({ ids }) => ids.beginning.test(session))
  const prefix = session.toLowerCase()
  const matches = possible
    .flatMap((agent) => {
      const isShort = agent.ids.charactersInNames !== undefined
      const isMatch = (id: string) =>
        id.toLowerCase().startsWith(prefix) || (isShort && prefix.startsWith(id.toLowerCase()))
      const listed = agent.list(process.env, isMatch).filter(({ id }) => isMatch(id))
      return listed.map((file) => ({ agent, ...file }))
    })
    .sort(byNewest)
  const whole = matches.filter(({ id }) => id === session)
  const [match] = whole.length === 1 ? whole : matches
  if (match && (whole.length === 1 || matches.length === 1)) return match.path
  if (matches.length === 0) {
    throw new SessionError(
      'no-such-session',
      possible.length > 0
        ? explainMissing(session, agents, listSessionFiles(agents))
        : explainNoFile(session),
    )
  }
  const shown = matches.slice(0, MAX_CANDIDATES)
  const isSame = matches.every(({ id }) => id === matches[0]?.id)
  const lines = shown.map(({ agent, id, path }) =>
    isSame ? `  ${agent.name}  ${shortenHome(path)}` : `  ${id}  ${agent.name}`,
  )
  const more = matches.length > shown.length ? `\n  and ${matches.length - shown.length} more` : ''
  throw new SessionError(
    'ambiguous-session',
    `Finding session "${session}": ${matches.length} sessions ${isSame ? 'have this id. Give the path of one' : 'start like this, the latest first. Give more of the id'}:\n${lines.join('\n')}${more}`,
  )
}

function explainNoFile(session: string): string {
  return `Reading "${session}": no such file. Give a path, "-" for standard input, or at least 3 characters of an id from "precis sessions".`
}

function explainMissing(
  session: string,
  agents: readonly Agent[],
  files: readonly SessionFile[],
): string {
  const counts = agents.map((agent) => {
    const count = files.filter((file) => file.agent === agent).length
    return `${count} of ${agent.title} in ${shortenHome(agent.findHome(process.env))}`
  })
  return `Finding session "${session}": there is no such file, and no session has an id that starts like this (looked at ${counts.join(', ')}). "precis sessions" lists them.`
}
