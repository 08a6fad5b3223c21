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
    ['threshold 60%', [['threshold', '60%']], 'threshold is now 80%'],
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

  test('names are told apart', () => {
    const names = slashCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
  })
})
