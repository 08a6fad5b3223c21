import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  BIN,
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const SESSION = createUuid(7)
const MARKER = /<recall>.*?<\/recall>/g
const server = { command: process.execPath, args: [BIN, 'mcp'] }

/** A home in which Claude Code has precis installed by default. */
function createShop({ hasTool = true } = {}) {
  const home = realpathSync(createHome())
  const text = createClaudeSession({ sessionId: SESSION, workingDirectory: home, turns: 40 })
  const folder = home.replace(/[^a-zA-Z0-9]/g, '-')
  writeFixture(join(home, '.claude', 'projects', folder, `${SESSION}.jsonl`), text)
  if (hasTool)
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: { precis: server } }))
  return { home, reference: createHash('sha256').update(text).digest('hex').slice(0, 12) }
}

const countFacts = (receipt: { kinds: object }, state: string) =>
  Object.values(receipt.kinds).reduce(
    (sum: number, counts: Record<string, number>) => sum + (counts[state] ?? 0),
    0,
  )

async function run(home: string, ...words: string[]) {
  const { code, stdout, stderr } = await runPrecis(home, [...words, '--json'])
  expect(code, stderr).toBe(0)
  const json = JSON.parse(stdout)
  const markers =
    json.output === null ? [] : [...readFileSync(json.output, 'utf8').matchAll(MARKER)].map(String)
  return { ...json, markers, stderr }
}

describe('a new session', { timeout: 60_000 }, () => {
  test('tells its model how to recall where its agent has the tool, and the same each time', {
    tags: 'slow',
  }, async () => {
    const { home, reference } = createShop()
    const first = await run(home, 'compress', SESSION, '--budget', '20%')
    const second = await run(home, 'compress', SESSION, '--budget', '20%')
    expect(first.markers).toHaveLength(1)
    expect(first.markers[0]).toContain(`mcp__precis__recall with`)
    expect(first.markers[0]).toContain(reference)
    expect(second.markers).toEqual(first.markers)
    expect(first.after.tokens).toBeLessThanOrEqual(first.budgetTokens)
    expect(countFacts(first.receipt, 'retrievable')).toBeGreaterThan(0)
    expect(countFacts(first.receipt, 'missing')).toBe(0)
    const { stdout } = await runPrecis(home, ['compress', SESSION, '--budget', '20%'])
    expect(stdout).toContain(
      `${countFacts(first.receipt, 'retrievable').toLocaleString('en')} can be recalled`,
    )
  })

  test('tells it once, of the newest original, when it is compressed or cloned again', {
    tags: 'slow',
  }, async () => {
    const { home, reference } = createShop()
    const first = await run(
      home,
      'compress',
      SESSION,
      '--strategy',
      'middle-out',
      '--budget',
      '70%',
    )
    const again = [
      await run(home, 'compress', first.output, '--budget', '50%'),
      await run(home, 'clone', first.output, '--tools', 'truncate:100'),
    ]
    const newest = createHash('sha256')
      .update(readFileSync(first.output))
      .digest('hex')
      .slice(0, 12)
    for (const { markers } of again) {
      expect(markers).toHaveLength(1)
      expect(markers[0]).toContain(newest)
      expect(markers[0]).not.toContain(reference)
    }
  })

  test.each([
    [
      'its agent has no such tool, though the user can recall it',
      { hasTool: false },
      [],
      'retrievable',
      'missing',
    ],
    ['nothing is kept', {}, ['--no-archive'], 'missing', 'retrievable'],
  ] as const)(
    'says nothing of it where %s',
    { tags: 'slow' },
    async (_, shop, words, some, none) => {
      const { home } = createShop(shop)
      const { markers, receipt } = await run(home, 'compress', SESSION, '--budget', '20%', ...words)
      expect(markers).toEqual([])
      expect(countFacts(receipt, some)).toBeGreaterThan(0)
      expect(countFacts(receipt, none)).toBe(0)
    },
  )

  test.each(['compress', 'clone'])(
    '%s promises nothing when the archive does not take the original',
    { tags: 'slow' },
    async (command) => {
      const { home } = createShop()
      const earlier = await run(
        home,
        'compress',
        SESSION,
        '--strategy',
        'middle-out',
        '--budget',
        '70%',
      )
      const data = join(home, 'broken')
      mkdirSync(data)
      writeFileSync(join(data, 'archive.db'), 'this is no database'.repeat(1000))
      const words = command === 'clone' ? ['--tools', 'truncate:100'] : ['--budget', '50%']
      const { markers, receipt, stderr, after } = await run(
        home,
        command,
        earlier.output,
        ...words,
        '--database',
        join(data, 'archive.db'),
      )
      expect(stderr).toContain('not in the archive')
      expect(markers).toEqual([])
      expect(countFacts(receipt, 'retrievable')).toBe(0)
      expect(after.tokens).toBeGreaterThan(0)
    },
  )

  test('is told of the tool of the agent that goes on with it', { tags: 'slow' }, async () => {
    const { home } = createShop()
    const folder = join(home, '.codex', 'sessions', '2026', '04', '01')
    const id = createUuid(8)
    const name = `rollout-2026-04-01T10-00-00-${id}.jsonl`
    writeFixture(join(folder, name), createCodexSession({ sessionId: id, turns: 40 }))
    expect((await run(home, 'compress', id, '--budget', '20%')).markers).toEqual([])
    const toml = `[mcp_servers.precis]\ncommand = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\n`
    writeFixture(join(home, '.codex', 'config.toml'), toml)
    expect((await run(home, 'compress', id, '--budget', '20%')).markers).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([name])
  })
})
