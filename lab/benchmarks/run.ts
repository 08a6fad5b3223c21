/**
 * Measures what `docs/benchmarks.md` claims, and writes that page. Arguments are words of section
 * titles: the page keeps its other sections. Every number is a ratio within one run.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { measureAuto } from './auto.ts'
import { measureBands } from './bands.ts'
import { measureContext } from './context.ts'
import { measureCounting } from './counting.ts'
import { measureGateway } from './gateway.ts'
import { measureInspect } from './inspect.ts'
import { measureLargeSessions } from './large-sessions.ts'
import type { Row } from './measure.ts'
import { measureStartUp } from './start-up.ts'
import { measureStrategies } from './strategies.ts'

const VERDICTS = ['✗', '✓']

const sections: readonly (readonly [title: string, measure: () => Promise<Row[]>])[] = [
  ['Start of the command', measureStartUp],
  // Before the others have warmed up what it needs, and not half of it: as in a process of its own.
  ['The whole of `auto`', measureAuto],
  ['Compression', measureStrategies],
  ['Bands', measureBands],
  ['A live context', measureContext],
  ['The gateway', measureGateway],
  ['Inspection', measureInspect],
  ['Large sessions', measureLargeSessions],
  ['Counting', measureCounting],
]

const page = new URL('../../docs/benchmarks.md', import.meta.url)
const [, ...earlier] = readFileSync(page, 'utf8').trimEnd().split('\n\n## ')
const words = process.argv.slice(2)

const lines = [
  '# Benchmarks',
  '',
  'Written by `npm run bench`. Ratios within one run on one machine. Single numbers vary by about 15%.',
  '',
  `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}, Node ${process.version}.`,
]
let failed = 0
for (const [title, measure] of sections) {
  if (words.length > 0 && !words.some((word) => title.toLowerCase().includes(word))) {
    const section = earlier.find((text) => text.startsWith(`${title}\n`))
    if (section !== undefined) lines.push('', `## ${section}`)
    continue
  }
  console.log(`\n${title}`)
  lines.push('', `## ${title}`, '', '| what | measured | bar | |', '|---|---|---|---|')
  for (const row of await measure()) {
    const verdict = row.passed === undefined ? '' : VERDICTS[Number(row.passed)]
    if (row.passed === false) failed++
    console.log(
      `  ${verdict || '·'} ${row.name}: ${row.value}${row.bar ? ` (bar ${row.bar})` : ''}`,
    )
    lines.push(`| ${row.name} | ${row.value} | ${row.bar ?? ''} | ${verdict} |`)
  }
}
writeFileSync(page, `${lines.join('\n')}\n`)
if (failed > 0) {
  console.error(`\n${failed} of the bars were missed.`)
  process.exitCode = 1
}
