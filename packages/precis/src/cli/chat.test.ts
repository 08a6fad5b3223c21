import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeUpstream } from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { startOnTerminal } from '../../../../test/pseudo-terminal.suite.ts'
import { installChat } from '../files/how-to-install.ts'
import {
  BIN,
  createClaudeSession,
  createHome,
  createUuid,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

const ESCAPE = '\u001b'

/** Reading all six files overfills the window of the demo. */
function writeFiles(folder: string): void {
  const lines = Array.from(
    { length: 60 },
    (_, line) => `Line ${line} of a file that takes its place in the window.`,
  )
  for (let file = 1; file <= 6; file++)
    writeFixture(join(folder, `file${file}.txt`), lines.join('\n'))
}

describe('precis chat in a pipe', () => {
  test('answers each line on standard output, without touching the screen', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    writeFixture(join(home, 'README.md'), '# A shop\n\nIt sells things.\n')
    const stdin = 'hello\nread README.md\n/context\n/quit\nnot asked any more\n'
    const { code, stdout, stderr } = await runPrecis(home, ['chat', '--demo'], { stdin })
    expect(code).toBe(0)
    expect(stdout).toContain('This is the **demo**')
    expect(stdout).toContain('I read README.md.')
    expect(stdout).toMatch(/s system +\d+/)
    expect(stdout).not.toContain('not asked')
    expect(stderr).toMatch(/^● read_file README\.md · \d+ lines?, \d+ B$/m)
    expect(stdout + stderr).not.toContain(ESCAPE)
  })

  test('goes on with the next line where one failed, and says so with its exit code', {
    tags: 'slow',
  }, async () => {
    const { code, stdout, stderr } = await runPrecis(createHome(), ['chat', '--demo'], {
      stdin: '/nonsense\nhello\n',
    })
    expect(code).toBe(1)
    expect(stderr).toBe('precis: there is no /nonsense. /help lists all.\n')
    expect(stdout).toContain('This is the **demo**')
  })

  test('prints an answer that is asked for again once', { tags: 'slow' }, async () => {
    const call = { name: 'read_file', input: { path: 'README.md' } }
    const provider = await startFakeUpstream((_, number) =>
      number === 1
        ? { text: 'It sells things.', toolCalls: [call, call, call], connection: 'end' }
        : { text: 'It sells things.' },
    )
    const environment = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: provider.url }
    const words = ['chat', '--model', 'anthropic/claude-haiku-4-5']
    const stdin = 'What is this?\n'
    const { stdout, stderr } = await runPrecis(createHome(), words, { stdin, environment })
    await provider.close()
    expect(stderr).toContain('attempt 2 of 10')
    expect(stdout).toBe('It sells things.\n')
  })

  test('compresses, takes it back, and keeps what was said for the next time', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    writeFiles(home)
    const stdin =
      'read file1.txt\nread file2.txt\nread file3.txt\n/compress\n/undo\n/pin keep this\n'
    const first = await runPrecis(home, ['chat', '--demo'], { stdin })
    expect(first.stdout).toMatch(/◆ compressed: [\d,]+ → [\d,]+ tokens/)
    expect(first.stdout).toContain('compression undone')
    const second = await runPrecis(home, ['chat', '--demo', '--resume'], {
      stdin: '/pin\n/context\n',
    })
    expect(second.code).toBe(0)
    expect(second.stdout).toContain('• keep this')
    expect(second.stdout).toMatch(/t tool results +[\d,]+/)
  })

  test('says what is damaged in a chat that it goes on with', { tags: 'slow' }, async () => {
    const home = createHome()
    const header = { type: 'chat', version: 1, id: '0123456789ab', workingDirectory: home }
    const lines = [
      JSON.stringify({ ...header, model: 'demo/small' }),
      '{"type":"message","mess',
      JSON.stringify({ type: 'message', message: { role: 'user', content: 'hello' } }),
    ]
    const path = writeFixture(join(home, 'damaged.jsonl'), `${lines.join('\n')}\n`)
    const stdin = `/resume ${path}\n`
    const { stderr } = await runPrecis(home, ['chat', '--demo'], { stdin })
    expect(stderr).toBe('precis: goes on with chat 0123456789ab, damaged line 2 left out.\n')
  })

  test('lists models with what a switch would do, and switches to one that is named', {
    tags: 'slow',
  }, async () => {
    const stdin = '/model\n/model demo/tiny\nhello\n'
    const { stdout, stderr } = await runPrecis(createHome(), ['chat', '--demo'], { stdin })
    expect(stdout).toMatch(/demo\/large +\d+k +as it is/)
    expect(stderr).toContain('Give its name: /model <provider/model>.')
    expect(stdout).toContain('now demo/tiny answers.')
  })

  test('shows titles of sessions as text, whatever is in them', async () => {
    const home = createHome()
    const firstPrompt = `Fix${ESCAPE}]0;pwned\u0007\u202e\u009b2J the cart`
    const session = createClaudeSession({ sessionId: createUuid(7), firstPrompt, turns: 2 })
    writeFixture(join(home, '.claude', 'projects', '-work-shop', `${createUuid(7)}.jsonl`), session)
    const { stdout } = await runPrecis(home, ['chat', '--demo'], { stdin: '/sessions\n/resume\n' })
    expect(stdout).toContain('claude-code')
    expect(stdout).toContain('the cart')
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u)
  })
})

describe('precis chat refuses', () => {
  test('where the package of the chat is not installed, and says how it is', {
    tags: 'slow',
  }, async () => {
    // Node resolves a missing package this way.
    const resolve = `export async function resolve(name, context, next) {
      if (name !== '@precis/chat') return next(name, context)
      return next(name, { ...context, parentURL: 'file:///nowhere/file.js' })
    }`
    const hook = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(resolve)}`)})`
    const environment = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    }
    const { code, stdout, stderr } = await startPrecis(createHome(), ['chat', '--demo'], {
      environment,
    })
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(installChat.command)
  })

  test('to begin without a model, and says in one line what to set', async () => {
    const { code, stdout, stderr } = await runPrecis(createHome(), ['chat'], { stdin: 'hello\n' })
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain('ANTHROPIC_API_KEY')
    expect(stderr).toContain('precis chat --demo')
  })

  test.each([
    [['--window', 'abc'], 2],
    [['--window', '10'], 2],
    [['--strategy', 'nonsense'], 2],
    [['--resume', 'no-such-chat'], 4],
  ])('%j', async (words, expected) => {
    const { code, stdout } = await runPrecis(createHome(), ['chat', '--demo', ...words], {
      stdin: 'hello\n',
    })
    expect(code).toBe(expected)
    expect(stdout).toBe('')
  })
})

describe('precis chat on a terminal', { tags: 'slow' }, () => {
  const start = (
    home: string,
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ) =>
    startOnTerminal([BIN, 'chat', ...words], {
      directory: home,
      environment: { HOME: home, ...environment },
    })

  test('compresses by itself, survives a kill, and goes on where it was', async () => {
    const home = createHome()
    writeFiles(home)
    const first = start(home, ['--demo'])
    await first.see(/^ demo\/small .* of 8k/m)
    for (let file = 1; file <= 6; file++) {
      first.type(`read file${file}.txt\r`)
      await first.see(`read_file file${file}.txt · `)
      await first.miss('Esc cancels')
    }
    expect(first.everything().join('\n')).toMatch(
      /◆ compressed to make room: [\d,]+ → [\d,]+ tokens/,
    )
    first.type('remember the zebra')
    first.press('enter')
    await first.see('› remember the zebra')
    await first.see('answering')
    first.close()
    expect((await first.exit).signal).toBe(9)

    const second = start(home, ['--demo', '--resume'])
    await second.see('› remember the zebra')
    await second.see('goes on with chat')
    second.type('/quit\r')
    expect((await second.exit).code).toBe(0)
    await second.see(/Go on with it: precis chat --resume [0-9a-f]{12}/)
  })

  test('has no screen where TERM is dumb', async () => {
    const home = createHome()
    const terminal = start(home, ['--demo'], { TERM: 'dumb' })
    await terminal.see('›')
    terminal.type('hello\r')
    await terminal.see('This is the **demo**')
    await terminal.see(/› *$/m)
    terminal.press('ctrl-d')
    expect((await terminal.exit).code).toBe(0)
    expect(terminal.output()).not.toContain(ESCAPE)
  })
})
