import { describe, expect, test } from 'vitest'
import { parseSlashLine, slashCommands } from './index.ts'

describe('a line', () => {
  test('is a command by its name or another name of it, with what stands behind', () => {
    for (const command of slashCommands) {
      for (const name of [command.name, ...(command.aliases ?? [])]) {
        expect(parseSlashLine(`/${name}  some words `)).toEqual({
          type: 'command',
          command,
          argument: 'some words',
        })
      }
    }
    expect(parseSlashLine(' /COMPRESS')).toMatchObject({ type: 'command', argument: '' })
  })

  test.each(['what is /compress?', '/etc/hosts is a file', '/ x', '', '//', '/2'])(
    '%j is a request',
    (line) => {
      expect(parseSlashLine(line)).toBeUndefined()
    },
  )

  test.each([
    ['/compres', 'Did you mean /compress?'],
    ['/sumarize', 'Did you mean /summarize or /summarizer?'],
    ['/mdoel', 'Did you mean /model?'],
    ['/con', 'Did you mean /context'],
    ['/s', 'Did you mean /summarize, /strategy or /summarizer? /help lists all.'],
    ['/re', 'Did you mean /retry, /recall or /resume?'],
    ['/zzzzzzzzz', 'there is no /zzzzzzzzz. /help lists all.'],
  ])('%s is told its nearest', (line, said) => {
    const parsed = parseSlashLine(line)
    expect(parsed?.type === 'unknown' && parsed.explanation).toContain(said)
  })

  test.each([
    ['threshold 60%', [['threshold', '60%']], 'threshold is now as spend decides'],
    ['spend least', [['spend', 'least']], 'spend is now balanced'],
    ['', [], '/set strategy: bands'],
    ['compression.strategy x', [], 'there is no setting “compression.strategy”.'],
  ])('/set %s changes a setting, or says which there are', async (text, changes, said) => {
    const changed: unknown[] = []
    const shown: string[] = []
    const agent = {
      settings: { strategy: 'bands' },
      changeSetting: async (...change: unknown[]) => void changed.push(change),
    }
    const view = { say: (line: string) => shown.push(line) }
    const command = slashCommands.find(({ name }) => name === 'set')
    await command?.run(text, { agent, view } as never)
    expect(changed).toEqual(changes)
    expect(shown.join('\n')).toContain(said)
    if (changes.length === 0) expect(shown.join('\n')).toContain('docs/names.md')
  })

  test.each([80, 200])('/cost tells what each model took, in %i columns', async (columns) => {
    const tokens = {
      inputTokens: 1_234_567,
      cachedInputTokens: 1_200_000,
      cacheWriteTokens: 30_000,
    }
    const row = { requests: 9, unreported: 1, outputTokens: 4321, ...tokens }
    const rows = [
      { ...row, purpose: 'answer', model: 'anthropic/claude-sonnet-4-6', dollars: 0.54 },
      { ...row, purpose: 'summary', model: 'openai-compatible/local', dollars: undefined },
    ]
    const agent = { spent: { requests: 18, dollars: undefined, rows } }
    const plain = (text: string) => text
    const table = ({ rows: cells }: { rows: string[][] }) => cells.map((row) => row.join(' '))
    const palette = { accent: plain, preview: plain, quiet: plain, strong: plain, table }
    let shown: string[] = []
    const view = {
      show: (render: (columns: number, palette: unknown) => string[]) => {
        shown = render(columns, palette)
      },
    }
    const command = slashCommands.find(({ name }) => name === 'cost')
    await command?.run('', { agent, view } as never)
    expect(shown[0]).toBe('◆ $? in 18 requests')
    expect(shown.slice(1, columns === 80 ? 5 : 3)).toEqual(
      columns === 80
        ? [
            '  answers: $0.54 in 9 requests, anthropic/claude-sonnet-4-6',
            '    input 4.6k, cache read 1.2M, cache write 30k, output 4.3k',
            '  compression: $? in 9 requests, openai-compatible/local',
            '    input 4.6k, cache read 1.2M, cache write 30k, output 4.3k',
          ]
        : [
            '  answers anthropic/claude-sonnet-4-6 9 4,567 1,200,000 30,000 4,321 $0.54',
            '  compression openai-compatible/local 9 4,567 1,200,000 30,000 4,321 $?',
          ],
    )
    expect(shown.join('\n')).toMatch(/2 requests without a reported\s+usage/)
  })

  test('names are told apart', () => {
    const names = slashCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
  })
})
