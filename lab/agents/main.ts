/**
 * `npm run test:agents` runs the tests with real agents. With `--newest` it installs the newest
 * version of every agent that precis knows, takes each through one scripted session, and prints
 * every kind of record, field and role that `lab/agents/known` does not have: what agents began to
 * write since somebody looked. `--accept` notes these, and the sessions that the tests read, once
 * precis knows what to do with them.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Driver } from './driver.ts'
import { drivers, undriven } from './drivers/index.ts'
import { installAgent } from './install.ts'
import { readKnown, writeKnown } from './known.ts'
import { findUnknown, type Shapes } from './shapes.ts'
import { type AgentShapes, survey } from './survey.ts'

const { values, positionals } = parseArgs({
  options: { newest: { type: 'boolean' }, accept: { type: 'boolean' } },
  allowPositionals: true,
  strict: process.argv.includes('--newest'),
})
process.exitCode = values.newest ? await surveyAgents() : runTests()

function runTests(): number {
  const words = [
    'run',
    '--mode',
    'agents',
    'cli/real-agents',
    'cli/interactive-agents',
    'cli/claude-plugin',
    'cli/agent-summarizers',
    ...process.argv.slice(2),
  ]
  return spawnSync('npx', ['vitest', ...words], { stdio: 'inherit' }).status ?? 1
}

/** 1 where something is new, or an agent could not be asked. */
async function surveyAgents(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'precis-newest-'))
  const asked = new Map(positionals.map((word) => splitVersion(word)))
  const isWanted = ({ agent }: Driver) => asked.size === 0 || asked.has(agent)
  let news = 0
  try {
    for (const driver of drivers.filter(isWanted))
      news += await surveyAgent(driver, scratch, asked.get(driver.agent))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  for (const [agent, reason] of Object.entries(undriven)) print(`${agent}: not asked. ${reason}`)
  return news > 0 ? 1 : 0
}

/** `pi@1.5.2` is a version, and `pi` the newest one. */
function splitVersion(word: string): [string, string | undefined] {
  const [agent = '', version] = word.split('@')
  return [agent, version]
}

/** The number of things that are new or went wrong. */
async function surveyAgent(
  driver: Driver,
  scratch: string,
  version: string | undefined,
): Promise<number> {
  const { agent, lacks } = driver
  try {
    const installed = installAgent(driver, scratch, version)
    const surveyed = await survey(driver, installed, scratch)
    const known = readKnown(agent)
    const { shapes, missing } = surveyed
    const news = [...listNews(shapes, known), ...missing.map((step) => `did not happen: ${step}`)]
    print(
      `${agent} ${shapes.version} (known: ${known.version}): ${news.length === 0 ? 'nothing new' : ''}`,
    )
    for (const line of news) print(`  ${line}`)
    if (installed.skipped.length > 0)
      print(`  not installed, since npm lacks a part of it: ${installed.skipped.join(', ')}`)
    if (lacks.length > 0) print(`  not asked, since it has no way to: ${lacks.join(', ')}`)
    if (values.accept) writeKnown(surveyed)
    return news.length
  } catch (error) {
    print(`${agent}: not asked. ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

function listNews(found: AgentShapes, known: AgentShapes): string[] {
  const opaque = found.opaque.filter((kind) => !known.opaque.includes(kind))
  return [
    ...describeNews('record', found.records, known.records),
    ...describeNews('request', found.requests, known.requests),
    ...opaque.map((kind) => `a part that precis keeps without understanding it: ${kind}`),
  ]
}

function describeNews(what: string, found: Shapes, known: Shapes): string[] {
  return Object.entries(findUnknown(found, known)).map(([kind, paths]) =>
    Object.hasOwn(known, kind)
      ? `${what} ${kind}, new fields: ${paths.join(', ')}`
      : `${what} ${kind} is new: ${paths.join(', ')}`,
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
