/**
 * Learns the weights of `digest` from recorded sessions and writes `weights.data.ts`. What was
 * learned is written only when it is no worse for sessions that were left out; otherwise what
 * learning starts from is. Deterministic: no clock, no chance.
 *
 *   npm run train -- <folder>
 *
 * A file INDEX.tsv in the folder, if there is one, tells the project of each session: columns
 * `path` and `source_repo`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Weights } from '../../packages/core/src/digest/weights.data.ts'
import { createEvaluate, groupBySession, mean, type Session, standardError } from './evaluation.ts'
import { createPoint, type Point, readRecording } from './points.ts'
import { measures } from './score.ts'
import { search } from './search.ts'
import { start } from './start.ts'

const TARGET = resolve(import.meta.dirname, '../../packages/core/src/digest/weights.data.ts')
const FOLDS = 5

const [folder] = process.argv.slice(2)
if (folder === undefined)
  throw new Error('Learning from recorded sessions: give the folder that holds them.')
const points = await readPoints(folder)
if (points.length === 0)
  throw new Error(`Learning from recorded sessions: ${folder} holds none that is long enough.`)
const sessions = groupBySession(points)
console.log(`${points.length} points in ${sessions.length} sessions`)
const evaluate = createEvaluate()
const learned = learn(sessions)
show('start', sessions, start)
show('learned', sessions, learned)
for (const group of new Set(sessions.map(groupOf))) {
  const own = sessions.filter((session) => groupOf(session) === group)
  console.log(`  ${group} (${own.length}): ${describeGains(gainsIn(own, learned))}`)
}
console.log(`  on what it was learned from: ${describeGains(gainsIn(sessions, learned))}`)
const heldOut = [
  validate('one project left out', ({ project }) => project),
  validate('one agent left out', ({ agent }) => agent),
  validate(`${FOLDS} parts`, (session) => String(partOf(session))),
]
const isKept = heldOut.every((gain) => gain >= 0)
writeFileSync(TARGET, renderWeights(isKept ? learned : start))
console.log(
  `Wrote ${isKept ? 'what was learned' : 'the start: what was learned does worse where it was left out'}.`,
)

function learn(from: readonly Session[]): Weights {
  return search(start, from.map(groupOf), (weights) => evaluate(from, weights))
}

function groupOf({ project, agent }: Session): string {
  return `${project}, ${agent}`
}

/** Every fifth session of each group. */
function partOf(session: Session): number {
  const group = sessions.filter((other) => groupOf(other) === groupOf(session))
  return group.indexOf(session) % FOLDS
}

/** Learns without one part after the other, and looks at the part that was left out. */
function validate(title: string, keyOf: (session: Session) => string): number {
  console.log(`${title}:`)
  const gains = [...new Set(sessions.map(keyOf))].sort().flatMap((key) => {
    const inside = sessions.filter((session) => keyOf(session) === key)
    const weights = learn(sessions.filter((session) => keyOf(session) !== key))
    const own = gainsIn(inside, weights)
    console.log(`  ${key} (${inside.length}): ${describeGains(own)}; ${describeMoves(weights)}`)
    return own
  })
  console.log(`  all left out: ${describeGains(gains)}`)
  return mean(gains)
}

function gainsIn(some: readonly Session[], weights: Weights): number[] {
  const before = evaluate(some, start).perSession
  return evaluate(some, weights).perSession.map((value, session) => value - before[session]!)
}

function describeGains(gains: readonly number[]): string {
  const better = gains.filter((gain) => gain > 0).length
  const worse = gains.filter((gain) => gain < 0).length
  return `${mean(gains).toFixed(4)} ± ${standardError(gains).toFixed(4)}, ${better} better, ${worse} worse`
}

function describeMoves(weights: Weights): string {
  const names = (Object.keys(weights) as (keyof Weights)[]).filter(
    (name) => weights[name] !== start[name],
  )
  return (
    names.map((name) => `${name} ${start[name]} → ${weights[name]}`).join(', ') || 'nothing moved'
  )
}

function show(title: string, some: readonly Session[], weights: Weights): void {
  const { perSession, means } = evaluate(some, weights)
  const numbers = measures.map((name) => `${name} ${means[name]?.toFixed(3) ?? '-'}`).join('  ')
  console.log(
    `${title.padEnd(8)} ${mean(perSession).toFixed(3)}  ${numbers}  (${describeMoves(weights)})`,
  )
}

async function readPoints(root: string): Promise<Point[]> {
  const projects = readProjects(root)
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.jsonl'),
  )
  const found: Point[] = []
  for (const path of paths.sort()) {
    const recording = readRecording(join(root, path), projects.get(path))
    for (const cut of recording?.cuts ?? []) {
      const point = recording && (await createPoint(recording, cut))
      if (point) found.push(point)
    }
  }
  return found
}

function readProjects(root: string): Map<string, string> {
  const path = join(root, 'INDEX.tsv')
  if (!existsSync(path)) return new Map()
  const [head = '', ...rows] = readFileSync(path, 'utf8').trim().split('\n')
  const columns = head.split('\t')
  const read = (row: string, name: string) => row.split('\t')[columns.indexOf(name)] ?? ''
  return new Map(rows.map((row) => [read(row, 'path'), read(row, 'source_repo')]))
}

/** The file with other numbers. */
function renderWeights(weights: Weights): string {
  return Object.entries(weights).reduce(
    (text, [name, value]) =>
      text.replace(new RegExp(`^  ${name}: .*$`, 'm'), `  ${name}: ${value},`),
    readFileSync(TARGET, 'utf8'),
  )
}
