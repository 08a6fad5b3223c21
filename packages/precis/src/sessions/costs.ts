/** What all sessions of a machine have cost, request by request, summed up in different ways. */
import type { RequestBill } from './bill.ts'
import type { CountedSession, ListedCompaction } from './overview.ts'

export const COST_GROUPS = ['day', 'week', 'month', 'model', 'agent', 'project', 'block'] as const

export type CostGroup = (typeof COST_GROUPS)[number]

/** Whether its rows are times, in order. */
export const isTimed = (by: CostGroup): boolean => !['model', 'agent', 'project'].includes(by)

export interface Costs {
  /** Times ascending, what has none first. Everything else by cost, highest first. */
  readonly rows: readonly CostRow[]
  readonly total: CostSums
}

export interface CostRow extends CostSums {
  /** `2026-11-25`, `2026-11`, a model, an agent, a folder, or the start of a block. */
  readonly name: string
  /** The agent of a block. */
  readonly agent?: string
}

export interface CostSums {
  readonly requests: number
  readonly input: number
  readonly cacheWrite: number
  readonly cacheRead: number
  readonly output: number
  /** Requests that are not in the sessions, by the agent's own sum: sub-agents and compactions. */
  readonly elsewhereTokens: number
  readonly dollars: number
  /** Requests of models without a known price. They count as $0. */
  readonly unpriced: number
  /** Whether some of `elsewhereTokens` have no known price. They count as $0. */
  readonly isElsewhereUnpriced: boolean
  /** Whether some output was counted, because less was recorded. */
  readonly isOutputCounted: boolean
  readonly compactions: number
  /** Compactions whose request the agent recorded. It is part of the other numbers. */
  readonly compactionDollars: number
  /** Other compactions, as calculated. It is not part of the other numbers. */
  readonly unrecordedDollars: number
}

/** What a request, what was sent elsewhere or a compaction adds to the sums. */
interface CostPiece {
  readonly timeMs: number | undefined
  readonly model: string
  readonly agent: string
  readonly project: string | undefined
  readonly request?: RequestBill
  readonly more?: Partial<CostSums>
}

const NOT_NAMED = 'not recorded'
const ELSEWHERE = 'sub-agents, compactions'

/** Pieces without a time are left out if `since` is given. */
export function sumCosts(
  sessions: readonly CountedSession[],
  compactions: readonly ListedCompaction[],
  { by, since }: { readonly by: CostGroup; readonly since?: Date | undefined },
): Costs {
  const sinceMs = since?.getTime() ?? Number.NEGATIVE_INFINITY
  const pieces = [...sessions.flatMap(listPieces), ...compactions.map(toPiece)].filter(
    ({ timeMs }) => since === undefined || (timeMs ?? Number.NEGATIVE_INFINITY) >= sinceMs,
  )
  const findName = by === 'block' ? nameBlocks(pieces) : createNames(by)
  const groups = new Map<string, { name: string; agent?: string; sums: MutableSums }>()
  const total = createSums()
  for (const piece of pieces) {
    const name = findName(piece)
    const key = by === 'block' ? `${name}\t${piece.agent}` : name
    let group = groups.get(key)
    if (!group) {
      group = { name, ...(by === 'block' && { agent: piece.agent }), sums: createSums() }
      groups.set(key, group)
    }
    add(group.sums, piece)
    add(total, piece)
  }
  const rows = [...groups.values()].map(({ sums, ...row }): CostRow => ({ ...row, ...sums }))
  rows.sort(isTimed(by) ? byTime : byCost)
  return { rows, total }
}

const isTimeless = ({ name }: CostRow) => Number(name === NOT_NAMED)
const compare = (a = '', b = '') => (a < b ? -1 : Number(a > b))
const byTime = (a: CostRow, b: CostRow) =>
  isTimeless(b) - isTimeless(a) || compare(a.name, b.name) || compare(a.agent, b.agent)
const byCost = (a: CostRow, b: CostRow) => b.dollars - a.dollars || compare(a.name, b.name)

type MutableSums = { -readonly [Field in keyof CostSums]: CostSums[Field] }

const createSums = (): MutableSums => ({
  requests: 0,
  input: 0,
  cacheWrite: 0,
  cacheRead: 0,
  output: 0,
  elsewhereTokens: 0,
  dollars: 0,
  unpriced: 0,
  isElsewhereUnpriced: false,
  isOutputCounted: false,
  compactions: 0,
  compactionDollars: 0,
  unrecordedDollars: 0,
})

function add(sums: MutableSums, { request, more }: CostPiece): void {
  if (request) addRequest(sums, request)
  if (more) addMore(sums, more)
}

function addRequest(sums: MutableSums, request: RequestBill): void {
  sums.requests++
  sums.input += request.input
  sums.cacheWrite += request.cacheWrite
  sums.cacheRead += request.cacheRead
  sums.output += request.output
  sums.dollars += request.dollars ?? 0
  if (request.dollars === undefined) sums.unpriced++
  sums.isOutputCounted ||= request.isOutputCounted === true
}

function addMore(sums: MutableSums, piece: Partial<CostSums>): void {
  sums.elsewhereTokens += piece.elsewhereTokens ?? 0
  sums.dollars += piece.dollars ?? 0
  sums.isElsewhereUnpriced ||= piece.isElsewhereUnpriced ?? false
  sums.compactions += piece.compactions ?? 0
  sums.compactionDollars += piece.compactionDollars ?? 0
  sums.unrecordedDollars += piece.unrecordedDollars ?? 0
}

function listPieces({ file, facts, own, elsewhere }: CountedSession): CostPiece[] {
  const place = { agent: file.agent.title, project: facts?.project }
  const { agent, project } = place
  const pieces = own.map((request): CostPiece => {
    const { timeMs, model } = request
    return { timeMs, model, agent, project, request }
  })
  if (elsewhere.tokens === 0) return pieces
  const { tokens, dollars } = elsewhere
  return [
    ...pieces,
    {
      ...place,
      // The agent records their sum when it exits.
      timeMs: own.at(-1)?.timeMs ?? file.modified.getTime(),
      model: ELSEWHERE,
      more: {
        elsewhereTokens: tokens,
        dollars: dollars ?? 0,
        isElsewhereUnpriced: dollars === undefined,
      },
    },
  ]
}

function toPiece({ agent, project, time, cost, model }: ListedCompaction): CostPiece {
  const { value = 0, isEstimated = false } = cost?.dollars ?? {}
  return {
    agent: agent.title,
    project,
    timeMs: time,
    model: model ?? NOT_NAMED,
    more: {
      compactions: 1,
      ...(isEstimated ? { unrecordedDollars: value } : { compactionDollars: value }),
    },
  }
}

const NAMES: Readonly<Record<Exclude<CostGroup, 'block'>, (piece: CostPiece) => string>> = {
  day: ({ timeMs }) => nameDay(timeMs),
  week: ({ timeMs }) =>
    nameDay(timeMs, (date) => date.setDate(date.getDate() - ((date.getDay() + 6) % 7))),
  month: ({ timeMs }) => (timeMs === undefined ? NOT_NAMED : nameDay(timeMs).slice(0, 7)),
  model: ({ model }) => model,
  agent: ({ agent }) => agent,
  project: ({ project }) => project ?? NOT_NAMED,
}

// Zones differ by quarters of an hour, so that each quarter has one day.
const QUARTER_MS = 900_000

/** The dates of a quarter of an hour are found once. */
function createNames(by: Exclude<CostGroup, 'block'>): (piece: CostPiece) => string {
  const find = NAMES[by]
  if (!isTimed(by)) return find
  const known = new Map<number, string>()
  return (piece) => {
    if (piece.timeMs === undefined) return find(piece)
    const quarter = Math.floor(piece.timeMs / QUARTER_MS)
    const name = known.get(quarter) ?? find(piece)
    known.set(quarter, name)
    return name
  }
}

/** Local. A week has the name of its Monday. */
function nameDay(timeMs: number | undefined, move?: (date: Date) => void): string {
  if (timeMs === undefined) return NOT_NAMED
  const date = new Date(timeMs)
  move?.(date)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${date.getFullYear()}-${month}-${day}`
}

const HOUR_MS = 3_600_000
const BLOCK_MS = 5 * HOUR_MS

/**
 * The five hours for which subscriptions count use: a block begins at the full hour (UTC) of the
 * first request, and the next one with the first request after five hours, or after a pause of
 * five hours. Agents have separate blocks.
 */
function nameBlocks(pieces: readonly CostPiece[]): (piece: CostPiece) => string {
  const names = new Map<CostPiece, string>()
  const open = new Map<string, { start: number; last: number }>()
  const timed = pieces.flatMap((piece) =>
    piece.timeMs === undefined ? [] : [{ piece, timeMs: piece.timeMs }],
  )
  for (const { piece, timeMs } of timed.sort((a, b) => a.timeMs - b.timeMs)) {
    const block = open.get(piece.agent)
    const isSame = block && timeMs - block.start <= BLOCK_MS && timeMs - block.last <= BLOCK_MS
    const start = isSame ? block.start : Math.floor(timeMs / HOUR_MS) * HOUR_MS
    open.set(piece.agent, { start, last: timeMs })
    names.set(piece, new Date(start).toISOString())
  }
  return (piece) => names.get(piece) ?? NOT_NAMED
}
