import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import { renderCosts } from '../reports/cost.ts'
import type { RequestBill } from './bill.ts'
import { COST_GROUPS, sumCosts } from './costs.ts'
import {
  countWithoutCopies,
  createOverview,
  type KnownSession,
  listCompactions,
} from './overview.ts'
import { sumRequests } from './session-facts.ts'

const at = (text: string) => Date.parse(`2026-04-${text}:00Z`)
const request = (key: string, timeMs: number, dollars = 1, model = 'm'): RequestBill => ({
  key,
  model,
  timeMs,
  input: 1,
  cacheWrite: 20,
  cacheRead: 300,
  output: 4000,
  tokens: 4321,
  dollars,
})

function session(
  path: string,
  requests: readonly RequestBill[],
  { agent = claudeCode, modified = at('20T00:00'), project = '/work/shop', ...facts } = {},
): KnownSession {
  return {
    file: { agent, id: path, shortId: path, path, bytes: 1, modified: new Date(modified) },
    facts: {
      id: path,
      title: undefined,
      firstPrompt: undefined,
      project,
      contextTokens: undefined,
      startMs: requests[0]?.timeMs,
      compactions: [],
      isBrief: false,
      sums: [],
      requests,
      keys: requests.map(({ key }) => key),
      total: sumRequests(requests),
      ...facts,
    },
  }
}

const sum = (sessions: readonly KnownSession[], by: (typeof COST_GROUPS)[number], since?: Date) =>
  sumCosts(countWithoutCopies(sessions), listCompactions(sessions), { by, since })

const SESSIONS = [
  session('a', [request('1', at('01T10:20')), request('2', at('01T14:00'), 2, 'n')]),
  session('b', [request('3', at('01T15:30'), 4), request('4', at('09T00:00'), 8)]),
  session('c', [request('5', at('01T15:40'), 16)], { agent: codex }),
]

describe('an overview', () => {
  test('has one row for a project, which names its agents, the latest first', () => {
    const modified = at('21T00:00')
    const known = [
      session('x', [], { agent: codex, modified }),
      ...SESSIONS,
      session('y', [], { project: '/work/other' }),
    ]
    const { projects } = createOverview(known, '/')
    expect(projects.map(({ project, agents }) => [project, agents])).toEqual([
      ['/work/shop', [codex, claudeCode]],
      ['/work/other', [claudeCode]],
    ])
    expect(projects[0]).toMatchObject({ sessions: 4, dollars: 31, lastUsed: new Date(modified) })
  })

  test('has the same money as the costs, if only some requests have a known price', () => {
    const unpriced = { ...request('6', at('01T16:00')), dollars: undefined }
    const known = [
      session('a', [request('1', at('01T10:20'), 2), unpriced]),
      session('b', [request('1', at('01T10:20'), 2), unpriced, request('2', at('01T11:20'), 4)]),
      session('c', [{ ...unpriced, key: '7' }]),
    ]
    const { projects } = createOverview(known, '/')
    expect(projects[0]).toMatchObject({ sessions: 3, unpriced: 3, dollars: 6 })
    expect(sum(known, 'day').total).toMatchObject({ dollars: 6, unpriced: 2 })
  })
})

describe('costs', () => {
  test.each(COST_GROUPS)('by %s have the sum of all in their rows', (by) => {
    const { rows, total } = sum(SESSIONS, by)
    const add = (read: (row: (typeof rows)[number]) => number) =>
      rows.reduce((all, row) => all + read(row), 0)
    expect(add(({ dollars }) => dollars)).toBe(31)
    expect(total).toMatchObject({
      requests: 5,
      input: 5,
      cacheWrite: 100,
      cacheRead: 1500,
      output: 20_000,
      dollars: 31,
    })
  })

  test('have blocks of five hours from the full hour of the first request, for each agent', () => {
    const { rows } = sum(SESSIONS, 'block')
    expect(rows.map(({ name, agent, dollars }) => [name, agent, dollars])).toEqual([
      ['2026-04-01T10:00:00.000Z', 'Claude Code', 3],
      ['2026-04-01T15:00:00.000Z', 'Claude Code', 4],
      ['2026-04-01T15:00:00.000Z', 'Codex', 16],
      ['2026-04-09T00:00:00.000Z', 'Claude Code', 8],
    ])
  })

  test('count a request once that a fork repeats', () => {
    const fork = session('d', [request('4', at('09T00:00'), 8), request('6', at('09T01:00'), 32)], {
      modified: at('21T00:00'),
    })
    expect(sum([...SESSIONS, fork], 'day').total).toMatchObject({ requests: 6, dollars: 63 })
  })

  test('count a request where it was sent, if a fork gives it another time and its source goes on', () => {
    const source = session('d', [request('7', at('09T00:00'))], { modified: at('22T00:00') })
    const fork = session('e', [request('7', at('21T00:00')), request('8', at('21T01:00'))])
    const { rows } = sum([fork, source], 'day')
    expect(rows.map(({ name, requests }) => [name, requests])).toEqual([
      ['2026-04-09', 1],
      ['2026-04-21', 1],
    ])
  })

  test('say how many requests have no known price', () => {
    const { total } = sum(
      [session('a', [{ ...request('1', at('01T10:20')), dollars: undefined }])],
      'day',
    )
    expect(total).toMatchObject({ requests: 1, unpriced: 1, dollars: 0 })
  })

  test('take only requests as unpriced, and show what is known beside what is not', () => {
    const known = [session('a', [request('1', at('01T10:20'), 4.2)])]
    const counted = countWithoutCopies(known).map((one) => ({
      ...one,
      elsewhere: { tokens: 9000, dollars: undefined },
    }))
    const costs = sumCosts(counted, [], { by: 'model' })
    expect(costs.total).toMatchObject({ requests: 1, unpriced: 0, isElsewhereUnpriced: true })
    const page = { columns: 200, colors: pc.createColors(false) }
    const text = renderCosts(costs, { by: 'model', limit: 9 }, page)
    expect(text).toMatch(/\n +m .* \$4\.20\n +sub-agents, compactions .* –\n +all .* \$4\.20\n/)
    expect(text).not.toContain('1 request')
  })

  test('are in order of name and agent, and what has no time is not the latest', () => {
    const timeless = session('e', [{ ...request('9', 0), timeMs: undefined }])
    const earlier = session('c', [request('5', at('01T15:40'))], {
      agent: codex,
      modified: at('19T00:00'),
    })
    const other = session('b', [request('3', at('01T15:30'))])
    expect(
      sum([earlier, other, timeless], 'block').rows.map(({ name, agent }) => [name, agent]),
    ).toEqual([
      ['not recorded', 'Claude Code'],
      ['2026-04-01T15:00:00.000Z', 'Claude Code'],
      ['2026-04-01T15:00:00.000Z', 'Codex'],
    ])
  })

  test('since a time leave out what was before, and what has no time', () => {
    const timeless = session('e', [{ ...request('9', 0), timeMs: undefined }])
    expect(sum([...SESSIONS, timeless], 'model', new Date(at('02T00:00'))).rows).toMatchObject([
      { name: 'm', dollars: 8 },
    ])
  })

  test('keep a compaction without a recorded request apart', () => {
    const compaction = {
      time: at('01T12:00'),
      after: '1',
      trigger: 'automatic',
      by: 'agent',
      durationMs: undefined,
      tokensBefore: undefined,
      tokensAfter: undefined,
      lost: undefined,
      cost: { dollars: { value: 0.5, isEstimated: true }, coldDollars: 1 },
      model: 'm',
    } as const
    const compacted = session('a', [request('1', at('01T10:20'))], {
      compactions: [compaction],
    } as object)
    expect(sum([compacted], 'model').rows).toMatchObject([
      { name: 'm', dollars: 1, compactions: 1, compactionDollars: 0, unrecordedDollars: 0.5 },
    ])
  })
})
