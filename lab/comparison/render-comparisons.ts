import { readFileSync } from 'node:fs'
import type { Score } from '../evaluation/measures/measure.ts'
import type { Comparison, Measured } from './compare.ts'

const HEAD = [
  '| | size | names needed later | lines edited later | your messages | rules broken | time |',
  '|---|---|---|---|---|---|---|',
]

/** One table for each method, with precis at the same places below it. */
export function renderComparisons(comparisons: readonly Comparison[], sessions: number): string {
  const methods = [...new Set(comparisons.map(({ method }) => method))]
  const versions = ['ai', '@langchain/core', 'langchain']
    .map((name) => `${name} ${readVersion(name)}`)
    .join(', ')
  const places = Math.max(
    ...methods.map((name) => comparisons.filter(({ method }) => method === name).length),
  )
  const tables = methods.map((method) =>
    renderMethod(comparisons.filter((comparison) => comparison.method === method)),
  )
  return [
    `${sessions} recorded sessions, ${places} places; ${versions}; Node ${process.versions.node}.`,
    ...tables,
  ].join('\n\n')
}

function renderMethod(comparisons: readonly Comparison[]): string {
  // If only one of both has a result at a place, the two means would cover different places.
  const both = comparisons.flatMap(({ other, precis }) =>
    other && precis ? [{ other, precis }] : [],
  )
  const empty = comparisons.filter(({ other }) => other === undefined).length
  const refused = comparisons.length - empty - both.length
  const [first] = comparisons
  const rows = [
    renderRow(
      first?.method ?? '',
      both.map(({ other }) => other),
    ),
    renderRow(
      `precis \`auto\`${first?.takesSize ? '' : ', at that size'}`,
      both.map(({ precis }) => precis),
    ),
  ]
  const notes = [
    ...(empty > 0
      ? [`It leaves less than 2% of the history at ${empty} of ${comparisons.length} places.`]
      : []),
    ...(refused > 0
      ? [`precis refuses that size at ${refused} of ${comparisons.length} places.`]
      : []),
  ]
  return [[...HEAD, ...rows].join('\n'), ...notes].join('\n\n')
}

function renderRow(name: string, results: readonly Measured[]): string {
  const cells = [
    name,
    `${Math.round(median(results.map(({ sizeShare }) => sizeShare)) * 100)}%`,
    renderMean(results.map(({ names }) => names)),
    renderMean(results.map(({ editedLines }) => editedLines)),
    renderMean(results.map(({ userMessages }) => userMessages)),
    `at ${results.filter(({ brokenRules }) => brokenRules > 0).length} of ${results.length}`,
    renderDuration(results.flatMap(({ durationMs }) => durationMs ?? [])),
  ]
  return `| ${cells.join(' | ')} |`
}

/** The mean of the shares; a score of a total of 0 says nothing. */
function renderMean(scores: readonly Score[]): string {
  const counted = scores.filter(({ total }) => total > 0)
  if (counted.length === 0) return ''
  return (counted.reduce((sum, { kept, total }) => sum + kept / total, 0) / counted.length)
    .toFixed(2)
    .replace(/^0/, '')
}

function renderDuration(durationsMs: readonly number[]): string {
  return durationsMs.length === 0 ? '' : `${Math.round(median(durationsMs))} ms`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

function readVersion(name: string): string {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  const { version }: { version: string } = JSON.parse(readFileSync(path, 'utf8'))
  return version
}
