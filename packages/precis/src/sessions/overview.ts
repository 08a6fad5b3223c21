/** An overview of this machine: sessions by agent and project, and their compactions. */
import { setImmediate } from 'node:timers/promises'
import type { Agent } from '../agents/shared/agent.ts'
import { SessionError } from '../files/errors.ts'
import { addAmounts, type Bill, findElsewhere, type RequestBill } from './bill.ts'
import type { FactsCache } from './facts-cache.ts'
import { isInside } from './filter-sessions.ts'
import type { SessionFile } from './find-sessions.ts'
import type { Amount } from './read-usage.ts'
import { type PastCompaction, readSessionFacts, type SessionFacts } from './session-facts.ts'

export type { Measured } from '../agents/shared/agent.ts'

export interface Overview {
  /** Sessions of the current folder first, then by the time of last use. */
  readonly projects: readonly ProjectSessions[]
  /** Oldest first. */
  readonly compactions: readonly ListedCompaction[]
  /** Paths of sessions that could not be read. The counts include them. */
  readonly unreadable: readonly string[]
}

/** The sessions in one project. */
export interface ProjectSessions extends SessionSums {
  /** By the time of last use, latest first. */
  readonly agents: readonly Agent[]
  /** Undefined if the sessions do not name it. */
  readonly project: string | undefined
  /** Whether it is the current folder, or one below. */
  readonly isHere: boolean
  readonly lastUsed: Date
}

export interface SessionSums {
  readonly sessions: number
  readonly bytes: number
  /** As billed, of the sessions that have it recorded. */
  readonly tokens: number
  /** US dollars at list prices, of the sessions whose models have known ones. */
  readonly dollars: number
  /** Sessions whose dollars are not known. */
  readonly unpriced: number
  /** Whether some output was counted, because less was recorded. */
  readonly isOutputCounted: boolean
}

export interface ListedCompaction extends PastCompaction, Pick<SessionFacts, 'title' | 'project'> {
  readonly agent: Agent
  readonly sessionId: string
  readonly path: string
}

export interface KnownSession {
  readonly file: SessionFile
  /** Undefined for one that cannot be read. */
  readonly facts: SessionFacts | undefined
}

/** A session without the requests that an earlier session also contains. */
export interface CountedSession extends KnownSession {
  /** Its requests that no earlier session contains. */
  readonly own: readonly RequestBill[]
  /** What was sent for it elsewhere. */
  readonly elsewhere: Amount
  readonly tokens: number
  /** Undefined if nothing is recorded, or a price is unknown. */
  readonly dollars: number | undefined
  /** Whether some output was counted, because less was recorded. */
  readonly isOutputCounted: boolean
}

export interface ReadOptions {
  readonly cache: FactsCache
  readonly onProgress: (read: number, toRead: number) => void
  /** Why what was read could not be kept. */
  readonly onProblem: (problem: string) => void
}

const SAVE_MS = 2000

/**
 * All sessions, oldest first. Reads those that the cache does not contain, newest first. It stores
 * them every two seconds, so an interrupted run can resume.
 */
export async function readSessions(
  files: readonly SessionFile[],
  { cache, onProgress, onProblem }: ReadOptions,
): Promise<KnownSession[]> {
  const known: KnownSession[] = []
  const unknown: SessionFile[] = []
  for (const file of files) {
    const facts = cache.find(file)
    if (facts) known.push({ file, facts })
    else unknown.push(file)
  }
  let problem: string | undefined
  let savedMs = performance.now()
  for (const [index, file] of unknown.entries()) {
    onProgress(index, unknown.length)
    // An interruption gets through here.
    await setImmediate()
    const facts = await tryRead(file)
    if (facts) cache.add(file, facts)
    known.push({ file, facts })
    if (problem !== undefined || performance.now() - savedMs < SAVE_MS) continue
    problem = await cache.save()
    savedMs = performance.now()
  }
  problem ??= await cache.save()
  if (problem !== undefined) onProblem(problem)
  return known.sort(byTime)
}

export function createOverview(known: readonly KnownSession[], directory: string): Overview {
  return {
    projects: groupSessions(countWithoutCopies(known), directory),
    compactions: listCompactions(known),
    unreadable: known.flatMap(({ file, facts }) => (facts ? [] : [file.path])),
  }
}

/** One that went away or cannot be read spoils nothing. */
async function tryRead(file: SessionFile): Promise<SessionFacts | undefined> {
  try {
    return await readSessionFacts(file)
  } catch (error) {
    if (error instanceof SessionError) return undefined
    throw error
  }
}

// A copy is written after what it copies.
const byTime = (a: KnownSession, b: KnownSession) =>
  a.file.modified.getTime() - b.file.modified.getTime()

/**
 * A fork, a clone and an undone session hold requests of another one: each counts in the first. What
 * was sent elsewhere, by a sub-agent or for a compaction, counts with the session that it was for.
 */
export function countWithoutCopies(sessions: readonly KnownSession[]): CountedSession[] {
  const counted = new Set<string>()
  const sorted = sessions.toSorted(byTime)
  const elsewhere = findElsewhere(sorted.map(({ facts }) => facts ?? NO_BILL))
  return sorted.map((session, index) => {
    const all = session.facts?.requests ?? []
    const own = all.filter(({ key }) => {
      const name = `${session.file.agent.name} ${key}`
      if (key === undefined || !counted.has(name)) {
        counted.add(name)
        return true
      }
      return false
    })
    const beside = elsewhere[index] ?? { tokens: 0, dollars: 0 }
    const { tokens, dollars } = addAmounts([...own, beside])
    const isPriced = all.length > 0 && all.every((request) => request.dollars !== undefined)
    const isOutputCounted = own.some((request) => request.isOutputCounted)
    return {
      ...session,
      own,
      elsewhere: beside,
      tokens,
      dollars: isPriced ? dollars : undefined,
      isOutputCounted,
    }
  })
}

const NO_BILL: Bill = { requests: [], sums: [] }

function groupSessions(sessions: readonly CountedSession[], directory: string): ProjectSessions[] {
  const groups = new Map<string | undefined, CountedSession[]>()
  for (const session of sessions) {
    const key = session.facts?.project
    const group = groups.get(key)
    if (group) group.push(session)
    else groups.set(key, [session])
  }
  const projects = [...groups].map(([project, group]): ProjectSessions => {
    const latestFirst = group.map(({ file }) => file).toReversed()
    return {
      agents: [...new Set(latestFirst.map(({ agent }) => agent))],
      project,
      isHere: isInside(project, directory),
      lastUsed: latestFirst[0]?.modified ?? new Date(0),
      ...sumSessions(group),
    }
  })
  return projects.sort(
    (a, b) => Number(b.isHere) - Number(a.isHere) || b.lastUsed.getTime() - a.lastUsed.getTime(),
  )
}

function sumSessions(group: readonly CountedSession[]): SessionSums {
  const sum = (read: (session: CountedSession) => number) =>
    group.reduce((total, one) => total + read(one), 0)
  return {
    sessions: group.length,
    bytes: sum(({ file }) => file.bytes),
    tokens: sum(({ tokens }) => tokens),
    dollars: sum(({ dollars }) => dollars ?? 0),
    unpriced: sum(({ dollars }) => (dollars === undefined ? 1 : 0)),
    isOutputCounted: group.some((one) => one.isOutputCounted),
  }
}

/** The sums of all. */
export function sumProjects(projects: readonly ProjectSessions[]): SessionSums {
  const sum = (read: (project: ProjectSessions) => number) =>
    projects.reduce((total, one) => total + read(one), 0)
  return {
    sessions: sum(({ sessions }) => sessions),
    bytes: sum(({ bytes }) => bytes),
    tokens: sum(({ tokens }) => tokens),
    dollars: sum(({ dollars }) => dollars),
    unpriced: sum(({ unpriced }) => unpriced),
    isOutputCounted: projects.some((project) => project.isOutputCounted),
  }
}

/** Each once, because copies of a session contain the earlier ones as well. */
export function listCompactions(sessions: readonly KnownSession[]): ListedCompaction[] {
  const listed: ListedCompaction[] = []
  const known = new Set<string>()
  for (const { file, facts } of sessions) {
    const { agent, path } = file
    const { id = '', title, project, compactions = [] } = facts ?? {}
    // Some copies have other times, some not the request before.
    const listNames = ({ time, after, tokensBefore, by }: PastCompaction) =>
      [time, after].flatMap((place) =>
        place === undefined ? [] : [`${agent.name} ${place} ${tokensBefore?.value} ${by}`],
      )
    const own = compactions.filter((one) => !listNames(one).some((name) => known.has(name)))
    for (const compaction of own) {
      for (const name of listNames(compaction)) known.add(name)
      listed.push({ ...compaction, agent, path, sessionId: id, title, project })
    }
  }
  return listed.sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
}
