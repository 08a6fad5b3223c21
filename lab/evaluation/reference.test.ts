import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { loadSession } from '../../packages/precis/src/sessions/load-session.ts'
import { evaluatePoint, prepareScorer } from './evaluate-points.ts'
import { findPoints, type PointKind } from './find-points.ts'
import { createRecording } from './recording.ts'

const shared = resolve(fileURLToPath(new URL('../../../shared', import.meta.url)))
const scorer = join(shared, 'tools/retention/run.py')
const data = join(shared, 'data')
const sessions = {
  cuts: ['claude-code/entireio-cli-soph-05.jsonl', 'codex/entireio-gitsync-soph-02.jsonl'].map(
    (name) => join(data, name),
  ),
  native: [join(data, 'claude-code/entireio-cli-soph-01.jsonl')],
}

const isThere = [scorer, ...sessions.cuts, ...sessions.native].every((path) => existsSync(path))
const canRun = isThere && spawnSync('python3', ['--version']).status === 0

const REFERENCE_NAMES: Readonly<Record<string, string>> = {
  tail: 'newest',
  'users+tail': 'users-and-newest',
  'maskall+tail': 'masked-and-newest',
  'ledger+tail': 'line-per-call',
  'random-lines': 'random-lines',
  'recorded-LLM-summary': 'recorded-summary',
}
const REFERENCE_MEASURES = [
  'gcrr',
  'gcrr_rare',
  'ear',
  'cmd',
  'art_w',
  'art_op',
  'art_r',
  'cons',
  'err',
  'faith',
]
const BUDGET = 4000

type ReferenceRow = Readonly<Record<string, unknown>> & {
  readonly base: string
  readonly file: string
}

const folder = mkdtempSync(join(tmpdir(), 'precis-reference-'))
afterAll(() => rmSync(folder, { recursive: true }))

function runReference(points: 'cuts' | 'native', files: readonly string[]): ReferenceRow[] {
  const out = join(folder, `${points}.json`)
  const words = [
    scorer,
    '--points',
    points,
    '--budgets',
    String(BUDGET),
    '--jobs',
    '1',
    '--json',
    out,
    ...files,
  ]
  const { status, stderr } = spawnSync('python3', words, { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return JSON.parse(readFileSync(out, 'utf8'))
}

// The scorer and the sessions lie beside the repository; without them, or without python3, there is
// nothing to compare with.
describe.skipIf(!canRun)(
  'the reference scorer (skipped where ../shared or python3 is missing)',
  { tags: 'slow' },
  () => {
    test.each(['cuts', 'native'] as const)(
      'gives the same counts at %s, for every baseline and measure',
      async (kind) => {
        const expected = runReference(kind, sessions[kind])
          .filter(({ base }) => base in REFERENCE_NAMES)
          .map(({ file, base, ...counts }) => [
            `${basename(file)} ${REFERENCE_NAMES[base]}`,
            REFERENCE_MEASURES.map((name) => counts[name]),
          ])
        const found: unknown[] = []
        for (const path of sessions[kind]) found.push(...(await countAll(path, kind)))
        expect(expected.length).toBeGreaterThan(0)
        expect(sortByText(found)).toEqual(sortByText(expected))
      },
      TIMEOUT_MS,
    )
  },
)

// Python takes most of it.
const TIMEOUT_MS = 180_000

async function countAll(path: string, kind: PointKind): Promise<unknown[]> {
  const session = await loadSession(path)
  const recording = createRecording(session)
  const found: unknown[] = []
  for (const point of findPoints(recording).points.filter((candidate) => candidate.kind === kind)) {
    const options = {
      strategies: [],
      budgets: [{ label: String(BUDGET), sizeFor: () => BUDGET }],
      onFailure: (reason: string) => expect.fail(reason),
    }
    for await (const { method, outcome } of evaluatePoint(
      recording,
      point,
      prepareScorer(point),
      options,
    )) {
      if (outcome.type !== 'scored' || method === 'word-list') continue
      const counts = REFERENCE_MEASURES.map((name) => [
        outcome.scores[name]?.kept,
        outcome.scores[name]?.total,
      ])
      found.push([`${basename(path)} ${method}`, counts])
    }
  }
  session.document.close()
  return found
}

function sortByText(rows: readonly unknown[]): unknown[] {
  return [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
