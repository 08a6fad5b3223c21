/** Writes the table of costs in `docs/evaluation.md`: `npm run windows -- <sessions>`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  measureSession,
  readRecordedSession,
} from '../../../packages/precis/src/replay/recorded-session.ts'
import { loadSession } from '../../../packages/precis/src/sessions/load-session.ts'
import { replaceBlock } from '../../../scripts/marked-block.ts'
import { renderWindowCosts } from './render-window-costs.ts'
import { measureWindow, type WindowCost } from './window-costs.ts'

const WINDOWS = [16_000, 64_000, 200_000, 1_000_000]

const sessions = process.argv.slice(2)
if (sessions.length === 0) {
  process.stderr.write('Measuring windows: there are no sessions. Name some.\n')
  process.exit(2)
}
const costs: WindowCost[] = []
for (const name of sessions) {
  const session = await loadSession(name)
  try {
    const measured = measureSession(readRecordedSession(session))
    for (const windowTokens of WINDOWS) {
      costs.push(...(await measureWindow(measured, windowTokens)))
      process.stderr.write(`${name}, window of ${windowTokens}\n`)
    }
  } finally {
    session.document.close()
  }
}
const path = fileURLToPath(new URL('../../../docs/evaluation.md', import.meta.url))
const block = { name: 'windows', script: 'lab/evaluation/windows/main.ts', path }
writeFileSync(path, replaceBlock(readFileSync(path, 'utf8'), renderWindowCosts(costs), block))
