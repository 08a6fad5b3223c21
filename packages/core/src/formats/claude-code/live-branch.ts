import { addTo, bisect } from '../../conversation/lists.ts'
import { type ClaudeEntry, isOnMainChain, type PreservedEntries } from './entries.ts'

// When Claude Code resumes, it sends one path through the graph of `parentUuid`:
//
//   line 0  user A ◄── 1 assistant B ◄── 2 user C      dead: the user went back and asked again
//                            ▲
//                            └────────── 3 user D ◄── 4 assistant E ◄── 5 system
//                                                                       ▲ leaf
// The path goes from the leaf to a root or to a compaction boundary. Then the results of parallel
// calls are added, which hang next to the path. If the parent is not in the file, or is on the path
// already, the latest entry of the five seconds before takes its place. If there is no such entry,
// the path begins there. `logicalParentUuid` has no effect (observed with 2.1.329).

/**
 * Positions of the entries on the live branch, in the order the agent sends them. Never follows a
 * cycle.
 */
export function findLiveBranch(entries: readonly ClaudeEntry[]): number[] {
  const graph = createGraph(entries)
  const stepBack = createStepBack(graph)
  const path: number[] = []
  const visited = new Set<number>()
  let position = findLeaf(graph)
  while (position !== undefined && !visited.has(position)) {
    visited.add(position)
    path.push(position)
    if (entries[position]?.subtype === 'compact_boundary') break
    const parent = graph.parents[position]
    const isBroken =
      parent === undefined ? entries[position]?.parentUuid !== undefined : visited.has(parent)
    position = isBroken ? stepBack(position, visited) : parent
  }
  return addParallelCalls(path.reverse(), graph)
}

interface Graph {
  readonly entries: readonly ClaudeEntry[]
  /** By uuid. */
  readonly positions: ReadonlyMap<string, number>
  /**
   * The parent of each entry as the agent sees it. Undefined for a root, and if the parent is
   * missing.
   */
  readonly parents: (number | undefined)[]
}

function createGraph(entries: readonly ClaudeEntry[]): Graph {
  const positions = new Map(
    entries.flatMap(({ uuid }, position) => (uuid === undefined ? [] : [[uuid, position]])),
  )
  const parents = entries.map(({ parentUuid: id }) =>
    id === undefined ? undefined : positions.get(id),
  )
  const graph: Graph = { entries, positions, parents }
  const preserved = entries.findLast((entry) => entry.preserved && !entry.isSidechain)?.preserved
  if (preserved) relinkPreserved(preserved, graph)
  return graph
}

const MOST_STEP_BACK_MS = 5000

/**
 * Finds the entry where a broken path continues: the latest one before it that is not on the path.
 */
function createStepBack({ entries, positions }: Graph) {
  let sides: readonly ReturnType<typeof createLatest>[] | undefined
  return (from: number, visited: ReadonlySet<number>): number | undefined => {
    const { timeMs, isSidechain } = entries[from] ?? {}
    if (timeMs === undefined) return undefined
    sides ??= [false, true].map((side) =>
      createLatest(sortByTime([...positions.values()], entries, side)),
    )
    const latest = sides[isSidechain ? 1 : 0]?.(timeMs, visited)
    return latest && timeMs - latest.timeMs <= MOST_STEP_BACK_MS ? latest.position : undefined
  }
}

/**
 * Finds the latest entry up to a time that was not visited. Entries are never unvisited, so each
 * search skips what searches before it passed.
 */
function createLatest(timed: readonly Timed[]) {
  const earlier = timed.map((_, index) => index - 1)
  return (timeMs: number, visited: ReadonlySet<number>): Timed | undefined => {
    const start = bisect(timed.length, (at) => timed[at]!.timeMs > timeMs) - 1
    let free = start
    while (free >= 0 && visited.has(timed[free]!.position)) free = earlier[free]!
    for (let passed = start; passed > free; ) {
      const next = earlier[passed]!
      earlier[passed] = free
      passed = next
    }
    return timed[free]
  }
}

type Timed = Required<Pick<ClaudeEntry, 'timeMs'>> & { readonly position: number }

/** Orders by time. Among entries of the same time, the first one in the file comes last. */
function sortByTime(
  positions: readonly number[],
  entries: readonly ClaudeEntry[],
  isSidechain: boolean,
): Timed[] {
  return positions
    .flatMap((position) => {
      const entry = entries[position]
      const isCandidate = entry?.isSidechain === isSidechain && entry.subtype !== 'file_snapshot'
      return isCandidate && entry.timeMs !== undefined ? [{ timeMs: entry.timeMs, position }] : []
    })
    .reverse()
    .sort((a, b) => a.timeMs - b.timeMs)
}

//   kept 1 ◄── kept 2        boundary ◄── summary ◄── next         as written
//                            boundary ◄── summary ◄── kept 1 ◄── kept 2 ◄── next      as sent
function relinkPreserved(preserved: PreservedEntries, graph: Graph): void {
  const { parents, positions } = graph
  const anchor = positions.get(preserved.anchorUuid)
  const kept = new Set(findPreserved(preserved, graph))
  if (anchor === undefined || kept.size === 0 || kept.has(anchor)) return
  const tail = [...kept].at(-1)
  parents.forEach((parent, position) => {
    if (parent === anchor && !kept.has(position)) parents[position] = tail
  })
  let previous = anchor
  for (const position of kept) {
    parents[position] = previous
    previous = position
  }
}

function findPreserved(
  { uuids, headUuid, tailUuid }: PreservedEntries,
  { parents, positions }: Graph,
): number[] {
  if (uuids) return uuids.flatMap((uuid) => positions.get(uuid) ?? [])
  const head = positions.get(headUuid ?? '')
  const kept = new Set<number>()
  let position = positions.get(tailUuid ?? '')
  while (position !== undefined && !kept.has(position)) {
    kept.add(position)
    if (position === head) return [...kept].reverse()
    position = parents[position]
  }
  return []
}

/**
 * The latest entry below the one that the last `last-prompt` names. If there is none, the latest
 * entry of the file.
 */
function findLeaf(graph: Graph): number | undefined {
  const { entries, positions } = graph
  const ranks = findRanks(graph)
  const named = entries.findLast(
    (entry) => entry.type === 'last-prompt' && entry.leafUuid !== undefined,
  )?.leafUuid
  const anchor = named === undefined ? undefined : positions.get(named)
  if (anchor !== undefined && isOnMainChain(entries[anchor]))
    return findNewestBelow(anchor, graph, ranks)
  let newest: number | undefined
  ranks.forEach((rank, position) => {
    if (newest === undefined || rank > ranks.get(newest)!) newest = position
  })
  return newest
}

/**
 * If a uuid occurs twice, the later line replaces the first in place, because the agent overwrites
 * a map entry.
 */
function findRanks({ entries, positions }: Graph): Map<number, number> {
  const ranks = new Map<number, number>()
  entries.forEach((entry, line) => {
    const position = isOnMainChain(entry) ? positions.get(entry.uuid ?? '') : undefined
    if (position !== undefined && !ranks.has(position)) ranks.set(position, line)
  })
  return ranks
}

function findNewestBelow(
  anchor: number,
  { entries, parents }: Graph,
  ranks: ReadonlyMap<number, number>,
): number {
  const children = new Map<number, number[]>()
  parents.forEach((parent, position) => {
    if (parent === undefined || !isOnMainChain(entries[position])) return
    addTo(children, parent, position)
  })
  let newest = anchor
  const below = new Set([anchor])
  // Iterating a Set follows insertion order and includes elements added meanwhile. It is a queue
  // that visits nothing twice.
  for (const position of below) {
    if ((ranks.get(position) ?? -1) > (ranks.get(newest) ?? -1)) newest = position
    for (const child of children.get(position) ?? []) below.add(child)
  }
  return newest
}

// Each parallel call is the child of the call before, and each result is the child of its call.
// Only the last result is on the path:
//
//   call 1 ◄── call 2 ◄── result 2 ◄── …      result 1 hangs on call 1
function addParallelCalls(path: number[], { entries, positions }: Graph): number[] {
  const visited = new Set(path)
  const lastOfMessage = new Map<string, number>()
  for (const position of path) {
    const messageId = entries[position]?.messageId
    if (messageId !== undefined) lastOfMessage.set(messageId, position)
  }
  const answered = new Set(path.flatMap((position) => entries[position]?.resultIds ?? []))
  const beside = new Map<number, number[]>()
  entries.forEach((entry, position) => {
    if (
      visited.has(position) ||
      !isOnMainChain(entry) ||
      positions.get(entry.uuid ?? '') !== position
    )
      return
    const isNewAnswer = entry.resultIds?.some((id) => !answered.has(id)) ?? false
    const parent = isNewAnswer ? positions.get(entry.parentUuid ?? '') : undefined
    const messageId =
      entry.messageId ?? (parent === undefined ? undefined : entries[parent]?.messageId)
    const place = messageId === undefined ? undefined : lastOfMessage.get(messageId)
    if (place === undefined) return
    for (const id of entry.resultIds ?? []) answered.add(id)
    addTo(beside, place, position)
  })
  if (beside.size === 0) return path
  const completed: number[] = []
  for (let step = 0; step < path.length; ) {
    const end = findAnswerEnd(path, step, entries)
    const answer = path
      .slice(step, end)
      .flatMap((position) => [position, ...(beside.get(position) ?? [])])
    // Results on the path and next to it are sent in the order of their lines.
    completed.push(...(answer.length > end - step ? answer.sort((a, b) => a - b) : answer))
    step = end
  }
  return completed
}

function findAnswerEnd(
  path: readonly number[],
  step: number,
  entries: readonly ClaudeEntry[],
): number {
  const messageId = entries[path[step]!]?.messageId
  let end = step + 1
  if (messageId === undefined) return end
  while (end < path.length && isWithinAnswer(entries[path[end]!], messageId)) end++
  return end
}

function isWithinAnswer(entry: ClaudeEntry | undefined, messageId: string | undefined): boolean {
  if (entry?.type === 'assistant') return entry.messageId === messageId
  return entry?.type !== 'user' || entry.resultIds !== undefined
}
