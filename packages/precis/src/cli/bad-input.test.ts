import { type ChildProcess, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import { createTerminal } from '../terminal/terminal.ts'
import {
  BIN,
  createClaudeSession,
  createHome,
  createUuid,
  runJson,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'
import { run } from './run.ts'

let home: string

beforeEach(() => {
  home = createHome()
})

const COMMANDS = ['compress', 'inspect', 'check']

describe('bad input', () => {
  test.each(
    casesOf(
      [
        ['a file that is not there', 'none.jsonl', undefined, 'no such file'],
        ['a folder', '.', undefined, 'it is a folder'],
        ['an empty file', 'empty.jsonl', '', 'empty'],
        [
          'a binary file',
          'noise.jsonl',
          Buffer.concat([Buffer.of(0xff), randomBytes(50_000)]),
          'no UTF-8 text',
        ],
        [
          'a document of no known format',
          'other.json',
          '{"hello":"world"}',
          'found a JSON object with "hello"',
        ],
        ['text', 'notes.txt', 'Dear diary,\nnothing happened today.\n', 'found no JSON'],
      ],
      3,
    ),
  )(
    'is refused with 4 by every command: %s',
    { tags: 'property' },
    async (_, name, content, words) => {
      if (content !== undefined) writeFixture(join(home, name), content)
      for (const command of COMMANDS) {
        const { code, stdout, stderr } = await runPrecis(home, [command, name, '--json'])
        expect(code).toBe(4)
        expect(stderr).toContain(words)
        expect(stderr).not.toContain('should not happen')
        const { error } = JSON.parse(stdout)
        expect(stderr.startsWith(`precis: ${error.message.slice(0, 20)}`)).toBe(true)
      }
    },
  )

  test('is refused with 4 when it is one line of 200 MB, in less memory than that', async () => {
    const path = join(home, 'line.jsonl')
    const file = openSync(path, 'w')
    writeSync(file, '{"type":"user","text":"')
    const piece = 'a'.repeat(1 << 20)
    for (let megabyte = 0; megabyte < 200; megabyte++) writeSync(file, piece)
    writeSync(file, '"}\n')
    closeSync(file)
    const { code, stderr } = await runPrecis(home, ['inspect', path], {
      environment: { NODE_OPTIONS: '--max-old-space-size=150' },
    })
    expect(code).toBe(4)
    expect(stderr.split('\n')).toHaveLength(2)
  })

  test('that nobody may read is refused with 4', async () => {
    const { code, stderr } = await runPrecis(home, ['inspect', '/proc/1/mem'])
    expect(code).toBe(4)
    expect(stderr).toMatch(/permission denied|the device failed/)
  })

  test('that is cut off in its last line is read, and said on standard error', {
    tags: 'slow',
  }, async () => {
    const text = createClaudeSession({ sessionId: 'cccccccc-1111-4222-8333-444444444444' })
    const cut = writeFixture(join(home, 'cut.jsonl'), text.slice(0, -60))
    const { code, stderr } = await runPrecis(home, ['inspect', cut, '--json'])
    expect(code).toBe(0)
    expect(stderr).toContain('is cut off')
    const same = join(home, 'same.jsonl')
    await runPrecis(home, ['compress', cut, '--budget', '900k', '--out', same])
    expect(readFileSync(same).equals(readFileSync(cut))).toBe(true)
  })

  test('never steers the terminal: what a message or a file name contains is printed without control characters', {
    tags: 'slow',
  }, async () => {
    const firstPrompt =
      '\u001b]0;owned\u0007\u001b[31mred\u009b2J \u202eevil\u2066 two\nlines\rover'
    const text = createClaudeSession({
      sessionId: 'dddddddd-1111-4222-8333-444444444444',
      firstPrompt,
      workingDirectory: '/w\u001b[5m',
    })
    writeFixture(
      join(home, '.claude', 'projects', '-w', 'dddddddd-1111-4222-8333-444444444444.jsonl'),
      text,
    )
    const runs = [
      ['inspect', 'dddddddd'],
      ['sessions'],
      ['sessions', '--json'],
      ['inspect', 'dddddddd', '--json'],
      ['compress', 'dddddddd', '-v'],
      ['inspect', 'no\u001b[31m'],
    ]
    for (const words of runs) {
      const { stdout, stderr } = await runPrecis(home, words)
      const unsafe = `${stdout}${stderr}`.replaceAll('\n', '').match(/[\p{Cc}\p{Bidi_Control}]/gu)
      expect({ words, unsafe }).toEqual({ words, unsafe: null })
    }
  })
})

describe('a damaged line', () => {
  const createDamaged = (damaged: number) => {
    const lines = createClaudeSession({ sessionId: createUuid(3), turns: 12 })
      .trimEnd()
      .split('\n')
    lines.splice(
      20,
      0,
      ...Array.from({ length: damaged }, (_, index) => `{"type":"user","uuid":${index}`),
    )
    return writeFixture(join(home, 'damaged.jsonl'), `${lines.join('\n')}\n`)
  }

  test('is told with its number by every command that reads it, also as data', {
    tags: 'slow',
  }, async () => {
    createDamaged(1)
    const note = 'precis: line 21 of "damaged.jsonl" is damaged and left out of the conversation.'
    for (const words of [
      ['compress', '--budget', '50%'],
      ['clone', '--profile', 'routine'],
      ['inspect'],
      ['check'],
      ['replay'],
      ['replay', '--advise'],
    ]) {
      const [command = '', ...flags] = words
      const { stdout, stderr } = await runPrecis(home, [
        command,
        'damaged.jsonl',
        ...flags,
        '--json',
      ])
      expect([command, stderr]).toEqual([command, expect.stringContaining(note)])
      expect(JSON.parse(stdout).damage).toMatchObject({
        lines: 1,
        lineNumbers: [21],
        cutOffBytes: 0,
      })
    }
  })

  // A file that was changed a moment ago may be in use.
  const LONG_AGO = new Date('2026-01-01T00:00:00Z')

  test.each(
    casesOf(
      [
        ['sessions --search', ['sessions', '--search', 'number 3, please']],
        ['recall', ['recall', 'ID', 'shipping']],
        ['compress --all', ['compress', '--all', '--budget', '50%', '--yes', '--no-archive']],
        ['restore', ['restore', 'ID', '--out', 'restored.jsonl']],
        ['restore of one record', ['restore', 'ID', '1', '--out', 'record.json']],
        ['diff', ['diff', 'ID']],
        ['undo', ['undo', 'ID', '--out', 'undone.jsonl']],
        ['hook', ['hook', 'claude-code', '--verbose']],
        ['chat --resume', ['chat', '--demo', '--resume', 'ID']],
      ],
      3,
    ),
  )('is told with its number by %s', { tags: 'property' }, async (_, words) => {
    const path = join(home, '.claude/projects/-work-shop', `${createUuid(3)}.jsonl`)
    renameSync(createDamaged(1), writeFixture(path, ''))
    utimesSync(path, LONG_AGO, LONG_AGO)
    if (words.includes('ID')) await runPrecis(home, ['compress', createUuid(3), '--budget', '50%'])
    const asked = words.map((word) => (word === 'ID' ? createUuid(3) : word))
    const stdin = words[0] === 'hook' ? JSON.stringify({ transcript_path: path }) : ''
    // The first one starts other processes.
    const start = words[1] === '--all' ? startPrecis : runPrecis
    const { stdout, stderr } = await start(home, asked, { stdin })
    expect(stdout + stderr).toMatch(/\bline 21\b/)
    const json = {
      recall: 'damaged',
      restore: 'damage',
      diff: 'originalDamage',
      undo: 'originalDamage',
    }
    const name = Object.entries(json).find(([command]) => command === words[0])?.[1]
    if (name === undefined) return
    const data = await runJson(home, [...asked])
    expect([data[name]].flat()).toMatchObject([{ lines: 1, lineNumbers: [21], cutOffBytes: 0 }])
  })

  test('is one of thousands: the first ones are named, the rest is counted', async () => {
    createDamaged(3000)
    const { stderr } = await runPrecis(home, ['inspect', 'damaged.jsonl'])
    expect(stderr).toContain('lines 21, 22, 23, 24, 25, 26, 27, 28, 29, 30 and 2990 more of')
  })

  test('is not one that is blank, and the last one is cut off', async () => {
    const text = `\ufeff\n\n${createClaudeSession({ sessionId: createUuid(3), turns: 3 })}   \n123\n{"type":`
    writeFixture(join(home, 'damaged.jsonl'), text.replace('\ufeff\n', '\ufeff'))
    expect((await runJson(home, ['inspect', 'damaged.jsonl'])).damage).toEqual({
      lines: 1,
      lineNumbers: [21],
      cutOffBytes: 8,
    })
  })
})

describe('a pipe, a socket or a device', () => {
  test('is refused by every command before it is opened', { tags: 'slow' }, async () => {
    execFileSync('mkfifo', [join(home, 'pipe.jsonl')])
    for (const command of ['compress', 'inspect', 'check', 'clone', 'replay']) {
      const { code, stderr } = await startPrecis(home, [command, 'pipe.jsonl'], {
        onStart: killLater,
      })
      expect([code, stderr]).toEqual([
        4,
        expect.stringContaining('Reading "pipe.jsonl": it is a pipe, a socket or a'),
      ])
    }
  })

  test('where an agent keeps its own files hangs nobody', { tags: 'slow' }, async () => {
    for (const path of [
      '.pi/agent/settings.json',
      '.gemini/tmp/x/.project_root',
      '.config/Code/User/workspaceStorage/x/workspace.json',
      '.claude.json',
    ]) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      execFileSync('mkfifo', [join(home, path)])
    }
    writeFixture(join(home, '.gemini/tmp/x/chats/session-2026-01-01T00-00-11111112.jsonl'), '{}')
    writeFixture(
      join(home, `.config/Code/User/workspaceStorage/x/chatSessions/${createUuid(1)}.jsonl`),
      '{}',
    )
    writeFixture(
      join(home, 'ok.jsonl'),
      createClaudeSession({ sessionId: createUuid(2), turns: 2 }),
    )
    for (const [code, ...words] of [
      [0, 'sessions'],
      [4, 'install', 'claude-code'],
      [1, 'check', 'ok.jsonl', '--repair', '--out', '.claude.json'],
    ] as const) {
      expect([words, (await startPrecis(home, words, { onStart: killLater })).code]).toEqual([
        words,
        code,
      ])
    }
  })

  test('that a hook names is refused, and the agent goes on', async () => {
    execFileSync('mkfifo', [join(home, 'pipe.jsonl')])
    const stdin = JSON.stringify({
      transcript_path: join(home, 'pipe.jsonl'),
      hook_event_name: 'PreCompact',
    })
    const words = ['hook', 'claude-code', '--verbose']
    const { code, stderr } = await startPrecis(home, words, { stdin, onStart: killLater })
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('it is a pipe, a socket or a device'),
    ])
  })

  test('is read where a shell opened it', { tags: 'slow' }, async () => {
    writeFixture(
      join(home, 'ok.jsonl'),
      createClaudeSession({ sessionId: createUuid(2), turns: 2 }),
    )
    const script = '"$0" "$1" inspect <(cat ok.jsonl) --json'
    const stdout = execFileSync('bash', ['-c', script, process.execPath, BIN], {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH },
    })
    expect(JSON.parse(stdout.toString())).toMatchObject({ format: 'claude-code' })
  })
})

test('an error that should not happen says nothing about files', async () => {
  const notes: string[] = []
  const terminal = { ...createTerminal(), note: (text: string) => void notes.push(text) }
  const { exitCode } = process
  await run(['compress'], () => Promise.reject(new TypeError('oops')), terminal)
  process.exitCode = exitCode
  expect(notes.join()).toContain('Please report it.\nTypeError: oops')
  expect(notes.join()).not.toMatch(/No file|No session|unchanged/)
})

/** A process that hangs in a system call does not react to other signals. */
function killLater(child: ChildProcess): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  child.once('close', () => clearTimeout(timer))
}
