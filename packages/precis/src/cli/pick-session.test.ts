import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type PseudoTerminal, startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import {
  BIN,
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

let home: string

beforeEach(() => {
  home = createHome()
})

function writeClaude(number: number, firstPrompt: string, workingDirectory = '/work/shop'): string {
  const sessionId = createUuid(number)
  const path = join(home, '.claude', 'projects', '-work-shop', `${sessionId}.jsonl`)
  return writeFixture(
    path,
    createClaudeSession({ sessionId, firstPrompt, workingDirectory, turns: 2 }),
  )
}

function writeCodex(number: number): string {
  const sessionId = createUuid(number)
  const name = `rollout-2026-04-01T10-00-00-${sessionId}.jsonl`
  return writeFixture(
    join(home, '.codex', 'sessions', '2026', '04', '01', name),
    createCodexSession({ sessionId }),
  )
}

function start(
  words: readonly string[],
  columns = 100,
  rows = 30,
  environment = {},
): PseudoTerminal {
  const fresh = { HOME: home, ...environment }
  return startOnTerminal([BIN, ...words], { columns, rows, environment: fresh, directory: home })
}

async function leave(terminal: PseudoTerminal): Promise<number> {
  const { code } = await terminal.exit
  return code
}

describe('a command without a session, on a terminal', { tags: 'slow' }, () => {
  test('begins with the sessions of this folder', async () => {
    writeClaude(1, 'Fix the tax in cart.ts', home)
    writeClaude(2, 'Make the gateway faster', '/work/gateway')
    const terminal = start(['inspect'])
    await terminal.see('which session?')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    expect(terminal.everything().join('\n')).toContain('› precis inspect 00000001')
  })

  test('shows a list in which letters, arrows and Enter pick one, and takes it away again', async () => {
    writeClaude(1, 'Fix the tax in cart.ts')
    writeClaude(2, 'Make the gateway faster', '/work/gateway')
    writeCodex(3)
    const terminal = start(['inspect'])
    await terminal.see('which session?')
    await terminal.see('Enter')
    for (const text of ['claude-code', 'codex', '/work/gateway', 'Make the gateway', '1,160', '0m'])
      await terminal.see(text)
    terminal.type('gateway CLAUDE')
    await terminal.see('filter: gateway CLAUDE')
    await terminal.miss('Fix the tax')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    await terminal.see('Cost so far')
    const screen = terminal.everything().join('\n')
    expect(screen).toContain('› precis inspect 00000002')
    expect(screen).not.toContain('which session?')
  })

  test('shows what was said last in the selected one, however long it is', async () => {
    const path = writeClaude(1, 'Fix the tax in cart.ts')
    const long = `${JSON.stringify({ type: 'progress', data: 'x'.repeat(1 << 20) })}\n`
    const session = readFileSync(path, 'utf8')
    const last = createClaudeSession({
      sessionId: createUuid(1),
      firstPrompt: 'Now ship it',
      turns: 1,
    })
    writeFileSync(path, session + long.repeat(3) + last)
    const terminal = start(['inspect'])
    await terminal.see('“Fix the tax in cart.ts')
    await terminal.see('you, last: Now ship it')
    await terminal.see('agent, last: ')
    terminal.press('escape')
    expect(await leave(terminal)).toBe(130)
  })

  test('moves with arrows and pages, and forgets a filter with Backspace', async () => {
    for (let number = 1; number <= 40; number++) writeClaude(number, `Request number ${number}.`)
    const terminal = start(['check'])
    await terminal.see('1 of 40')
    terminal.press('down')
    await terminal.see('2 of 40')
    terminal.press('page-down')
    await terminal.see('17 of 40')
    terminal.press('page-up')
    terminal.press('up')
    terminal.press('up')
    await terminal.see('1 of 40')
    terminal.type('number 7.')
    await terminal.miss('of 40')
    for (let times = 0; times < 9; times++) terminal.press('backspace')
    await terminal.see('1 of 40')
    terminal.type('zzz')
    await terminal.see('nothing matches')
    terminal.press('enter')
    terminal.press('escape')
    expect(await leave(terminal)).toBe(130)
  })

  test.each(['escape', 'ctrl-c', 'ctrl-d'] as const)(
    'ends with 130 on %s, and gives the terminal back',
    async (key) => {
      writeClaude(1, 'Fix the tax in cart.ts')
      const terminal = start(['diff'], 100, 30, {})
      const archived = await leave(terminal)
      expect(archived).toBe(2)
      const picking = start(['inspect'])
      await picking.see('Enter')
      picking.press(key)
      expect(await leave(picking)).toBe(130)
      await picking.see('no session was chosen')
      expect(picking.screen().join('\n')).not.toContain('which session?')
      expect(picking.output()).toContain('\u001b[?25h')
    },
  )

  test('gives the terminal back when it is ended from outside', async () => {
    writeClaude(1, 'Fix the tax in cart.ts')
    const terminal = start(['inspect'])
    await terminal.see('Enter')
    process.kill(terminal.pid, 'SIGTERM')
    expect(await leave(terminal)).toBe(143)
    expect(terminal.output()).toContain('\u001b[?25h')
  })

  test.each([40, 60, 100, 160])(
    'fits a terminal of %i columns, and shows the rest below',
    async (columns) => {
      writeClaude(1, 'Fix the tax in cart.ts '.repeat(20), `/work/${'deep/'.repeat(12)}shop`)
      writeCodex(2)
      const terminal = start(['inspect'], columns, 18)
      await terminal.see('codex')
      terminal.type('tax cart')
      await terminal.see('filter: tax cart')
      await terminal.see('1,160')
      const screen = terminal.screen()
      expect(screen[0]).toContain('─'.repeat(columns))
      expect(screen.join('\n')).toContain('title')
      for (const line of screen) expect(line.length).toBeLessThanOrEqual(columns)
      terminal.press('escape')
      expect(await leave(terminal)).toBe(130)
    },
  )

  test('brings nothing to the terminal that a session would do to it', async () => {
    const hostile = 'Fix \u001b[2J\u001b]0;owned\u0007 it\u202e now \u009b31m\r\nthen\u0000'
    writeClaude(1, hostile, '/work/\u001b[31mred\u001b]52;c;AAAA\u0007')
    const terminal = start(['inspect'])
    await terminal.see('Fix')
    await terminal.see('then')
    terminal.press('escape')
    await leave(terminal)
    for (const sequence of [
      '\u001b[2J',
      '\u001b]0',
      '\u001b]52',
      '\u202e',
      '\u009b',
      '\u001b[31m',
    ]) {
      expect(terminal.output().includes(sequence) && sequence).toBe(false)
    }
  })

  test('draws on standard error: what is redirected is the result alone', async () => {
    writeClaude(1, 'Fix the tax in cart.ts')
    const terminal = startOnTerminal(
      [
        '-e',
        `
      const { spawnSync } = require('node:child_process')
      const { stdout, status } = spawnSync(process.execPath, [${JSON.stringify(BIN)}, 'inspect'], { stdio: ['inherit', 'pipe', 'inherit'] })
      require('node:fs').writeFileSync('out.txt', stdout)
      process.exit(status)
    `,
      ],
      { environment: { HOME: home }, directory: home },
    )
    await terminal.see('which session?')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    const { stdout } = await runPrecis(home, ['inspect', createUuid(1)])
    expect((await import('node:fs')).readFileSync(join(home, 'out.txt'), 'utf8')).toBe(stdout)
  })

  test('completes what it could not read before the list was shown, while letters narrow it down', async () => {
    for (let number = 1; number <= 150; number++)
      writeClaude(number, number === 1 ? 'the oldest request' : 'another')
    const { utimesSync } = await import('node:fs')
    utimesSync(
      join(home, '.claude', 'projects', '-work-shop', `${createUuid(1)}.jsonl`),
      1000,
      1000,
    )
    const terminal = start(['inspect'])
    await terminal.see('1 of 150')
    terminal.type('oldest')
    await terminal.see('“the oldest request”')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    expect(terminal.everything().join('\n')).toContain('precis inspect 00000001')
  })

  test('finds what was said, below the titles, and shows the place without harm', async () => {
    writeClaude(1, 'A zebrafish in the title')
    const path = writeClaude(2, 'Fix the tax')
    const said = { role: 'user', content: 'Then the \u001b[2J\u202eZebrafish hatchery opens' }
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}${JSON.stringify({ type: 'user', message: said })}\n`,
    )
    for (let number = 3; number <= 40; number++) writeClaude(number, `Request number ${number}.`)
    const terminal = start(['inspect'])
    await terminal.see('1 of 40')
    terminal.type('zebrafish')
    await terminal.see('filter: zebrafish · 1 in the text')
    await terminal.miss('searching')
    await terminal.miss('Request number')
    const rows = terminal.screen().filter((line) => line.includes('claude-code'))
    expect(rows.map((line) => /00000\d+/.exec(line)?.[0])).toEqual(['00000001', '00000002'])
    terminal.press('down')
    await terminal.see('in the text: Then the')
    terminal.type(' opens')
    await terminal.see('filter: zebrafish opens · 1 in the text')
    await terminal.miss('in the title')
    terminal.type(' nowhere')
    await terminal.see('nothing matches')
    for (let times = 0; times < 8; times++) terminal.press('backspace')
    await terminal.see('in the text: Then the')
    expect(terminal.output()).not.toContain('\u001b[2J')
    expect(terminal.output()).not.toContain('\u202e')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    expect(terminal.everything().join('\n')).toContain('› precis inspect 00000002')
  })

  test('keeps the selected one selected while the search adds others, and takes keys meanwhile', async () => {
    const said = { role: 'user', content: `${'hay '.repeat(30_000)}needle` }
    const long = `${JSON.stringify({ type: 'user', message: said })}\n`
    for (let number = 1; number <= 60; number++) {
      const path = writeClaude(number, number === 60 ? 'The needle by name' : 'another')
      writeFileSync(path, readFileSync(path, 'utf8') + long.repeat(10))
    }
    const terminal = start(['inspect'])
    await terminal.see('1 of 60')
    terminal.type('needle')
    await terminal.see('The needle by name')
    await terminal.see('in the text')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    expect(terminal.everything().join('\n')).toContain('precis inspect 0000003c')
  })

  test('lists compressed sessions where one is needed', async () => {
    const path = writeClaude(1, 'Fix the tax in cart.ts')
    writeFileSync(path, createClaudeSession({ sessionId: createUuid(1) }))
    expect((await runPrecis(home, ['compress', createUuid(1), '--budget', '50%'])).code).toBe(0)
    const terminal = start(['diff'])
    await terminal.see('which compressed session?')
    await terminal.see('made from')
    await terminal.see('compress')
    terminal.press('enter')
    expect(await leave(terminal)).toBe(0)
    const recall = start(['recall'])
    await recall.see('which compressed session?')
    recall.press('enter')
    await recall.see('words to search for:')
    recall.type('shipping\r')
    expect(await leave(recall)).toBe(0)
    await recall.see('precis restore')
  })
})

describe('a command without a session, where nobody can pick', () => {
  test.each(['inspect', 'compress', 'clone', 'check', 'diff', 'restore', 'recall', 'replay'])(
    '%s says what to give, and leaves with 2',
    async (command) => {
      writeClaude(1, 'Fix the tax in cart.ts')
      const { code, stdout, stderr } = await runPrecis(home, [command])
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain('No session is given. Give ')
      expect(stderr).toContain(`precis ${command} --help`)
    },
  )

  test.each([
    ['--json', ['inspect', '--json'], {}],
    ['CI', ['inspect'], { CI: 'true' }],
    ['a dumb terminal', ['inspect'], { TERM: 'dumb' }],
  ])('with %s a terminal is no reason to ask', async (_, words, environment) => {
    writeClaude(1, 'Fix the tax in cart.ts')
    const terminal = start(words, 100, 30, environment)
    expect(await leave(terminal)).toBe(2)
    await terminal.see('No session is given')
  })

  test('says when there is nothing to pick from', async () => {
    const terminal = start(['inspect'])
    expect(await leave(terminal)).toBe(2)
    await terminal.see('no agent on this machine has one')
  })
})
