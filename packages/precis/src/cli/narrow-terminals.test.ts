/** On no terminal of 60 to 200 columns does a word continue on the next line. */
import { join } from 'node:path'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import { createTerminal, fitLines } from '../terminal/terminal.ts'
import { BIN, createClaudeSession, createHome, createUuid, writeFixture } from './command.suite.ts'
import { createProgram } from './program.ts'

const COLUMNS = [60, 70, 80, 90, 100, 120, 160, 200]

const listWords = (text: string) => text.split(/\s+/).filter((word) => word !== '')

const countIndent = (line: string) => line.length - line.trimStart().length

/** Lines that a terminal would break, except commands below a colon, which are there to be copied. */
function findBroken(text: string, columns: number): string[] {
  let copiedBelow = Number.POSITIVE_INFINITY
  return text.split('\n').filter((line) => {
    const isCopied = countIndent(line) > copiedBelow
    if (!isCopied && line !== '')
      copiedBelow = NO_COMMANDS.test(line) ? Number.POSITIVE_INFINITY : countIndent(line)
    return stringWidth(line) > columns && !isCopied
  })
}

const NO_COMMANDS = /^(?:Options|Arguments):$|[^:]$/

describe('the help', async () => {
  const program = await createProgram(createTerminal({ NO_COLOR: '1' }), '0')
  const print = (command: (typeof program.commands)[number], columns: number) => {
    let text = ''
    command.configureOutput({
      getOutHelpWidth: () => columns,
      writeOut: (part) => {
        text += fitLines(part, { columns })
      },
    })
    command.outputHelp()
    return text
  }

  test.each(program.commands.map((command) => [command.name(), command] as const))(
    'of %s has each paragraph in one line, however wide the terminal is',
    (_, command) => {
      const text = print(command, 2000)
      expect(text.match(/^\S.*[^:\n]\n\S.*/gm) ?? []).toEqual([])
    },
  )

  test.each([program, ...program.commands].map((command) => [command.name(), command] as const))(
    'of %s breaks no word, and says the same at every width',
    (_, command) => {
      const words = listWords(print(command, 1000))
      expect(words.length).toBeGreaterThan(3)
      for (const columns of COLUMNS) {
        const text = print(command, columns)
        expect(findBroken(text, columns)).toEqual([])
        expect(listWords(text)).toEqual(words)
      }
    },
  )
})

const ID = createUuid(7)
const COMMANDS = [
  '',
  'sessions',
  'sessions tax',
  'cost',
  'cost --by project',
  `inspect ${ID}`,
  `compress ${ID} --budget 30% --dry-run`,
  `compress ${ID} --budget 1`,
  `clone ${ID} --band 0-50:heavy --dry-run`,
  `replay ${ID} --window 30k`,
  `replay ${ID} --window 30k --advise`,
  `check ${ID}`,
  'archive',
  'recall nowhere',
  'doctor',
  'install',
  'uninstall',
  'inspect 00000000-0000-4000-8000-00000000ffff',
  'inspect nowhere.jsonl',
  'nonsense',
  'compress',
  'undo',
  'wrap nobody',
  'serve --port 99999999',
  'cost --by nothing',
]

const AT_ONCE = 4

describe('the output', { tags: 'slow' }, () => {
  test.each([60, 80, 120, 200])('fits on %i columns', async (columns) => {
    const home = createHome()
    const text = createClaudeSession({
      sessionId: ID,
      workingDirectory: `/work/${'deep/'.repeat(30)}shop`,
      firstPrompt: `Fix the tax in cart.ts: ${'every single word of it '.repeat(20)}`,
      turns: 40,
      linesPerRead: 40,
    })
    writeFixture(join(home, '.claude', 'projects', '-work-shop', `${ID}.jsonl`), text)
    const print = async (command: string) => {
      const terminal = startOnTerminal([BIN, ...listWords(command)], {
        columns,
        directory: home,
        environment: { HOME: home, CI: '1', NO_COLOR: '1' },
      })
      await terminal.exit
      const lines = terminal.output().replaceAll('\r\n', '\n').split('\n')
      // Progress is written over.
      return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n')
    }
    const check = async (command: string) => {
      // On a busy machine node-pty may end before it has read anything.
      const shown = (await print(command)) || (await print(command))
      expect(shown.trim(), command).not.toBe('')
      expect(findBroken(shown, columns), command).toEqual([])
    }
    for (let first = 0; first < COMMANDS.length; first += AT_ONCE)
      await Promise.all(COMMANDS.slice(first, first + AT_ONCE).map(check))
  })
})
