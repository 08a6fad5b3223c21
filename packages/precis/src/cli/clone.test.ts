import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = 'cccccccc-1111-4222-8333-444444444444'
const LONG = 'I looked at every line of the cart because the tax was added twice there. '.repeat(20)
const BANDS = ['--band', '0-50:heavy', '--band', '50-80:standard']

let home: string
let session: string

/** The same session with answers long enough for a rewrite. */
function withLongAnswers(text: string): string {
  return text
    .replaceAll('Done: ', `${LONG}Done: `)
    .replaceAll(/Step (\d+) is fine/g, `${LONG}Step $1 is fine`)
}

beforeEach(() => {
  home = createHome()
  session = writeFixture(
    join(home, 'session.jsonl'),
    withLongAnswers(createClaudeSession({ sessionId: ID })),
  )
})

const readLines = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('clone', () => {
  test.each([
    [
      'Claude Code',
      createClaudeSession,
      '.claude/projects/-work-shop',
      `${ID}.jsonl`,
      `claude --resume`,
    ],
    [
      'Codex',
      createCodexSession,
      '.codex/sessions/2026/04/01',
      `rollout-2026-04-01T10-00-00-${ID}.jsonl`,
      'codex resume',
    ],
  ])(
    'of %s is valid, smaller, resumable, and knows where it comes from',
    async (_, create, folder, file, resume) => {
      const original = writeFixture(
        join(home, folder, file),
        withLongAnswers(create({ sessionId: ID })),
      )
      const bytes = readFileSync(original)
      const words = ['clone', ID, ...BANDS, '--tools', 'mask:75', '--reasoning', '100', '--json']
      const { code, stdout, stderr } = await runPrecis(home, words)
      expect(stderr).toBe('')
      expect(code).toBe(0)
      const clone = JSON.parse(stdout)
      expect(readFileSync(original).equals(bytes)).toBe(true)
      expect(clone.resumeCommand).toContain(resume)
      expect(clone.after.tokens).toBeLessThan(clone.before.tokens * 0.8)
      expect(clone.after.messages).toBe(clone.before.messages)
      expect(clone.rewrites).toEqual({ asked: 10, done: 10, failed: 0, unchanged: 0 })
      expect(clone.steps.map(({ name }: { name: string }) => name)).toEqual([
        'clear-tools',
        'clear-reasoning',
        'bands',
      ])
      expect((await runPrecis(home, ['check', clone.output])).code).toBe(0)
      const inspection = await runJson(home, ['inspect', clone.output])
      expect(inspection.tokens.total).toBe(clone.after.tokens)
      expect(inspection.turns).toBe(12)
      const lineage = JSON.parse(
        readFileSync(clone.output.replace('.jsonl', '.precis.json'), 'utf8'),
      )
      expect(lineage.generations).toEqual(clone.lineage)
      expect(lineage.generations[0]).toMatchObject({
        sessionId: inspection.sessionId,
        original: {
          sessionId: ID,
          path: original,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        },
        settings: { reasoning: 100, tools: { mode: 'mask', percent: 75 }, summarizer: 'digest' },
        statistics: { rewrites: clone.rewrites },
      })
    },
  )

  test('counts what its file has, where answers become one without the results between them', async () => {
    const original = writeFixture(
      join(home, `.codex/sessions/2026/04/02/rollout-2026-04-02T10-00-00-${createUuid(70)}.jsonl`),
      createCodexSession({ sessionId: createUuid(70), turns: 1, calls: 6 }),
    )
    const words = ['clone', original, '--tools', 'remove:100', '--json']
    const clone = JSON.parse((await runPrecis(home, words)).stdout)
    const file = await runJson(home, ['inspect', clone.output])
    expect(clone.after).toMatchObject({ messages: file.messages, tokens: file.tokens.total })
    expect(clone.after.messages).toBeLessThan(clone.before.messages - 6)
  })

  test('of a clone tells both generations', async () => {
    const first = join(home, `${createUuid(71)}.jsonl`)
    const second = join(home, `${createUuid(72)}.jsonl`)
    await runPrecis(home, ['clone', session, '--band', '0-50:heavy', '--out', first])
    const { stdout } = await runPrecis(home, [
      'clone',
      first,
      '--band',
      '50-90:standard',
      '--out',
      second,
      '--verbose',
    ])
    expect(stdout).toContain(`${createUuid(72)} was cloned`)
    expect(stdout).toContain(`from ${createUuid(71)}`)
    expect(stdout).toContain(`from ${ID}`)
    const { generations } = JSON.parse(
      readFileSync(second.replace('.jsonl', '.precis.json'), 'utf8'),
    )
    expect(generations).toHaveLength(2)
    expect(
      generations.map(({ original }: { original: { sessionId: string } }) => original.sessionId),
    ).toEqual([createUuid(71), ID])
  })

  test('keeps no word of the conversation in its lineage, and keeps it private', async () => {
    const out = join(home, 'clone.jsonl')
    const secret = 'Fix the tax in cart.ts'
    await runPrecis(home, [
      'clone',
      session,
      ...BANDS,
      '--instructions',
      'keep the word zebra',
      '--out',
      out,
    ])
    const path = join(home, 'clone.precis.json')
    expect(readFileSync(out, 'utf8')).toContain(secret)
    expect(readFileSync(path, 'utf8')).not.toMatch(/tax|cart|zebra|Done/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('without any setting is the same session under a new id, title first', async () => {
    const out = join(home, `${createUuid(73)}.jsonl`)
    const { code, stdout } = await runPrecis(home, ['clone', session, '--out', out])
    expect(code).toBe(0)
    expect(stdout).toContain('An exact copy')
    const [title, ...entries] = readLines(out)
    expect(title).toEqual({
      type: 'custom-title',
      customTitle: 'Fix the tax in cart.ts (clone)',
      sessionId: createUuid(73),
    })
    const withoutId = ({ sessionId, ...entry }: Record<string, unknown>) => {
      expect([ID, createUuid(73)]).toContain(sessionId)
      return entry
    }
    expect(entries.map(withoutId)).toEqual(readLines(session).map(withoutId))
  })

  test('never shortens the last request, and what the person said only on request', async () => {
    const prompt = `Please change the price of it. ${'It is a long story how all of this came to be. '.repeat(20)}`
    const text = readFileSync(session, 'utf8').replaceAll('Now the next one, ', `${prompt}Number `)
    writeFileSync(session, text)
    const typed = (path: string) =>
      readLines(path).flatMap(({ type, message }) =>
        type === 'user' && typeof message.content === 'string' ? [message.content] : [],
      )
    const untouched = join(home, 'a.jsonl')
    const shortened = join(home, 'b.jsonl')
    await runPrecis(home, ['clone', session, '--band', '0-100:0.3', '--out', untouched])
    await runPrecis(home, [
      'clone',
      session,
      '--band',
      '0-100:0.3',
      '--include-user',
      '--out',
      shortened,
    ])
    expect(typed(untouched)).toEqual(typed(session))
    expect(typed(shortened).at(-1)).toBe(typed(session).at(-1))
    expect(typed(shortened).filter((words) => words.length < prompt.length)).toHaveLength(11)
    expect(typed(shortened)).toHaveLength(12)
  })

  test('as a dry run says what would be done and writes nothing', async () => {
    const words = ['clone', session, ...BANDS, '--tools', 'truncate:75', '--dry-run']
    const { code, stdout } = await runPrecis(home, words)
    expect(code).toBe(0)
    expect(stdout).toContain('10 texts to rewrite in fewer words')
    expect(stdout).toMatch(
      /No summarizer was called\. If all texts reach their levels, the clone has about [\d,]+ tokens/,
    )
    expect(stdout).toContain('results shortened')
    expect(readdirSync(home)).toEqual(['session.jsonl'])
    const report = await runJson(home, [...words])
    expect(report).toMatchObject({
      output: null,
      dryRun: true,
      rewrites: { asked: 10, done: 0 },
      lineage: [],
    })
    expect(report.steps.at(-1).plannedSaving).toBeGreaterThan(1000)
  })

  test('in which no step finds anything is not written, unless a place was asked for', async () => {
    writeFixture(
      join(home, '.claude/projects/-work-shop', `${ID}.jsonl`),
      createClaudeSession({ sessionId: ID }),
    )
    const { code, stdout } = await runPrecis(home, ['clone', ID, '--band', '0-50:heavy'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      'Nothing to do: no step found anything to change. Nothing was written.',
    )
    expect(readdirSync(join(home, '.claude/projects/-work-shop'))).toEqual([`${ID}.jsonl`])
    const out = join(home, 'same.jsonl')
    await runPrecis(home, ['clone', ID, '--band', '0-50:heavy', '--out', out])
    expect(readFileSync(out, 'utf8')).toBe(createClaudeSession({ sessionId: ID }))
    expect(existsSync(join(home, 'same.precis.json'))).toBe(false)
  })

  test('goes through a pipe', async () => {
    const { code, stdout, stderr } = await runPrecis(home, ['clone', '-', ...BANDS], {
      stdin: readFileSync(session),
    })
    expect(code).toBe(0)
    expect(stderr).toContain('10 of 10 texts rewritten in fewer words')
    expect(stdout.length).toBeLessThan(statSync(session).size)
    expect(stdout.split('\n')[0]).toContain('custom-title')
    expect(readdirSync(home).sort()).toEqual(['.local', 'session.jsonl'])
  })

  test('tells in numbers what each step did', async () => {
    const words = [
      'clone',
      session,
      ...BANDS,
      '--tools',
      'remove:50',
      '--out',
      join(home, 'a.jsonl'),
    ]
    const { stdout } = await runPrecis(home, words)
    expect(stdout).toMatch(/clear-tools +[\d,]+ +[\d,]+ +12 calls removed, 12 results removed/)
    expect(stdout).toMatch(/bands +[\d,]+ +[\d,]+ +10 of 10 texts rewritten in fewer words/)
  })

  test.each([
    ['overlapping bands', ['--band', '0-60:heavy', '--band', '50-80:heavy']],
    ['a band that ends before it starts', ['--band', '60-50:heavy']],
    ['an unknown level', ['--band', '0-50:light']],
    ['an unknown mode', ['--tools', 'cut:50']],
    ['more than all turns', ['--reasoning', '101']],
    ['an unknown profile', ['--profile', 'turbo']],
  ])('refuses %s before it reads anything', async (_, flags) => {
    const { code, stdout, stderr } = await runPrecis(home, [
      'clone',
      join(home, 'missing.jsonl'),
      ...flags,
    ])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toContain('missing.jsonl')
  })
})
