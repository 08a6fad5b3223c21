/**
 * Learns the weights of `digest` from recorded sessions. Writes `weights.data.ts` only when what was learned helps projects
 * and agents that were left out, and helps more than the weights that are there. Deterministic: no clock, no chance.
 *
 *   npm run train -- <folder>
 *
 * A file INDEX.tsv in the folder, if there is one, tells the project of each session: columns `path` and `source_repo`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { weights as current } from '../packages/core/src/summarizers/digest/weights.data.ts'
import type { Weights } from '../packages/core/src/summarizers/digest/weights.ts'
import { type Means, measure, measureSessions, objectiveOf } from './train/objective.ts'
import { createPoint, type Point, readRecording } from './train/points.ts'
import { measures } from './train/score.ts'
import { search } from './train/search.ts'
import { start } from './train/start.ts'

const TARGET = resolve(import.meta.dirname, '../packages/core/src/summarizers/digest/weights.data.ts')

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Learning from recorded sessions: give the folder that holds them.')
const points = await readPoints(folder)
console.log(`${points.length} points in ${new Set(points.map(({ session }) => session)).size} sessions`)
const gains = [...validate('project'), ...validate('agent')]
const learned = learn(points)
const present = show('present, all', measure(points, current))
const found = show('learned, all', measure(points, learned))
if (gains.every((gain) => gain > 0) && found > present) {
  writeFileSync(TARGET, renderWeights(learned))
  console.log(`Wrote ${TARGET}.`)
} else
  console.log('The weights stay as they are: what was learned does not help those that were left out, or helps less.')

function learn(from: readonly Point[]): Weights {
  return search(start, (weights) => measureSessions(from, weights))
}

/** Learns without one group after the other, and looks at the group that was left out: what it gains. */
function validate(key: 'project' | 'agent'): number[] {
  return [...new Set(points.map((point) => point[key]))].sort().map((group) => {
    const inside = points.filter((point) => point[key] === group)
    const weights = learn(points.filter((point) => point[key] !== group))
    const before = show(`start, ${group} (${inside.length})`, measure(inside, start))
    return show(`learned without ${group}`, measure(inside, weights)) - before
  })
}

async function readPoints(root: string): Promise<Point[]> {
  const projects = readProjects(root)
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'))
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

function show(title: string, means: Means): number {
  const numbers = measures.map((name) => `${name} ${means[name]?.toFixed(3) ?? '-'}`).join('  ')
  console.log(`${title.padEnd(36)} ${objectiveOf(means).toFixed(3)}  ${numbers}`)
  return objectiveOf(means)
}

function renderWeights(weights: Weights): string {
  const lines = Object.entries(weights).map(([name, value]) => `  ${name}: ${value},`)
  return [
    '/** Learned by scripts/train.ts; docs/digest.md says from what and how well. */',
    "import type { Weights } from './weights.ts'",
    '',
    'export const weights: Weights = {',
    ...lines,
    '}',
    '',
  ].join('\n')
}
