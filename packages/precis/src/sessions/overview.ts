/** An overview of this machine: sessions by agent and project, and their compactions. */
import type { Agent } from '../agents/shared/agent.ts'
import { addToList } from '../files/lists.ts'
import { addAmounts, type Bill, findElsewhere, type RequestBill } from './bill.ts'
import type { FactsCache } from './facts-cache.ts'
import { isInside } from './filter-sessions.ts'
import type { SessionFile } from './find-sessions.ts'
import { readAll } from './read-all.ts'
import type { Amount } from './read-usage.ts'
import {
  type PastCompaction,
  type RequestTotal,
  type SessionFacts,
  sumRequests,
} from './session-facts.ts'

export type { Measured } from '../agents/shared/agent.ts'

export interface Overview {
  /** Sessions of the current folder first, then by the time of last use. */
  readonly projects: readonly ProjectSessions[]
  /** Oldest first. */
  readonly compactions: readonly ListedCompaction[]
  /** Paths of sessions that could not be read. The counts include them. */
  readonly unreadable: readonly string[]
}

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
  /** US dollars at list prices, of the requests to models with known ones. */
  readonly dollars: number
  /** Sessions whose dollars are not known, or only of some requests. */
  readonly unpriced: number
  /** Whether some output was counted, because less was recorded. */
  readonly isOutputCounted: boolean
}

export interface ListedCompaction extends PastCompaction, Pick<SessionFacts, 'project'> {
  /** The agent's name for the session, or else its first words. */
  readonly title: string | undefined
  readonly agent: Agent
  readonly sessionId: string
  /** The beginning of the id that names no other session of this machine. */
  readonly shortId: string
  readonly path: string
}

export interface KnownSession {
  readonly file: SessionFile
  /** Undefined if it cannot be read. */
  readonly facts: SessionFacts | undefined
}

/** A session without the requests that an earlier session also contains. */
export interface CountedSession extends KnownSession {
  /** Its requests that no earlier session contains. */
  readonly own: readonly RequestBill[]
  /** What was sent for it elsewhere. */
  readonly elsewhere: Amount
  readonly tokens: number
  /** Of the requests with a known price. Undefined if there is none. */
  readonly dollars: number | undefined
  /** Whether nothing is recorded, or a price is unknown. */
  readonly isUnpriced: boolean
  /** Whether some output was counted, because less was recorded. */
  readonly isOutputCounted: boolean
}

export interface ReadOptions {
  readonly cache: FactsCache
  /** Whether these are all sessions of the machine. */
  readonly areAll?: boolean
  /** Whether facts without what compactions lost, by name, are enough. */
  readonly isBrief?: boolean
  readonly onProgress: (read: number, toRead: number) => void
  /**
   * Gets what is known after `firstMs`, once: at least 50 sessions or a quarter of all, if at least
   * half is left to read.
   */
  readonly onFirst?: ((known: readonly KnownSession[]) => Promise<void>) | undefined
  /** By default two seconds. */
  readonly firstMs?: number
  /** Why what was read could not be kept. */
  readonly onProblem: (problem: string) => void
}

const FIRST_MS = 2000
// Fewer say nothing of the machine.
const FIRST_SESSIONS = 50
const SAVE_MS = 2000
// Storing grows with what is known, and may take a fiftieth of the time.
const SAVE_SHARE = 50

/**
 * All sessions, oldest first. Reads those that the cache does not contain, newest first. It stores
 * them every few seconds, so an interrupted run can resume.
 */
export async function readSessions(
  files: readonly SessionFile[],
  options: ReadOptions,
): Promise<KnownSession[]> {
  const { cache, areAll = false, isBrief = false, firstMs = FIRST_MS } = options
  const { onProgress, onFirst, onProblem } = options
  const known: KnownSession[] = []
  const unknown: SessionFile[] = []
  for (const file of files) {
    const facts = cache.find(file)
    if (facts && (isBrief || !facts.isBrief)) known.push({ file, facts })
    else unknown.push(file)
  }
  if (unknown.length > 0 && cache.problem !== undefined) onProblem(cache.problem)
  let problem: string | undefined
  let nextMs = performance.now() + SAVE_MS
  const save = async () => {
    const startMs = performance.now()
    problem ??= await cache.save(false)
    const endMs = performance.now()
    nextMs = endMs + Math.max(SAVE_MS, (endMs - startMs) * SAVE_SHARE)
  }
  if (unknown.length > 0) onProgress(0, unknown.length)
  let isFirst = true
  const dueMs = performance.now() + firstMs
  const fewest = Math.min(FIRST_SESSIONS, unknown.length / 4)
  let done = 0
  await readAll(unknown, isBrief, async (file, packed) => {
    if (packed !== undefined) cache.add(file, packed)
    known.push({ file, facts: cache.find(file) })
    done++
    if (isFirst && known.length >= fewest && performance.now() >= dueMs) {
      isFirst = false
      if (done <= unknown.length / 2) await onFirst?.(known.toSorted(byTime))
    }
    onProgress(done, unknown.length)
    if (problem === undefined && performance.now() >= nextMs) await save()
  })
  problem ??= await cache.save(areAll)
  if (problem !== undefined) onProblem(`what was read is not cached. ${problem.replace(/\.$/, '')}`)
  return known.sort(byTime)
}

export function createOverview(known: readonly KnownSession[], directory: string): Overview {
  return {
    projects: groupSessions(countWithoutCopies(known), directory),
    compactions: listCompactions(known),
    unreadable: known.flatMap(({ file, facts }) => (facts ? [] : [file.path])),
  }
}

// A copy is written after what it copies.
const byTime = (a: KnownSession, b: KnownSession) =>
  a.file.modified.getTime() - b.file.modified.getTime()

// A fork of Codex gives what it copies its own time, and its source may continue after it.
const byBeginning = (a: KnownSession, b: KnownSession) =>
  (a.facts?.startMs ?? Infinity) - (b.facts?.startMs ?? Infinity) || byTime(a, b)

/**
 * A fork, a clone and an undone session hold requests of another one: each counts in the session
 * that began first, and of those that began alike in the one that was changed first. What was sent
 * elsewhere, by a sub-agent or for a compaction, counts with the session that it was for.
 */
export function countWithoutCopies(sessions: readonly KnownSession[]): CountedSession[] {
  const counted = new Map<Agent, Set<string>>()
  const sorted = sessions.toSorted(byBeginning)
  const elsewhere = findElsewhere(sorted.map(({ facts }) => facts ?? NO_BILL))
  return sorted.map((session, index) => {
    const { file, facts } = session
    const keys = counted.get(file.agent) ?? new Set()
    counted.set(file.agent, keys)
    const repeated = findRepeated(facts?.keys ?? [], keys)
    const listOwn = () => (facts?.requests ?? []).filter((_, place) => !repeated.has(place))
    const all = facts?.total ?? NO_TOTAL
    const beside = elsewhere[index] ?? NO_TOTAL
    const own = repeated.size === 0 ? all : sumRequests(listOwn())
    const { tokens, dollars } = addAmounts([own, beside])
    const isUnpriced = !facts?.keys.length || all.dollars === undefined
    return {
      file,
      facts,
      get own() {
        return listOwn()
      },
      elsewhere: beside,
      tokens,
      dollars: isUnpriced ? sumKnown([...listOwn(), beside]) : dollars,
      isUnpriced,
      isOutputCounted: own.isOutputCounted,
    }
  })
}

/** Undefined if no price is known. */
function sumKnown(amounts: readonly Pick<Amount, 'dollars'>[]): number | undefined {
  return amounts.reduce((sum, { dollars }) => sum + (dollars ?? 0), 0) || undefined
}

/** The places of keys that were counted before. Counts all. */
function findRepeated(keys: SessionFacts['keys'], counted: Set<string>): ReadonlySet<number> {
  const repeated = new Set<number>()
  for (const [place, key] of keys.entries()) {
    if (key === undefined) continue
    if (counted.has(key)) repeated.add(place)
    else counted.add(key)
  }
  return repeated
}

const NO_TOTAL: RequestTotal = { tokens: 0, dollars: 0, isOutputCounted: false }
const NO_BILL: Bill = { requests: [], sums: [] }

function groupSessions(sessions: readonly CountedSession[], directory: string): ProjectSessions[] {
  const groups = new Map<string | undefined, CountedSession[]>()
  for (const session of sessions) {
    addToList(groups, session.facts?.project, session)
  }
  const projects = [...groups].map(([project, group]): ProjectSessions => {
    const latestFirst = group
      .toSorted(byTime)
      .map(({ file }) => file)
      .toReversed()
    return {
      agents: [...new Set(latestFirst.map(({ agent }) => agent))],
      project,
      isHere: isInside(project, directory),
      lastUsed: latestFirst[0]?.modified ?? new Date(0),
      ...addSums(group.map(sumSession)),
    }
  })
  return projects.sort(
    (a, b) => Number(b.isHere) - Number(a.isHere) || b.lastUsed.getTime() - a.lastUsed.getTime(),
  )
}

const sumSession = (session: CountedSession): SessionSums => ({
  sessions: 1,
  bytes: session.file.bytes,
  tokens: session.tokens,
  dollars: session.dollars ?? 0,
  unpriced: session.isUnpriced ? 1 : 0,
  isOutputCounted: session.isOutputCounted,
})

export function addSums(sums: readonly SessionSums[]): SessionSums {
  const sum = (read: (one: SessionSums) => number) =>
    sums.reduce((total, one) => total + read(one), 0)
  return {
    sessions: sum(({ sessions }) => sessions),
    bytes: sum(({ bytes }) => bytes),
    tokens: sum(({ tokens }) => tokens),
    dollars: sum(({ dollars }) => dollars),
    unpriced: sum(({ unpriced }) => unpriced),
    isOutputCounted: sums.some(({ isOutputCounted }) => isOutputCounted),
  }
}

/** How far an earlier sentence that binds is preferred to a later one that does not. */
export const MOST_LOOKED_AT = 20

/**
 * Sessions of the latest `most` compactions, and of those that are looked at, whose losses were not
 * looked for by name. After these are read, there may be others.
 */
export function listBrief(known: readonly KnownSession[], most: number): SessionFile[] {
  const sessions = new Map(known.map((session) => [session.file.path, session]))
  const brief = new Set<SessionFile>()
  let lookedAt = 0
  for (const [index, { path, lost }] of listCompactions(known).toReversed().entries()) {
    if (index >= most && lookedAt >= MOST_LOOKED_AT) break
    const { file, facts } = sessions.get(path) ?? {}
    if (file && facts?.isBrief) brief.add(file)
    if (facts?.isBrief || lost?.words.sentences.length) lookedAt++
  }
  return [...brief]
}

const LONGEST_TITLE = 200

/** Each once, because copies of a session contain the earlier ones as well. */
export function listCompactions(sessions: readonly KnownSession[]): ListedCompaction[] {
  const listed: ListedCompaction[] = []
  const known = new Set<string>()
  for (const { file, facts } of sessions.toSorted(byBeginning)) {
    const { agent, path, shortId } = file
    const { id = '', project, compactions = [] } = facts ?? {}
    // Some copies have other times, some not the request before.
    const listNames = ({ time, after, tokensBefore, by }: PastCompaction) =>
      [time, after].flatMap((place) =>
        place === undefined ? [] : [`${agent.name} ${place} ${tokensBefore?.value} ${by}`],
      )
    const own = compactions.filter((one) => !listNames(one).some((name) => known.has(name)))
    if (own.length === 0) continue
    const title = (facts?.title ?? facts?.firstPrompt)?.slice(0, LONGEST_TITLE)
    for (const compaction of own) {
      for (const name of listNames(compaction)) known.add(name)
      listed.push({ ...compaction, agent, path, sessionId: id, shortId, title, project })
    }
  }
  return listed.sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
}
