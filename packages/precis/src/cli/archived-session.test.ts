import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findCompression } from '../archive/compressions.ts'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { openArchive } from '../archive/open-archive.ts'
import { listSpans, readStoredRecords } from '../archive/read-original.ts'
import { findRun, findWords } from '../archive/search-index.ts'
import { renderSearchableText } from '../archive/searchable-text.ts'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const HOSTILE = [
  `it's $(touch HACKED) and \`touch HACKED\` for src/a.ts; touch HACKED`,
  '--help "quoted" \\ | touch HACKED && rm -rf *',
  '=ls !! ~ {a,b} \u{1b}[31mred\u{1b}[0m \u{202e}more',
]

// In a record it is escaped; facts have no terminal codes.
const RED = /\\u001b\[\d+m/g

/** A session with hostile commands and names. */
function createShop() {
  const home = createHome()
  const text = createClaudeSession({ sessionId: createUuid(7), turns: 30 })
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const call = lines.find(({ message }) => message.content[0]?.type === 'tool_use')
  const [part] = call.message.content
  call.message.content = [
    ...HOSTILE.map((command, index) => ({
      ...part,
      id: `toolu_h${index}`,
      name: 'Bash',
      // Too long to be quoted whole.
      input: { command: `${command} ${'--and more'.repeat(30)}` },
    })),
    part,
  ]
  const answer = lines[lines.indexOf(call) + 1]
  const [result] = answer.message.content
  answer.message.content = [
    ...HOSTILE.map((command, index) => ({
      ...result,
      tool_use_id: `toolu_h${index}`,
      content: `Error: ${command}`,
    })),
    result,
  ]
  writeFixture(join(home, 'a.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'))
  return home
}

interface Receipt {
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly facts: readonly {
    readonly kind: string
    readonly text: string
    readonly state: string
  }[]
  readonly gone: readonly LocatedFact[]
}

async function run(home: string, ...words: string[]) {
  const { code, stdout, stderr } = await runPrecis(home, [...words, '--json'])
  expect(code, stderr + stdout).toBe(0)
  return JSON.parse(stdout)
}

const compress = (home: string, ...words: string[]) =>
  run(
    home,
    'compress',
    'a.jsonl',
    '--strategy',
    'tail-summary',
    '--budget',
    '2000',
    '--out',
    'b.jsonl',
    ...words,
  )

const countOf = ({ facts }: Receipt, state: string) =>
  facts.filter((fact) => fact.state === state).length

/** The words into which a shell splits a line. The line is not executed. */
function splitByShell(line: string, folder: string): string[] {
  const out = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], {
    cwd: folder,
    encoding: 'utf8',
  })
  return out.split('\0').slice(1, -1)
}

/** The output of the command that recalls a fact. */
async function follow(home: string, { recall }: LocatedFact): Promise<string> {
  const { code, stdout, stderr } = await runPrecis(home, splitByShell(recall?.command ?? '', home))
  expect(code, `${recall?.command} ${stderr}`).toBe(0)
  return recall?.query === undefined ? renderSearchableText(Buffer.from(stdout)) : stdout
}

describe('the weightiest facts that are gone', () => {
  test('are each found by the command that is printed, whatever they say, and no shell runs any of it', {
    tags: 'slow',
  }, async () => {
    const home = createShop()
    const { receipt, archive } = await compress(home)
    const { gone }: Receipt = receipt
    expect(gone).toHaveLength(10)
    expect(gone.some(({ text }) => text.includes('touch HACKED'))).toBe(true)
    for (const fact of gone) {
      expect(fact.recall?.reference).toBe(archive.name)
      const found = await follow(home, fact)
      expect(
        findRun(found.replaceAll(RED, ''), fact.text.replace(/…$/, '')),
        fact.recall?.command,
      ).toBeGreaterThanOrEqual(0)
    }
    expect(existsSync(join(home, 'HACKED'))).toBe(false)
  })

  test('stand in the report and in diff, a line each, no wider than the terminal', {
    tags: 'slow',
  }, async () => {
    const home = createShop()
    const { receipt, archive } = await compress(home)
    const explained = await run(home, 'diff', archive.name)
    expect(explained.report.receipt.gone).toEqual(receipt.gone)
    for (const columns of ['60', '100']) {
      const options = { environment: { COLUMNS: columns } }
      const report = await runPrecis(
        home,
        ['compress', 'a.jsonl', '--budget', '2000', '--out', 'c.jsonl'],
        options,
      )
      const shown = (await runPrecis(home, ['diff', archive.name], options)).stdout
      for (const text of [report.stdout, shown]) {
        const lines = text.split('\n')
        const start = lines.findIndex((line) => /^ {2}gone +fact/.test(line))
        const rows = lines.slice(start + 1, start + 11)
        expect(rows.every((row) => row.trim() !== '' && row.length <= Number(columns))).toBe(true)
        expect(rows.some((row) => row.includes('precis recall'))).toBe(columns === '100')
        for (const character of ['\u{1b}', '\u{202e}']) expect(text).not.toContain(character)
      }
    }
  })

  test('stand in the pages of what was made', { tags: 'slow' }, async () => {
    const home = createShop()
    const { receipt } = await compress(home)
    for (const command of ['diff', 'inspect']) {
      expect((await runPrecis(home, [command, 'b.jsonl', '--html', 'page.html'])).code).toBe(0)
      const html = readFileSync(join(home, 'page.html'), 'utf8')
      const text = html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
      for (const { recall } of (receipt as Receipt).gone) expect(text).toContain(recall?.command)
    }
    await runPrecis(home, ['inspect', 'a.jsonl', '--html', 'page.html'])
    expect(readFileSync(join(home, 'page.html'), 'utf8')).not.toContain(
      'The weightiest that are gone',
    )
  })

  test('can be recalled only where an archive has them', { tags: 'slow' }, async () => {
    const home = createShop()
    for (const words of [['--no-archive'], ['--database', home]]) {
      const { receipt } = await compress(home, ...words)
      expect(countOf(receipt, 'retrievable')).toBe(0)
      expect(countOf(receipt, 'missing')).toBeGreaterThan(10)
      expect(
        (receipt as Receipt).gone.every(
          ({ state, recall }) => state === 'missing' && recall === null,
        ),
      ).toBe(true)
    }
    const { receipt } = await compress(home)
    expect(countOf(receipt, 'retrievable')).toBeGreaterThan(10)
    expect(countOf(receipt, 'missing')).toBe(0)
  })

  test('are looked up in the archive that was named', { tags: 'slow' }, async () => {
    const home = createShop()
    const { receipt } = await compress(home, '--database', "it's here.db")
    const [fact] = (receipt as Receipt).gone
    expect(fact?.recall?.command).toContain(`--database 'it'\\''s here.db'`)
    expect(await follow(home, fact as LocatedFact)).not.toBe('')
  })

  test('an entry of before they were named is explained all the same', {
    tags: 'slow',
  }, async () => {
    const home = createShop()
    const { archive } = await compress(home, '--database', 'a.db')
    const database = await openArchive(join(home, 'a.db'))
    await database?.run(`UPDATE compression SET report = json_remove(report, '$.receipt.gone')`, [])
    await database?.close()
    const { code, stdout } = await runPrecis(home, ['diff', archive.name, '--database', 'a.db'])
    expect(code).toBe(0)
    expect(stdout).toContain('facts removed')
    expect(stdout).not.toContain('to recall it')
  })
})

const DATA = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))
const recorded = ['claude-code', 'codex', 'gemini-cli', 'pi'].flatMap((format) => {
  const folder = join(DATA, format)
  return existsSync(folder)
    ? readdirSync(folder)
        .sort()
        .slice(0, 2)
        .map((file) => join(folder, file))
    : []
})
const WAYS = [
  ['compress', '--budget', '20%'],
  ['compress', '--budget', '8000', '--to', 'codex'],
  ['clone', '--profile', 'routine'],
  ['clone', '--tools', 'mask:100'],
]

describe.skipIf(recorded.length === 0)(
  'recorded sessions (../shared/data)',
  { tags: 'slow', timeout: 300_000 },
  () => {
    test.each(recorded)(
      '%s: what counts as retrievable is in the archive, twice over',
      async (file) => {
        for (const way of WAYS) {
          const home = createHome()
          let given = file
          for (const out of ['first.jsonl', 'second.jsonl']) {
            const { code, stdout } = await runPrecis(home, [...way, given, '--out', out, '--json'])
            // A session may be too small for a strategy.
            if (code === 3) break
            const { receipt, archive } = JSON.parse(stdout)
            if (archive === null) break
            expect(countOf(receipt, 'missing')).toBe(0)
            const texts = await readRemoved(home, archive.name)
            const lost = (receipt as Receipt).facts.filter(
              ({ kind, text, state }) =>
                state === 'retrievable' &&
                !texts.words.includes(pad(nameOf(kind, text))) &&
                !texts.raw.includes(nameOf(kind, text)),
            )
            expect(lost, `${way.join(' ')} ${given}`).toEqual([])
            for (const fact of (receipt as Receipt).gone) {
              if (fact.state === 'missing') continue
              const found = await follow(home, fact)
              expect(pad(found)).toContain(pad(nameOf(fact.kind, fact.text).replace(/…$/, '')))
            }
            given = join(home, out)
          }
        }
      },
    )
  },
)

/** `commit 45ffe0a` is kept by its hash, `pull request #12` by its number. */
const nameOf = (kind: string, text: string): string =>
  kind === 'artifact' ? text.slice(text.lastIndexOf(' ') + 1).replace(/^[#!]/, '') : text

const pad = (text: string): string => ` ${findWords(text).join(' ')} `

/** The text of all records of an entry, rendered and raw. */
async function readRemoved(home: string, name: string): Promise<{ words: string; raw: string }> {
  const { stdout } = await runPrecis(home, ['archive', '--json'])
  const database = await openArchive(JSON.parse(stdout).path)
  if (!database) throw new Error(`There is no archive: ${stdout}`)
  const [words, raw]: [string[], string[]] = [[], []]
  for await (const bytes of readStoredRecords(
    database,
    await listSpans(database, await findCompression(database, name)),
  )) {
    words.push(pad(renderSearchableText(bytes)))
    raw.push(String(bytes))
  }
  await database.close()
  return { words: words.join('|'), raw: raw.join('\n') }
}
