/**
 * Writes the measured tables of `docs/compare.md`: `npm run compare -- <sessions>`; without any,
 * those in `PRECIS_SESSIONS`. Where `AGENTS_BIN` names the folder of their programs, pi is among
 * them, and the agents of `three-compactions.ts` compact three times (after a build).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSession } from '../../packages/precis/src/sessions/load-session.ts'
import { replaceBlock } from '../../scripts/marked-block.ts'
import { createRecording } from '../evaluation/recording.ts'
import { aiSdkMethods } from './ai-sdk.ts'
import { type Comparison, compareMethods } from './compare.ts'
import { langChainMethods } from './langchain.ts'
import { loadPiMethods } from './pi.ts'
import { renderComparisons } from './render-comparisons.ts'
import { compactThrice, renderSurvivals, type Survival } from './three-compactions.ts'

const given = process.argv.slice(2)
const { PRECIS_SESSIONS, AGENTS_BIN } = process.env
const sessions =
  given.length > 0 || PRECIS_SESSIONS === undefined ? given : listSessions(PRECIS_SESSIONS)
if (sessions.length === 0) {
  process.stderr.write(
    'Comparing: there are no sessions. Name some, or a folder of them in PRECIS_SESSIONS.\n',
  )
  process.exit(2)
}

const piMethods = AGENTS_BIN === undefined ? [] : await loadPiMethods(AGENTS_BIN)
const methods = [...langChainMethods, ...aiSdkMethods, ...piMethods]
const comparisons: Comparison[] = []
let used = 0
for (const name of sessions) {
  const session = await loadSession(name)
  try {
    const before = comparisons.length
    for await (const comparison of compareMethods(createRecording(session), methods)) {
      comparisons.push(comparison)
    }
    if (comparisons.length > before) used++
    process.stderr.write(`${name}: ${comparisons.length - before}\n`)
  } finally {
    session.document.close()
  }
}
writeTable('comparison', renderComparisons(comparisons, used))
if (AGENTS_BIN !== undefined) {
  const survivals: Survival[] = []
  for await (const survival of compactThrice(AGENTS_BIN)) {
    survivals.push(survival)
    process.stderr.write(`${survival.agent}, ${survival.writer}\n`)
  }
  writeTable('three-compactions', renderSurvivals(survivals))
}

function writeTable(name: string, table: string): void {
  const path = fileURLToPath(new URL('../../docs/compare.md', import.meta.url))
  const block = { name, script: 'lab/comparison/main.ts', path }
  writeFileSync(path, replaceBlock(readFileSync(path, 'utf8'), table, block))
}

function listSessions(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(folder, name))
}
